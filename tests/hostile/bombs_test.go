package hostile_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"strings"
	"testing"

	"golang.org/x/image/tiff"
)

// chunk is a part of a PNG.
func chunk(kind string, body []byte) []byte {
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), kind...)
	out = append(out, body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// packed is so many zeros, which take next to no room.
func packed(zeros int) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
	_, _ = io.CopyN(z, zeroReader{}, int64(zeros))
	_ = z.Close()
	return b.Bytes()
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// pngBomb is a picture of any size that unpacks from next to nothing. It has four channels of depth bits each.
func pngBomb(w, h uint32, depth byte, extra ...[]byte) []byte {
	head := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h), depth, 6, 0, 0, 0)
	zeros := min(int(h), 20_000) * (1 + 4*int(depth/8)*int(min(w, 70_000)))
	parts := append([][]byte{[]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head)}, extra...)
	return bytes.Join(append(parts, chunk("IDAT", packed(min(zeros, 1<<30))), chunk("IEND", nil)), nil)
}

// scans is a progressive JPEG that draws nothing new over all of its picture again and again.
func scans(w, h, n int) []byte {
	segment := func(marker byte, body ...byte) []byte {
		return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
	}
	ones := bytes.Repeat([]byte{1}, 65)
	ones[0] = 0
	b := append([]byte{0xff, 0xd8}, segment(0xdb, ones...)...)
	b = append(b, segment(0xc2, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 1, 1, 0x11, 0)...)
	table := append(append([]byte{0x10, 1}, make([]byte, 15)...), 0xe0) // one code: a run of up to 32767 blocks without anything
	b = append(b, segment(0xc4, table...)...)
	scan := segment(0xda, 1, 1, 0x00, 1, 63, 0x00)
	for range (w/8*h/8 + 32766) / 32767 {
		scan = append(scan, 0x3f, 0xfe) // the code, and how long the run is
	}
	return append(append(b, bytes.Repeat(scan, n)...), 0xff, 0xd9)
}

// bombs are pictures that need far more than they weigh.
func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	tiny := func(f func(io.Writer, image.Image) error) []byte {
		var b bytes.Buffer
		if err := f(&b, image.NewNRGBA(image.Rect(0, 0, 8, 8))); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	jpg := tiny(func(w io.Writer, img image.Image) error { return jpeg.Encode(w, img, nil) })
	frame := bytes.Index(jpg, []byte{0xff, 0xc0})
	copy(jpg[frame+5:], "\xff\xff\xff\xff") // 65535 × 65535
	tif := tiny(func(w io.Writer, img image.Image) error { return tiff.Encode(w, img, nil) })
	for _, tag := range []string{"\x00\x01\x03\x00\x01\x00\x00\x00", "\x01\x01\x03\x00\x01\x00\x00\x00"} { // width and height
		if at := bytes.Index(tif, []byte(tag)); at >= 0 {
			copy(tif[at+8:], "\xff\xff")
		}
	}
	bitmap := append([]byte("BM"), make([]byte, 52)...)
	copy(bitmap[14:], "\x28\x00\x00\x00\xff\xff\xff\x7f\xff\xff\xff\x7f\x01\x00\x20\x00")
	bitmap[10] = 54
	gifFrame := []byte(",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x4c\x01\x00")
	return map[string][]byte{
		"large.png": pngBomb(16000, 16000, 8), "deep.png": pngBomb(8000, 8000, 16), "wide.png": pngBomb(4_000_000_000, 1, 8), "nothing.png": pngBomb(0, 0, 8),
		"large.jpg": jpg, "large.tiff": tif, "large.bmp": bitmap, "scans.jpg": scans(7000, 7000, 20_000),
		"large.gif":  []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02\x4c\x01\x00;"),
		"many.gif":   append([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"), bytes.Repeat(gifFrame, 100_000)...),
		"large.webp": []byte("RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff"),
		"lossy.webp": []byte("RIFF\x1a\x00\x00\x00WEBPVP8 \x0e\x00\x00\x00\x10\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f\x00\x00\x00\x00"),
	}
}

func TestMedia_bombs(t *testing.T) {
	t.Parallel()
	watchMemory(t)
	g := newGround(t)
	for name, content := range bombs(t) {
		g.requireRefused("bombs", name, content)
	}
	// What is large behind a small picture is not looked at.
	notes := [][]byte{chunk("iCCP", append([]byte("x\x00\x00"), packed(300<<20)...)), chunk("zTXt", append([]byte("x\x00\x00"), packed(300<<20)...))}
	if o := g.try("bombs", "image", "notes.png", pngBomb(16, 16, 8, notes...)); o.refused != "" {
		t.Errorf("a picture with large notes is refused: %s", o.refused)
	}
	// The largest pictures that are allowed render, and no more memory than that is used.
	for name, content := range map[string][]byte{"allowed.png": pngBomb(7000, 7000, 8), "thin.png": pngBomb(60_000, 1, 8)} {
		if o := g.try("bombs", "image", name, content); o.refused != "" {
			t.Errorf("%s is refused: %s", name, o.refused)
		}
	}
}

// films are videos and sounds that claim much, or are much of little. Those that render say so.
func (g *ground) films() (refused, rendered map[string][]byte) {
	streams := append([]string{}, "-f", "lavfi", "-i", "anullsrc=d=1")
	for range 300 {
		streams = append(streams, "-map", "0:a")
	}
	film := g.sample("film.mp4", append(pattern, "-c:v", "libx264", "-bf", "2")...)
	edits := func(n int, e [3]uint32) []byte {
		all := make([][3]uint32, n)
		for i := range all {
			all[i] = e
		}
		return withEdits(film, all)
	}
	black := func(source string) []string {
		return []string{"-f", "lavfi", "-i", "color=black:" + source, "-c:v", "libx264", "-preset", "ultrafast"}
	}
	refused = map[string][]byte{
		"edits.mp4":   edits(200_000, [3]uint32{1, 0, 0x10000}),
		"streams.mkv": g.sample("streams.mkv", append(streams, "-c:a", "pcm_s16le")...),
		"tracks.mp4":  tracks(10_000),
		"moov.mp4":    append([]byte("\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom"), "\xff\xff\xff\xffmoov"...),
		"deep.mp4":    append([]byte("\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom"), nested(10_000)...),
		"huge.mp4":    rewrite(film, "stsz", func([]byte) []byte { return u32(0, 0xffff_fff0, 0xffff_fff0) }),
		"channels.wav": append([]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\xff\xff\x00\xb8\x0b\x00\xff\xff\xff\x7f\xff\xff\x10\x00data"),
			"\xff\xff\xff\x7f"...),
	}
	rendered = map[string][]byte{
		"day.mp4":    g.sample("day.mp4", black("s=16x16:r=1/60:d=86400")...),
		"weeks.wmv":  g.sample("weeks.wmv", append(pattern, "-c:v", "wmv2", "-bsf:v", "setts=ts='if(gte(N,3),TS+4e9,TS)'")...), // between two frames
		"fast.mp4":   g.sample("fast.mp4", black("s=16x16:r=1000:d=2")...),
		"thin.mkv":   g.sample("thin.mkv", "-f", "lavfi", "-i", "color=black:s=16000x2:r=5:d=1", "-c:v", "ffv1"),
		"back.mp4":   edits(3, [3]uint32{1000, 0xffff_fff0, 0x10000}),
		"long.mp4":   edits(1, [3]uint32{0xffff_ffff, 0, 0x10000}),
		"still.mp4":  edits(2, [3]uint32{1000, 0, 0}),
		"ends.mp4":   rewrite(film, "mvhd", func(b []byte) []byte { return append(append(bytes.Clone(b[:16]), 0xff, 0xff, 0xff, 0xff), b[20:]...) }),
		"pieces.mp4": g.sample("pieces.mp4", append(black("s=16x16:r=100:d=60"), "-g", "1", "-movflags", "frag_keyframe+empty_moov")...),
		"channels.mkv": g.sample("channels.mkv", append(append(copied(pattern), tone...), "-filter_complex", "[1:a]pan=hexadecagonal"+channelMap(16)+"[a]",
			"-map", "0:v", "-map", "[a]", "-c:v", "libx264", "-c:a", "pcm_s16le")...),
		"rate.mkv":      g.sample("rate.mkv", append(append(copied(pattern), "-f", "lavfi", "-i", "sine=d=1:r=768000"), "-c:v", "libx264", "-c:a", "pcm_s16le", "-ar", "768000")...),
		"captioned.mkv": g.captioned(),
	}
	return refused, rendered
}

// changing is a video that goes on in another size.
func (g *ground) changing(name string, sizes ...string) []byte {
	list := "ffconcat version 1.0\n"
	for i, size := range sizes {
		part := fmt.Sprintf("%d-%s", i, name)
		g.sample(part, "-f", "lavfi", "-i", "color=black:s="+size+":r=5:d=0.4", "-c:v", "libvpx", "-deadline", "realtime")
		list += "file " + part + "\n"
	}
	return g.sample(name, "-f", "concat", "-i", g.path(name+".txt", []byte(list)), "-c", "copy")
}

// copied is a copy of arguments that may be appended to.
func copied(args []string) []string { return append([]string(nil), args...) }

func channelMap(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "|c%d=c0", i)
	}
	return b.String()
}

// tracks is an MP4 of many empty tracks.
func tracks(n int) []byte {
	trak := atom("trak", atom("tkhd", make([]byte, 84)), atom("mdia", atom("mdhd", make([]byte, 24)), atom("hdlr", u32(0, 0), []byte("soun"), make([]byte, 13)),
		atom("minf", atom("stbl", atom("stsd", u32(0, 1), atom("mp4a", make([]byte, 28))), atom("stts", u32(0, 0)), atom("stsc", u32(0, 0)), atom("stsz", u32(0, 0, 0)), atom("stco", u32(0, 0))))))
	return append(atom("ftyp", []byte("isom\x00\x00\x00\x00isom")), atom("moov", atom("mvhd", make([]byte, 100)), bytes.Repeat(trak, n))...)
}

// nested are boxes in boxes.
func nested(depth int) []byte {
	var b []byte
	for i := range depth {
		b = append(b, u32(uint32(8*(depth-i)))...)
		b = append(b, []string{"moov", "trak", "mdia", "minf"}[min(i, 3)]...)
	}
	return b
}

// captioned is a film with captions, a font and a file attached to it.
func (g *ground) captioned() []byte {
	ass := g.path("in.ass", []byte("[Script Info]\n[V4+ Styles]\nFormat: Name,Fontname\nStyle: Default,Canary\n[Events]\nFormat: Layer,Start,End,Style,Text\n"+
		"Dialogue: 0,0:00:00.00,0:00:01.00,Default,"+strings.Repeat(`{\p1}m 0 0 l 100 0 100 100{\p0}`, 2000)+"\n"))
	font := g.path("font.ttf", append([]byte("\x00\x01\x00\x00\xff\xff"), make([]byte, 4000)...))
	args := append(copied(pattern), "-i", ass, "-attach", font, "-metadata:s:t", "mimetype=application/x-truetype-font", "-map", "0:v")
	for range 40 {
		args = append(args, "-map", "1:s")
	}
	return g.sample("captioned.mkv", append(args, "-c:v", "libx264", "-c:s", "ass")...)
}

func TestMedia_films(t *testing.T) {
	t.Parallel()
	watchMemory(t)
	g := newGround(t)
	refused, rendered := g.films()
	for name, content := range refused {
		for _, kind := range []string{"video", "audio"} {
			if o := g.try("films", kind, name, content); o.refused == "" {
				t.Errorf("%s renders as %s", name, kind)
			}
		}
	}
	// Streams that change their size render, or not.
	for _, sizes := range [][]string{{"16x16", "4096x2160"}, {"4096x2160", "16x16"}} {
		name := strings.Join(sizes, "-")
		g.try("films", "video", name+".webm", g.changing(name+".webm", sizes...))
		var joined []byte
		for _, size := range sizes {
			joined = append(joined, g.sample("part.ts", "-f", "lavfi", "-i", "color=black:s="+size+":r=5:d=0.4", "-c:v", "libx264", "-preset", "ultrafast", "-f", "mpegts")...)
		}
		g.try("films", "video", name+".ts", joined)
	}
	for name, content := range rendered {
		if o := g.try("films", "video", name, content); o.refused != "" {
			t.Errorf("%s is refused: %s", name, o.refused)
		}
	}
}
