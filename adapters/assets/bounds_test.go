package assets_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"moviola/adapters/assets"
	"moviola/commands"
)

// atom is a box of an MP4 file.
func atom(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}

// edited is an MP4 with two tracks, whose lists of edits say that they are so long.
func edited(first, second uint32) []byte {
	track := func(n uint32) []byte {
		return atom("trak", atom("tkhd", make([]byte, 20)), atom("edts", atom("elst", binary.BigEndian.AppendUint32(make([]byte, 4), n))))
	}
	return append(atom("ftyp", []byte("isom\x00\x00\x00\x00isom")), atom("moov", atom("mvhd", make([]byte, 100)), track(first), track(second))...)
}

func TestCache_Fetch_edits(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{Duration: 1, Audio: &commands.AudioStream{}}, nil)
	const refused = " is cut together of more than 2000 pieces; save it anew"
	for path, f := range map[string]struct {
		content []byte
		want    string
	}{
		"/few": {edited(2, 3), ""}, "/most": {edited(1000, 1000), ""}, "/many": {edited(1000, 1001), refused}, "/more": {edited(0xffff_ffff, 1), refused},
		// What a decoder would not get to is not counted.
		"/damaged":  {append([]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x7f\xff\xff\xffmoov"), edited(5000, 1)...), ""},
		"/wide":     {append(append([]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00"), "\x00\x00\x00\x01moov\x00\x00\x00\x00\x00\x00\x00\x38"...), atom("trak", atom("edts", atom("elst", []byte("\x00\x00\x00\x00\x00\x00\x0f\xff"))), make([]byte, 8))...), refused},
		"/unending": {append([]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00"), "\x00\x00\x00\x00moov"...), ""},
	} {
		s.serve(path, f.content)
		_, err := s.fetch(path)
		if f.want == "" && err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if f.want != "" {
			s.requireError(err, "The file at 'HOST"+path+"'"+f.want)
		}
	}
}

func TestCache_Fetch_scans(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	open, end := bytes.CutSuffix(b.Bytes(), []byte("\xff\xd9"))
	if !end {
		t.Fatal("the picture does not end with its last marker")
	}
	scan := []byte("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\xff\x00\xff\xd0")
	film := bytes.Repeat([]byte("\xff\xda"), 500) // as phones append it to a picture
	profile := append([]byte("\xff\xe2\x03\xea"), film...)
	s.serve("/usual", slices.Concat(open, profile, bytes.Repeat(scan, 99), []byte("\xff\xff\xd9"), film))
	if _, err := s.fetch("/usual"); err != nil {
		t.Error(err)
	}
	s.serve("/cut", slices.Concat(open, scan, profile[:100]))
	if _, err := s.fetch("/cut"); err != nil {
		t.Error(err)
	}
	for path, before := range map[string]string{"/hostile": "", "/padded": "\xff\x01 \xff\xe0\x00\x02 "} {
		s.serve(path, slices.Concat(open, []byte(before), bytes.Repeat(scan, 100)))
		_, err := s.fetch(path)
		s.requireError(err, "The file at 'HOST"+path+"' draws its picture more than 100 times; save it anew")
	}
}

// A picture of 16 bits a channel that would take too much memory as a whole is read row by row. Of the forms that cannot be
// read so, it is refused or, with a converter, converted.
func TestCache_Fetch_depth(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	deep := image.NewNRGBA64(image.Rect(0, 0, 4, 4))
	deep.Set(0, 0, color.NRGBA64{A: 1})
	var b bytes.Buffer
	if err := png.Encode(&b, deep); err != nil {
		t.Fatal(err)
	}
	s.serve("/small.png", b.Bytes())
	if _, err := s.fetch("/small.png"); err != nil {
		t.Error(err)
	}
	large := pngHeader(6000, 5000)
	s.serve("/large.png", large)
	if _, err := s.fetch("/large.png"); err != nil {
		t.Error(err)
	}
	claim := b.Bytes()
	copy(claim[16:], large[16:24]) // the sides
	binary.BigEndian.PutUint32(claim[29:], crc32.ChecksumIEEE(claim[12:29]))
	s.serve("/cut.png", claim)
	_, err := s.fetch("/cut.png")
	s.requireError(err, "The image at 'HOST/cut.png' cannot be read: it is damaged or not complete")
	interlaced := bytes.Clone(claim)
	interlaced[28] = 1
	binary.BigEndian.PutUint32(interlaced[29:], crc32.ChecksumIEEE(interlaced[12:29]))
	s.serve("/woven.png", interlaced)
	_, err = s.fetch("/woven.png")
	s.requireError(err, "The image at 'HOST/woven.png' cannot be read: it is damaged or not complete")
	// A clear colour beside alpha is none of the forms that are read row by row.
	odd := []byte("\x00\x00\x00\x02tRNS\x00\x00")
	odd = binary.BigEndian.AppendUint32(odd, crc32.ChecksumIEEE(odd[4:]))
	claim = slices.Concat(claim[:33], odd, claim[33:])
	s.serve("/deep.png", claim)
	_, err = s.fetch("/deep.png")
	s.requireError(err, "The file at 'HOST/deep.png' has 16 bits a channel and too many pixels for them; save it with 8")
	pictures := &converter{reader: "png_pipe"}
	s = newSite(t, commands.Media{}, func(c *assets.Config) { c.Pictures = pictures })
	s.serve("/deep.png", claim)
	if got, err := s.fetch("/deep.png"); err != nil || !got.Converted || pictures.calls != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
