package speech

import (
	"encoding/binary"
	"errors"
	"io"
	"time"
)

// sound is one channel of samples.
type sound struct {
	rate    int
	samples []int16
}

func (s sound) length() time.Duration { return playTime(len(s.samples), s.rate) }

// at is the time of a sample.
func (s sound) at(sample int) time.Duration { return playTime(sample, s.rate) }

// playTime is the duration of a number of samples.
func playTime(samples, rate int) time.Duration {
	if rate == 0 {
		return 0
	}
	return time.Duration(float64(samples) / float64(rate) * float64(time.Second))
}

var errNoWAV = errors.New("this is no WAV file of 16 bits")

// readWAV reads a WAV file of 16 bits, and mixes its channels to one. An unknown length, as in streamed files, means the rest of
// the file.
func readWAV(raw []byte) (sound, error) {
	if len(raw) < 12 || string(raw[:4]) != "RIFF" || string(raw[8:12]) != "WAVE" {
		return sound{}, errNoWAV
	}
	var format wavFormat
	for raw = raw[12:]; len(raw) >= 8; {
		kind, size := string(raw[:4]), int64(binary.LittleEndian.Uint32(raw[4:8]))
		body := raw[8:]
		size = min(size, int64(len(body)))
		switch kind {
		case "fmt ":
			var ok bool
			if format, ok = readFormat(body[:size]); !ok {
				return sound{}, errNoWAV
			}
		case "data":
			if format.channels == 0 {
				return sound{}, errNoWAV
			}
			return sound{rate: format.rate, samples: mixDown(body[:size], format.channels)}, nil
		}
		raw = body[min(size+size%2, int64(len(body))):]
	}
	return sound{}, errNoWAV
}

type wavFormat struct{ channels, rate int }

// readFormat reads the format of the samples. false: not 16 bits, or an unusual rate or number of channels.
func readFormat(chunk []byte) (f wavFormat, ok bool) {
	const plain, extensible = 1, 0xfffe
	if len(chunk) < 16 || binary.LittleEndian.Uint16(chunk[14:]) != 16 {
		return f, false
	}
	kind := binary.LittleEndian.Uint16(chunk)
	f = wavFormat{int(binary.LittleEndian.Uint16(chunk[2:])), int(binary.LittleEndian.Uint32(chunk[4:]))}
	return f, (kind == plain || kind == extensible) && f.channels >= 1 && f.channels <= 8 && f.rate >= 4000 && f.rate <= 400_000
}

func mixDown(data []byte, channels int) []int16 {
	samples := make([]int16, len(data)/2/channels)
	for i := range samples {
		sum := 0
		for c := range channels {
			sum += int(int16(binary.LittleEndian.Uint16(data[2*(i*channels+c):])))
		}
		samples[i] = int16(sum / channels)
	}
	return samples
}

// writeWAV writes a sound as a file, from parts with the same rate.
func writeWAV(w io.Writer, rate int, parts [][]int16) error {
	size := 0
	for _, p := range parts {
		size += 2 * len(p)
	}
	header := []byte("RIFF....WAVEfmt ")
	binary.LittleEndian.PutUint32(header[4:], uint32(36+size))
	for _, field := range []uint32{16, 1 | 1<<16, uint32(rate), uint32(2 * rate), 2 | 16<<16} {
		header = binary.LittleEndian.AppendUint32(header, field)
	}
	header = binary.LittleEndian.AppendUint32(append(header, "data"...), uint32(size))
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, p := range parts {
		data := make([]byte, 2*len(p))
		for i, v := range p {
			binary.LittleEndian.PutUint16(data[2*i:], uint16(v))
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}
