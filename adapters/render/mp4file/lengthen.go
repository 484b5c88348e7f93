package mp4file

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/Eyevinn/mp4ff/mp4"

	"moviola/internal/h264"
)

// Lengthen inserts the held frames of a window into its file, in place. Also a file without held frames gets the decoder
// parameters that all windows of the movie have, so that the windows can be joined. On h264.ErrUnknown the file is unchanged.
func Lengthen(path string, holds []h264.Hold) error {
	f, err := mp4.ReadMP4File(path)
	if err != nil {
		return fmt.Errorf("read window: %w", err)
	}
	v, err := openVideo(f)
	if err != nil {
		return err
	}
	stream, err := v.read()
	if err != nil {
		return err
	}
	if stream, err = h264.Lengthen(stream, holds); err != nil {
		return err
	}
	if err := v.write(stream); err != nil {
		return fmt.Errorf("write window: %w", err)
	}
	var out bytes.Buffer
	if err := f.Encode(&out); err != nil {
		return fmt.Errorf("write window: %w", err)
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}

// video is a file of ffmpeg that contains a single track. The header of the file is after its data.
type video struct {
	file  *mp4.File
	track *mp4.TrakBox
	table *mp4.StblBox
	about *mp4.AvcCBox
	step  uint32 // duration of a frame in the track's units of time
}

// ErrTrack is the error for a file that is not one of the renderer's windows or sounds.
var ErrTrack = fmt.Errorf("%w: not the file of a window", h264.ErrUnknown)

func openVideo(f *mp4.File) (*video, error) {
	if f.IsFragmented() || f.Moov == nil || f.Mdat == nil || len(f.Moov.Traks) != 1 || f.Moov.Mvhd == nil {
		return nil, ErrTrack
	}
	v := &video{file: f, track: f.Moov.Trak}
	v.table = tableOf(v.track)
	if v.table == nil {
		return nil, ErrTrack
	}
	v.about = v.table.Stsd.AvcX.AvcC
	if len(v.about.SPSnalus) != 1 {
		return nil, ErrTrack
	}
	var even bool
	v.step, even = stepOf(v.table.Stts.SampleTimeDelta)
	if !even {
		return nil, ErrTrack
	}
	return v, nil
}

// tableOf returns the sample table of a track; nil: the table is incomplete, or the track is not H.264.
func tableOf(t *mp4.TrakBox) *mp4.StblBox {
	table := samplesTable(t)
	if table == nil || table.Stco == nil || table.Stsd.AvcX == nil || table.Stsd.AvcX.AvcC == nil {
		return nil
	}
	return table
}

// stepOf returns the common duration of all frames; false: they differ, or there are none.
func stepOf(lengths []uint32) (step uint32, even bool) {
	if len(lengths) == 0 || lengths[0] == 0 {
		return 0, false
	}
	for _, length := range lengths {
		if length != lengths[0] {
			return 0, false
		}
	}
	return lengths[0], true
}

// read reads the frames from the file.
func (v *video) read() (h264.Stream, error) {
	s := h264.Stream{Sequence: v.about.SPSnalus[0], Pictures: v.about.PPSnalus}
	count := v.table.Stsz.GetNrSamples()
	if count == 0 {
		return s, ErrTrack
	}
	ranges, err := v.track.GetRangesForSampleInterval(1, count)
	if err != nil {
		return s, errors.Join(ErrTrack, err)
	}
	var data []byte
	start := v.file.Mdat.PayloadAbsoluteOffset()
	for _, r := range ranges {
		if r.Offset < start || r.Offset-start+r.Size > uint64(len(v.file.Mdat.Data)) {
			return s, ErrTrack
		}
		data = append(data, v.file.Mdat.Data[r.Offset-start:][:r.Size]...)
	}
	for n := range count {
		size := int(v.table.Stsz.GetSampleSize(int(n) + 1))
		if size > len(data) {
			return s, ErrTrack
		}
		frame := h264.Frame{Key: v.table.Stss == nil || v.table.Stss.IsSyncSample(n+1)}
		if frame.Units, err = unitsOf(data[:size]); err != nil {
			return s, err
		}
		s.Frames = append(s.Frames, frame)
		data = data[size:]
	}
	return s, nil
}

// unitBytes is the number of bytes of the length before a NAL unit.
const unitBytes = 4

func unitsOf(sample []byte) ([][]byte, error) {
	var units [][]byte
	for len(sample) > 0 {
		if len(sample) < unitBytes {
			return nil, ErrTrack
		}
		size := int(binary.BigEndian.Uint32(sample))
		if size > len(sample)-unitBytes {
			return nil, ErrTrack
		}
		units = append(units, sample[unitBytes:][:size])
		sample = sample[unitBytes+size:]
	}
	return units, nil
}

// write writes frames into the file.
func (v *video) write(s h264.Stream) error {
	count := uint32(len(s.Frames))
	v.about.SPSnalus, v.about.PPSnalus = [][]byte{s.Sequence}, s.Pictures
	sizes, keys, offsets := make([]uint32, count), []uint32{}, make([]int32, count)
	ones := make([]uint32, count)
	var data []byte
	for i, f := range s.Frames {
		before := len(data)
		for _, unit := range f.Units {
			data = append(binary.BigEndian.AppendUint32(data, uint32(len(unit))), unit...)
		}
		sizes[i], ones[i] = uint32(len(data)-before), 1
		if f.Key {
			keys = append(keys, uint32(i)+1)
		}
		offsets[i] = int32(f.Shown-i+reordered) * int32(v.step)
		if offsets[i] < 0 {
			return ErrTrack
		}
	}
	v.file.Mdat.Data = data
	t := v.table
	stts := &mp4.SttsBox{SampleCount: []uint32{count}, SampleTimeDelta: []uint32{v.step}}
	ctts := &mp4.CttsBox{}
	if err := ctts.AddSampleCountsAndOffset(ones, offsets); err != nil {
		return err
	}
	stsc := &mp4.StscBox{}
	if err := stsc.AddEntry(1, count, 1); err != nil {
		return err
	}
	fresh := mp4.NewStblBox()
	for _, b := range []mp4.Box{t.Stsd, stts, &mp4.StssBox{SampleNumber: keys}, ctts, stsc,
		&mp4.StszBox{SampleNumber: count, SampleSize: sizes}, &mp4.StcoBox{ChunkOffset: []uint32{0}}} {
		fresh.AddChild(b)
	}
	v.replace(fresh, uint64(count)*uint64(v.step))
	at := uint64(0)
	for _, b := range v.file.Children {
		if b.Type() == "mdat" {
			break
		}
		at += b.Size()
	}
	fresh.Stco.ChunkOffset[0] = uint32(at) + 8
	return nil
}

// replace sets the track's sample table and its duration.
func (v *video) replace(table *mp4.StblBox, length uint64) {
	media := v.track.Mdia
	for i, b := range media.Minf.Children {
		if b.Type() == "stbl" {
			media.Minf.Children[i] = table
		}
	}
	media.Minf.Stbl, v.table = table, table
	whole := length * uint64(v.file.Moov.Mvhd.Timescale) / uint64(media.Mdhd.Timescale)
	media.Mdhd.Duration, v.track.Tkhd.Duration, v.file.Moov.Mvhd.Duration = length, whole, whole
	setEdit(v.track, whole, reordered*int64(v.step))
}
