package mp4file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"moviola/domain/movie"
)

// errInspect is the error for a finished file that does not match its timeline.
var errInspect = errors.New("the movie's file is not as it must be")

func unfit(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errInspect, fmt.Errorf(format, args...))
}

// Inspected is the content of a finished file's index. The code that reads it shares nothing with the code that wrote it, so that
// a mistake of one is not repeated by the other.
type Inspected struct {
	size          int64
	data          [2]uint64 // range of the samples in the file: their first byte, and the first byte after them
	video, audio  *inspectedTrack
	width, height int
	colours       [3]uint16 // primaries, transfer, matrix, as ISO/IEC 23091-2 counts them
	parameters    []byte    // decoder parameters of H.264
}

// inspectedTrack is one track of an inspected file.
type inspectedTrack struct {
	scale, length uint64 // units of time in a second, and the track's duration in these units
	even          uint64 // duration of every sample; 0: durations differ
	sizes         []uint32
	keys          []uint32
	shifts        []int64 // display time minus decoding time, per sample; nil: both are equal
	begins        int64   // start time set by the edit list
	chunks        []extent
}

// extent is a range of bytes in the file: the field from is the offset of its first byte, the field to that of the byte after its
// last one.
type extent struct{ from, to uint64 }

// Inspect reads the index of a file that Assemble has written.
func Inspect(path string) (*Inspected, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	m := &Inspected{size: info.Size()}
	at := int64(0)
	for _, want := range []string{"ftyp", "moov", "mdat"} {
		name, size, skip, err := boxAt(f, at)
		if err != nil {
			return nil, unfit("read %q: %w", want, err)
		}
		if name != want || at+size > m.size || name == "moov" && size > maxIndex {
			return nil, unfit("%q of %d bytes lies at %d instead of %q", name, size, at, want)
		}
		switch name {
		case "moov":
			index := make([]byte, size-skip)
			if _, err := f.ReadAt(index, at+skip); err != nil {
				return nil, err
			}
			if err := m.read(index); err != nil {
				return nil, err
			}
		case "mdat":
			m.data = [2]uint64{uint64(at + skip), uint64(at + size)}
		}
		at += size
	}
	if at != m.size {
		return nil, unfit("it goes on behind its samples")
	}
	return m, nil
}

// maxIndex is the largest size in bytes of an index that is read. An hour of video has about five megabytes of index.
const maxIndex = 512 << 20

// read reads the tracks of the index.
func (m *Inspected) read(moov []byte) error {
	for name, content := range boxes(moov) {
		if name != "trak" {
			continue
		}
		media := box(content, "mdia")
		kind, table := box(media, "hdlr"), box(box(media, "minf"), "stbl")
		if len(kind) < 12 || table == nil {
			return unfit("a track without a table")
		}
		s, err := inspectTrack(media, table, box(box(content, "edts"), "elst"))
		if err != nil {
			return err
		}
		switch string(kind[8:12]) {
		case "vide":
			if m.video != nil {
				return unfit("it has two tracks of pictures")
			}
			m.video = s
			err = m.readEntry(box(table, "stsd"))
		case "soun":
			if m.audio != nil {
				return unfit("it has two tracks of sound")
			}
			m.audio = s
		}
		if err != nil {
			return err
		}
	}
	if m.video == nil || m.audio == nil {
		return unfit("it lacks pictures or sound")
	}
	return nil
}

// readEntry reads the size and the colours of the pictures.
func (m *Inspected) readEntry(entries []byte) error {
	if len(entries) < 8 {
		return unfit("pictures of no kind")
	}
	video := box(entries[8:], "avc1")
	if len(video) < avc1Fields {
		return unfit("pictures that are no H.264")
	}
	m.width, m.height = int(binary.BigEndian.Uint16(video[24:])), int(binary.BigEndian.Uint16(video[26:]))
	m.parameters = box(video[avc1Fields:], "avcC")
	if colours := box(video[avc1Fields:], "colr"); len(colours) >= 10 && string(colours[:4]) == "nclx" {
		for i := range m.colours {
			m.colours[i] = binary.BigEndian.Uint16(colours[4+2*i:])
		}
	}
	return nil
}

// numbers reads the entries of a table. Each entry has a fixed count of 32-bit numbers; the first skip bytes are left out.
func numbers(table []byte, skip, each int) ([]uint32, error) {
	if len(table) < skip+4 {
		return nil, unfit("a table is missing")
	}
	count := uint64(binary.BigEndian.Uint32(table[skip:])) * uint64(each)
	if uint64(len(table)-skip-4) != 4*count {
		return nil, unfit("a table of %d numbers has %d bytes", count, len(table))
	}
	all := make([]uint32, count)
	for i := range all {
		all[i] = binary.BigEndian.Uint32(table[skip+4+4*i:])
	}
	return all, nil
}

// inspectTrack reads the tables of one track.
func inspectTrack(media, table, edit []byte) (*inspectedTrack, error) {
	head := box(media, "mdhd")
	if len(head) < 20 || head[0] != 0 {
		return nil, unfit("a track without time")
	}
	s := &inspectedTrack{scale: uint64(binary.BigEndian.Uint32(head[12:]))}
	if s.scale == 0 {
		return nil, unfit("a track without time")
	}
	if len(edit) >= 20 && edit[0] == 0 {
		s.begins = int64(int32(binary.BigEndian.Uint32(edit[12:])))
	}
	var err error
	if s.sizes, err = numbers(box(table, "stsz"), 8, 1); err != nil {
		return nil, err
	}
	if err := s.times(box(table, "stts"), box(table, "ctts")); err != nil {
		return nil, err
	}
	if keys := box(table, "stss"); keys != nil {
		if s.keys, err = numbers(keys, 4, 1); err != nil {
			return nil, err
		}
	}
	return s, s.places(table)
}

// times reads the decoding and display times of the samples.
func (s *inspectedTrack) times(decoded, shown []byte) error {
	lengths, err := numbers(decoded, 4, 2)
	if err != nil {
		return err
	}
	count := uint64(0)
	for i := 0; i < len(lengths); i += 2 {
		count += uint64(lengths[i])
		s.length += uint64(lengths[i]) * uint64(lengths[i+1])
	}
	if len(lengths) == 2 {
		s.even = uint64(lengths[1])
	}
	if count != uint64(len(s.sizes)) {
		return unfit("%d samples have times, of %d", count, len(s.sizes))
	}
	if shown == nil {
		return nil
	}
	shifts, err := numbers(shown, 4, 2)
	if err != nil {
		return err
	}
	for i := 0; i < len(shifts); i += 2 {
		if uint64(len(s.shifts))+uint64(shifts[i]) > count {
			break
		}
		s.shifts = append(s.shifts, slices.Repeat([]int64{int64(int32(shifts[i+1]))}, int(shifts[i]))...)
	}
	if len(s.shifts) != len(s.sizes) {
		return unfit("%d samples are shown, of %d", len(s.shifts), len(s.sizes))
	}
	return nil
}

// places reads the positions of the samples in the file.
func (s *inspectedTrack) places(table []byte) error {
	runs, err := numbers(box(table, "stsc"), 4, 3)
	if err != nil {
		return err
	}
	var offsets []uint64
	if short := box(table, "stco"); short != nil {
		all, err := numbers(short, 4, 1)
		if err != nil {
			return err
		}
		for _, n := range all {
			offsets = append(offsets, uint64(n))
		}
	} else {
		all, err := numbers(box(table, "co64"), 4, 1*2)
		if err != nil {
			return err
		}
		for i := 0; i < len(all); i += 2 {
			offsets = append(offsets, uint64(all[i])<<32|uint64(all[i+1]))
		}
	}
	next, run := 0, 0
	for i, offset := range offsets {
		for run+3 < len(runs) && runs[run+3] <= uint32(i)+1 {
			run += 3
		}
		if run >= len(runs) || runs[run] > uint32(i)+1 {
			return unfit("chunk %d has no samples", i)
		}
		c := extent{offset, offset}
		for range runs[run+1] {
			if next == len(s.sizes) {
				return unfit("more samples lie in chunks than there are")
			}
			c.to += uint64(s.sizes[next])
			next++
		}
		s.chunks = append(s.chunks, c)
	}
	if next != len(s.sizes) {
		return unfit("%d samples lie in chunks, of %d", next, len(s.sizes))
	}
	return nil
}

// boxes yields the boxes of a container one after the other, by type and content.
func boxes(data []byte) func(yield func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for len(data) >= 8 {
			size := int64(binary.BigEndian.Uint32(data))
			if size < 8 || size > int64(len(data)) || !yield(string(data[4:8]), data[8:size]) {
				return
			}
			data = data[size:]
		}
	}
}

// Facts returns the facts about the file that the webhook contains. Spec: Events, Payload fields.
func (m *Inspected) Facts() movie.File {
	name := func(n uint16) string {
		if n == 1 {
			return "bt709"
		}
		return "unknown"
	}
	return movie.File{
		Size: m.size, Codec: "h264", CodecType: "video", PixelFormat: "yuv420p", VideoStreams: 1, AudioStreams: 1,
		FrameRate:      float64(m.video.scale) * float64(len(m.video.sizes)) / float64(m.video.length),
		ColorPrimaries: name(m.colours[0]), ColorTransfer: name(m.colours[1]), ColorSpace: name(m.colours[2]),
	}
}
