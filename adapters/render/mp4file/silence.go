package mp4file

import (
	"bytes"
	"math"
	"os"

	"github.com/Eyevinn/mp4ff/aac"
	"github.com/Eyevinn/mp4ff/mp4"
)

const (
	// SampleRate is the number of samples per second of every sound that the renderer makes.
	SampleRate = 48000
	aacFrame   = 1024 // samples in one frame of AAC
	// movieScale is how many units of time a second has in the header of a file, as ffmpeg counts.
	movieScale = 1000
)

// silentFrame is the AAC encoding of 1024 silent samples of two channels.
var silentFrame = []byte{0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c}

// WriteSilence writes a sound file with a number of silent samples. Like a file of ffmpeg, it begins with one frame that is not
// heard.
func WriteSilence(path string, length int64) error {
	frames := uint32((length+aacFrame-1)/aacFrame) + 1
	last := uint32(length) - (frames-2)*aacFrame
	track := mp4.CreateEmptyTrak(1, SampleRate, "audio", "und")
	if err := track.SetAACDescriptor(aac.AAClc, SampleRate); err != nil {
		return err
	}
	whole := uint64(math.Ceil(float64(length) * movieScale / SampleRate))
	track.Tkhd.AlternateGroup, track.Tkhd.Duration = 1, whole
	track.Mdia.Mdhd.Duration = uint64(length) + aacFrame
	table := track.Mdia.Minf.Stbl
	table.Stts.SampleCount, table.Stts.SampleTimeDelta = []uint32{frames - 1, 1}, []uint32{aacFrame, last}
	if err := table.Stsc.AddEntry(1, frames, 1); err != nil {
		return err
	}
	table.Stsz.SampleUniformSize, table.Stsz.SampleNumber = uint32(len(silentFrame)), frames
	setEdit(track, whole, aacFrame)
	times := mp4.CreateMvhd()
	times.Timescale, times.Duration, times.NextTrackID = movieScale, whole, 2
	index := mp4.NewMoovBox()
	index.AddChild(times)
	index.AddChild(track)
	f := mp4.NewFile()
	kind := mp4.NewFtyp("isom", 512, []string{"isom", "iso2", "mp41"})
	data := &mp4.MdatBox{Data: bytes.Repeat(silentFrame, int(frames))}
	table.Stco.ChunkOffset = []uint32{0}
	table.Stco.ChunkOffset[0] = uint32(kind.Size() + index.Size() + data.HeaderSize())
	for _, b := range []mp4.Box{kind, index, data} {
		f.AddChild(b, 0)
	}
	out := &bytes.Buffer{}
	if err := f.Encode(out); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}
