package mp4file

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/Eyevinn/mp4ff/mp4"
)

// strand is a track of a file: its samples in decoding order, and the header that describes them.
type strand struct {
	track   *mp4.TrakBox
	table   *mp4.StblBox
	samples []sample
	scale   uint64 // units of time in a second
	chunks  []chunk
}

// sample is one encoded frame, of pictures or of sound, and its place in a file.
type sample struct {
	from   *origin
	offset uint64
	size   uint32
	length uint32 // duration, in the track's units of time
	shift  int32  // display time minus decoding time, in the track's units of time
	key    bool
}

// origin is a file that contains samples.
type origin struct{ path string }

// chunk is a run of samples of one track that follow each other in the file. The field from is the index of its first sample, the
// field to the index after that of its last one.
type chunk struct {
	from, to int
	offset   uint64 // distance from the start of all samples, in bytes
}

// chunkSeconds is the largest distance between a picture and its sound in the file, in seconds. A player that reads the file from
// start to end buffers no more than that.
const chunkSeconds = 1

// reordered is the largest distance between decoding and display of a frame, in frames, in the streams of x264 as configured for
// windows.
const reordered = 2

// Assemble joins the files of the windows and of the sound into one MP4 file, without encoding. The index comes before the
// samples, so that players can begin before the whole file is loaded. Properties that all windows share are taken from the first
// one.
func Assemble(windows []string, sound, to string) error {
	first, pictures, err := openStrand(windows[0])
	if err != nil {
		return fmt.Errorf("window 0: %w", err)
	}
	for i, path := range windows[1:] {
		_, more, err := openStrand(path)
		if err != nil {
			return fmt.Errorf("window %d: %w", i+1, err)
		}
		if more.scale != pictures.scale || more.samples[0].length != pictures.samples[0].length {
			return fmt.Errorf("window %d: %w: another time of frames", i+1, ErrTrack)
		}
		pictures.samples = append(pictures.samples, more.samples...)
	}
	heard, voice, err := openStrand(sound)
	if err != nil {
		return fmt.Errorf("sound: %w", err)
	}
	if heard.Moov.Mvhd.Timescale != first.Moov.Mvhd.Timescale {
		return fmt.Errorf("sound: %w: another time", ErrTrack)
	}
	index, err := indexOf(first.Moov.Mvhd, pictures, voice)
	if err != nil {
		return err
	}
	return writeMovie(to, first.Ftyp, index, []*strand{pictures, voice})
}

// openStrand reads the header of a file with one track. The samples stay in the file.
func openStrand(path string) (*mp4.File, *strand, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	f, err := mp4.DecodeFile(in, mp4.WithDecodeMode(mp4.DecModeLazyMdat))
	if err != nil {
		return nil, nil, err
	}
	if f.IsFragmented() || f.Ftyp == nil || f.Moov == nil || f.Moov.Mvhd == nil || len(f.Moov.Traks) != 1 {
		return nil, nil, ErrTrack
	}
	s := &strand{track: f.Moov.Trak}
	if s.table = samplesTable(s.track); s.table == nil {
		return nil, nil, ErrTrack
	}
	s.scale = uint64(s.track.Mdia.Mdhd.Timescale)
	if err := s.find(&origin{path}); err != nil {
		return nil, nil, err
	}
	if s.table.Stsd.AvcX != nil {
		err = s.straighten()
	}
	return f, s, err
}

// find records the place of every sample of the track.
func (s *strand) find(in *origin) error {
	t := s.table
	count := t.Stsz.GetNrSamples()
	if count == 0 || s.scale == 0 {
		return ErrTrack
	}
	chunks, err := t.Stsc.GetContainingChunks(1, count)
	if err != nil {
		return errors.Join(ErrTrack, err)
	}
	for _, c := range chunks {
		offset, err := offsetOf(t, int(c.ChunkNr))
		if err != nil {
			return err
		}
		for n := c.StartSampleNr; n < c.StartSampleNr+c.NrSamples && n <= count; n++ {
			one := sample{from: in, offset: offset, size: t.Stsz.GetSampleSize(int(n)), length: t.Stts.GetDur(n)}
			if one.key = t.Stss == nil || t.Stss.IsSyncSample(n); t.Ctts != nil {
				one.shift = t.Ctts.GetCompositionTimeOffset(n)
			}
			s.samples = append(s.samples, one)
			offset += uint64(one.size)
		}
	}
	if len(s.samples) != int(count) {
		return ErrTrack
	}
	return nil
}

func offsetOf(t *mp4.StblBox, chunk int) (uint64, error) {
	switch {
	case t.Stco != nil && chunk >= 1 && chunk <= len(t.Stco.ChunkOffset):
		return uint64(t.Stco.ChunkOffset[chunk-1]), nil
	case t.Co64 != nil && chunk >= 1 && chunk <= len(t.Co64.ChunkOffset):
		return t.Co64.ChunkOffset[chunk-1], nil
	}
	return 0, ErrTrack
}

// straighten sets every frame of a window to the same duration, and the delay between decoding and display to that of all
// other windows. Some windows come with another delay, such as those of one or two frames, which x264 does not reorder.
func (s *strand) straighten() error {
	step := int64(s.samples[0].length)
	if step == 0 {
		return ErrTrack
	}
	earliest := int64(math.MaxInt64)
	for i, one := range s.samples {
		earliest = min(earliest, int64(i)*step+int64(one.shift))
	}
	for i := range s.samples {
		one := &s.samples[i]
		shift := int64(one.shift) - earliest + reordered*step
		if int64(one.length) != step && i < len(s.samples)-1 || shift < 0 || shift%step != 0 || shift > math.MaxInt32 {
			return ErrTrack
		}
		one.length, one.shift = uint32(step), int32(shift)
	}
	return nil
}

// samplesTable returns a track's sample table; nil: parts of it are missing.
func samplesTable(t *mp4.TrakBox) *mp4.StblBox {
	if t.Tkhd == nil || t.Mdia == nil || t.Mdia.Mdhd == nil || t.Mdia.Minf == nil || t.Mdia.Minf.Stbl == nil {
		return nil
	}
	table := t.Mdia.Minf.Stbl
	if table.Stsd == nil || table.Stts == nil || table.Stsz == nil || table.Stsc == nil {
		return nil
	}
	return table
}

// indexOf builds the header of a movie. The positions of the samples are filled in later, by place.
func indexOf(times *mp4.MvhdBox, pictures, voice *strand) (*mp4.MoovBox, error) {
	step := uint64(pictures.samples[0].length)
	length := uint64(len(pictures.samples)) * step
	whole := (length*uint64(times.Timescale) + pictures.scale - 1) / pictures.scale
	pictures.track.Mdia.Mdhd.Duration, pictures.track.Tkhd.Duration = length, whole
	setEdit(pictures.track, whole, reordered*int64(step))
	pictures.rate(length)
	pictures.track.Tkhd.TrackID, voice.track.Tkhd.TrackID = 1, 2
	times.Duration, times.NextTrackID = max(whole, voice.track.Tkhd.Duration), 3
	interleave(pictures, voice)
	index := mp4.NewMoovBox()
	index.AddChild(times)
	for _, s := range []*strand{pictures, voice} {
		if err := s.tabulate(); err != nil {
			return nil, err
		}
		index.AddChild(s.track)
	}
	return index, nil
}

// rate sets the bit rate in the track's header to that of the whole movie, if the header contains one: the header was copied from
// the first window.
func (s *strand) rate(length uint64) {
	if s.table.Stsd.AvcX == nil || s.table.Stsd.AvcX.Btrt == nil {
		return
	}
	var bytes uint64
	for _, one := range s.samples {
		bytes += uint64(one.size)
	}
	bits := uint32(min(bytes*8*s.scale/length, math.MaxUint32))
	s.table.Stsd.AvcX.Btrt.AvgBitrate, s.table.Stsd.AvcX.Btrt.MaxBitrate = bits, bits
}

// interleave orders the samples in the file: one second of pictures, the sound of that second, and so on.
func interleave(pictures, voice *strand) {
	var offset uint64
	var heard uint64 // length of the sound placed so far, in the sound's units of time
	next := 0
	take := func(s *strand, from, to int) {
		if from == to {
			return
		}
		s.chunks = append(s.chunks, chunk{from, to, offset})
		for _, one := range s.samples[from:to] {
			offset += uint64(one.size)
		}
	}
	step := uint64(pictures.samples[0].length)
	frames := int(max(1, chunkSeconds*pictures.scale/step))
	for from := 0; from < len(pictures.samples); from += frames {
		to := min(from+frames, len(pictures.samples))
		take(pictures, from, to)
		until := uint64(to) * step * voice.scale / pictures.scale
		first := next
		for next < len(voice.samples) && heard < until {
			heard += uint64(voice.samples[next].length)
			next++
		}
		take(voice, first, next)
	}
	take(voice, next, len(voice.samples))
}

// setEdit makes players begin a track at a given time, with an edit list.
func setEdit(t *mp4.TrakBox, length uint64, from int64) {
	edits := &mp4.EdtsBox{}
	list := &mp4.ElstBox{Entries: []mp4.ElstEntry{{SegmentDuration: length, MediaTime: from, MediaRateInteger: 1}}}
	edits.Elst, edits.Children = []*mp4.ElstBox{list}, []mp4.Box{list}
	children := []mp4.Box{}
	for _, b := range t.Children {
		if b.Type() == "mdia" {
			children = append(children, edits)
		}
		if b.Type() != "edts" {
			children = append(children, b)
		}
	}
	t.Children, t.Edts = children, edits
}

// copySamples copies the samples of all tracks to a file, in the order of their chunks.
func copySamples(to io.Writer, strands []*strand) error {
	var in *os.File
	var open *origin
	defer func() {
		if in != nil {
			in.Close()
		}
	}()
	for _, one := range inOrder(strands) {
		if one.in != open {
			if in != nil {
				in.Close()
			}
			var err error
			if in, err = os.Open(one.in.path); err != nil {
				return err
			}
			open = one.in
		}
		n, err := io.Copy(to, io.NewSectionReader(in, int64(one.offset), int64(one.size)))
		if err != nil {
			return err
		}
		if uint64(n) != one.size {
			return fmt.Errorf("%s ends within a sample", filepath.Base(one.in.path))
		}
	}
	return nil
}
