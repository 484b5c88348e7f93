package speech

import "time"

// mp3Length returns the length of an MP3 file by adding up its frames, and whether it has any.
func mp3Length(raw []byte) (time.Duration, bool) {
	if len(raw) > 10 && string(raw[:3]) == "ID3" {
		size := int(raw[6]&0x7f)<<21 | int(raw[7]&0x7f)<<14 | int(raw[8]&0x7f)<<7 | int(raw[9]&0x7f)
		raw = raw[min(10+size, len(raw)):]
	}
	var seconds float64
	frames := 0
	for len(raw) >= 4 {
		f, ok := mp3Header(raw)
		if !ok {
			break // a tag follows, or the file is damaged
		}
		seconds += float64(f.samples) / float64(f.rate)
		frames++
		raw = raw[min(f.bytes, len(raw)):]
	}
	return time.Duration(seconds * float64(time.Second)), frames > 0
}

type mp3Frame struct{ samples, rate, bytes int }

var (
	mp3Rates = [4]int{44100, 48000, 32000, 0}
	bitrates = [2][16]int{ // bit rates of layer III in kbit/s: first for MPEG 1, then for MPEG 2 and 2.5
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0},
	}
)

// mp3Header reads the header of a frame of layer III.
func mp3Header(raw []byte) (mp3Frame, bool) {
	version, layer := raw[1]>>3&3, raw[1]>>1&3
	if raw[0] != 0xff || raw[1]&0xe0 != 0xe0 || version == 1 || layer != 1 {
		return mp3Frame{}, false
	}
	rate := mp3Rates[raw[2]>>2&3]
	f := mp3Frame{samples: 1152, rate: rate}
	table := 0
	if version != 3 { // MPEG 2, or (version 0) MPEG 2.5, which has half the sample rates of MPEG 2
		table, f.samples, f.rate = 1, 576, rate/2
		if version == 0 {
			f.rate = rate / 4
		}
	}
	bitrate := bitrates[table][raw[2]>>4]
	if bitrate == 0 || f.rate == 0 {
		return mp3Frame{}, false
	}
	f.bytes = f.samples/8*bitrate*1000/f.rate + int(raw[2]>>1&1)
	return f, true
}
