package hostile_test

import (
	"bytes"
	"encoding/binary"
)

// atom is a box of an MP4 file.
func atom(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}

// u32 is numbers as MP4 writes them.
func u32(numbers ...uint32) []byte {
	var b []byte
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// rewrite changes the first box of a kind anywhere below the boxes that hold others. Files whose moov is at the end stay right, as
// nothing in front of it moves.
func rewrite(file []byte, kind string, change func(body []byte) []byte) []byte {
	containers := map[string]bool{"moov": true, "trak": true, "mdia": true, "minf": true, "dinf": true, "stbl": true, "edts": true}
	var out []byte
	done := false
	for len(file) >= 8 {
		size := int(binary.BigEndian.Uint32(file))
		if size < 8 || size > len(file) {
			break
		}
		name, body := string(file[4:8]), file[8:size]
		switch {
		case name == kind && !done:
			body, done = change(body), true
		case containers[name] && !done:
			inner := rewrite(body, kind, change)
			done = !bytes.Equal(inner, body)
			body = inner
		}
		out = append(out, atom(name, body)...)
		file = file[size:]
	}
	return append(out, file...)
}

// referenceMovie is QuickTime's own way to name another file.
func referenceMovie(address string) []byte {
	target := append([]byte(address), 0)
	rdrf := atom("rdrf", u32(0), []byte("url "), u32(uint32(len(target))), target)
	return append(atom("ftyp", []byte("qt  \x00\x00\x00\x00qt  ")), atom("moov", atom("rmra", atom("rmda", rdrf)))...)
}

// withDataReference has the samples of a film lie in another file.
func withDataReference(film []byte, kind string, target []byte) []byte {
	return rewrite(film, "dref", func([]byte) []byte { return append(u32(0, 1), atom(kind, u32(0), target)...) })
}

// alias is the body of a Macintosh alias to a path: a header of 150 bytes, then the path by its kind.
func alias(path string) []byte {
	head := make([]byte, 146)
	copy(head[10:], "\x03dir")
	binary.BigEndian.PutUint16(head[4:], uint16(150+4+len(path)))
	tail := binary.BigEndian.AppendUint16([]byte{0, 18}, uint16(len(path)))
	return append(append(head, tail...), append([]byte(path), 0xff, 0xff)...)
}

// withEdits gives the first track a list of edits: each so many ticks of the movie long, from a moment of the media on, at a rate.
func withEdits(film []byte, edits [][3]uint32) []byte {
	list := u32(0, uint32(len(edits)))
	for _, e := range edits {
		list = append(list, u32(e[0], e[1], e[2])...)
	}
	return rewrite(film, "elst", func([]byte) []byte { return list })
}

// withSegmentLink makes a Matroska file say that it goes on in another one.
func withSegmentLink(film []byte) []byte {
	info := bytes.Index(film, []byte{0x15, 0x49, 0xa9, 0x66}) // the segment's information
	if info < 0 {
		return film
	}
	// Its first element is overwritten by the name of the next file, padded to the same length.
	link := append([]byte{0x3e, 0x83, 0xbb, 0x88}, "canary.t"...)
	out := bytes.Clone(film)
	copy(out[info+12:], link)
	return out
}
