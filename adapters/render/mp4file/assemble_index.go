package mp4file

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/Eyevinn/mp4ff/mp4"
)

// tabulate builds the track's sample table. The method place fills in the positions of the chunks later.
func (s *strand) tabulate() error {
	sizes, ones, shifts := make([]uint32, len(s.samples)), make([]uint32, len(s.samples)), make([]int32, len(s.samples))
	keys := &mp4.StssBox{}
	for i, one := range s.samples {
		sizes[i], ones[i], shifts[i] = one.size, 1, one.shift
		if one.key {
			keys.SampleNumber = append(keys.SampleNumber, uint32(i)+1)
		}
	}
	table := mp4.NewStblBox()
	table.AddChild(s.table.Stsd)
	table.AddChild(s.lengths())
	if s.table.Stsd.AvcX != nil {
		table.AddChild(keys)
		shifted := &mp4.CttsBox{}
		if err := shifted.AddSampleCountsAndOffset(ones, shifts); err != nil {
			return err
		}
		table.AddChild(shifted)
	}
	places, err := s.runs()
	if err != nil {
		return err
	}
	table.AddChild(places)
	table.AddChild(&mp4.StszBox{SampleNumber: uint32(len(sizes)), SampleSize: sizes})
	for _, b := range s.table.Children {
		// The boxes sgpd and sbgp tell players how many samples they have to decode before the sound is correct. The number is the same
		// for all samples, so the boxes can be copied.
		if b.Type() == "sgpd" || b.Type() == "sbgp" {
			table.AddChild(b)
		}
	}
	media := s.track.Mdia.Minf
	for i, b := range media.Children {
		if b.Type() == "stbl" {
			media.Children[i] = table
		}
	}
	media.Stbl, s.table = table, table
	return nil
}

// lengths returns the durations of the samples, run-length encoded.
func (s *strand) lengths() *mp4.SttsBox {
	b := &mp4.SttsBox{}
	for _, one := range s.samples {
		if last := len(b.SampleTimeDelta) - 1; last >= 0 && b.SampleTimeDelta[last] == one.length {
			b.SampleCount[last]++
		} else {
			b.SampleCount, b.SampleTimeDelta = append(b.SampleCount, 1), append(b.SampleTimeDelta, one.length)
		}
	}
	return b
}

// runs returns the number of samples of each chunk, run-length encoded.
func (s *strand) runs() (*mp4.StscBox, error) {
	b := &mp4.StscBox{}
	for i, c := range s.chunks {
		if i > 0 && s.chunks[i-1].to-s.chunks[i-1].from == c.to-c.from {
			continue
		}
		if err := b.AddEntry(uint32(i)+1, uint32(c.to-c.from), 1); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// place fills in the positions of the chunks in the file. start is the offset in the file at which the samples begin. large
// says that the positions are written in 64 bits, not in 32.
func (s *strand) place(start uint64, large bool) {
	offsets := make([]uint64, len(s.chunks))
	short := make([]uint32, len(s.chunks))
	for i, c := range s.chunks {
		offsets[i], short[i] = start+c.offset, uint32(start+c.offset)
	}
	s.table.Children = slices.DeleteFunc(s.table.Children, func(b mp4.Box) bool { return b.Type() == "stco" || b.Type() == "co64" })
	s.table.Stco, s.table.Co64 = nil, nil
	if large {
		s.table.AddChild(&mp4.Co64Box{ChunkOffset: offsets})
	} else {
		s.table.AddChild(&mp4.StcoBox{ChunkOffset: short})
	}
}

func (s *strand) bytes() (sum uint64) {
	for _, one := range s.samples {
		sum += uint64(one.size)
	}
	return sum
}

// bytesOf is a range of bytes in a file.
type bytesOf struct {
	in     *origin
	offset uint64
	size   uint64
}

// inOrder returns the ranges of bytes to copy, in the order in which they are written to the movie.
func inOrder(strands []*strand) []bytesOf {
	type piece struct {
		offset  uint64
		samples []sample
	}
	var pieces []piece
	for _, s := range strands {
		for _, c := range s.chunks {
			pieces = append(pieces, piece{c.offset, s.samples[c.from:c.to]})
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.offset, b.offset) })
	var all []bytesOf
	for _, p := range pieces {
		for _, one := range p.samples {
			if last := len(all) - 1; last >= 0 && all[last].in == one.from && all[last].offset+all[last].size == one.offset {
				all[last].size += uint64(one.size)
			} else {
				all = append(all, bytesOf{one.from, one.offset, uint64(one.size)})
			}
		}
	}
	return all
}

// writeMovie writes an MP4 file: the file type, the index, the samples.
func writeMovie(to string, kind *mp4.FtypBox, index *mp4.MoovBox, strands []*strand) (err error) {
	data := &mp4.MdatBox{}
	var size uint64
	for _, s := range strands {
		size += s.bytes()
	}
	data.SetLazyDataSize(size)
	large := size > math.MaxUint32/2
	for _, s := range strands {
		s.place(0, large)
	}
	start := kind.Size() + index.Size() + data.Size() - size
	for _, s := range strands {
		s.place(start, large)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 1<<20)
	for _, b := range []mp4.Box{kind, index, data} {
		if err := b.Encode(w); err != nil {
			return fmt.Errorf("write %s: %w", b.Type(), err)
		}
	}
	if err := copySamples(w, strands); err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	return w.Flush()
}
