package h264_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moviola/internal/h264"
)

// run runs a program with what it reads on its standard input; whatever it complains about fails the test.
func run(t testing.TB, in []byte, program string, args ...string) []byte {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%s: %v\n%s", program, err, complaints.String())
	}
	return out.Bytes()
}

// encode encodes raw pictures by x264 as the service uses it; the pictures with the indexes in keys become key frames.
func encode(t testing.TB, frames []byte, w, h, fps int, keys []int, more ...string) h264.Stream {
	t.Helper()
	expression := "eq(n,0)"
	for _, n := range keys {
		expression += fmt.Sprintf("+eq(n,%d)", n)
	}
	args := []string{
		"-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", fmt.Sprintf("%dx%d", w, h), "-framerate", strconv.Itoa(fps), "-i", "pipe:0",
		"-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-profile:v", "high", "-g", strconv.Itoa(4 * fps), "-flags", "+cgop", "-weightb", "0",
		"-force_key_frames", "expr:" + expression,
	}
	return split(t, run(t, frames, "ffmpeg", append(append(args, more...), "-f", "h264", "pipe:1")...))
}

// split takes a stream with start codes apart.
func split(t testing.TB, data []byte) h264.Stream {
	t.Helper()
	var s h264.Stream
	var before [][]byte
	for _, unit := range bytes.Split(data, []byte{0, 0, 1}) {
		unit = bytes.TrimRight(unit, "\x00")
		if len(unit) == 0 {
			continue
		}
		switch kind := unit[0] & 31; kind {
		case 7:
			s.Sequence = unit
		case 8:
			s.Pictures = [][]byte{unit}
		case 1, 5:
			if unit[1]&0x80 == 0 {
				t.Fatal("a picture of several slices")
			}
			s.Frames = append(s.Frames, h264.Frame{Units: append(before, unit), Key: kind == 5})
			before = nil
		default:
			before = append(before, unit)
		}
	}
	return s
}

// join puts a stream together, with its parameters before each key frame.
func join(s h264.Stream) []byte {
	var out []byte
	for _, f := range s.Frames {
		units := f.Units
		if f.Key {
			units = slices.Concat([][]byte{s.Sequence}, s.Pictures, units)
		}
		for _, unit := range units {
			out = append(append(out, 0, 0, 0, 1), unit...)
		}
	}
	return out
}

// decode decodes a stream with ffmpeg into a format; any complaint fails the test.
func decode(t testing.TB, stream []byte, format string) []byte {
	t.Helper()
	return run(t, stream, "ffmpeg", "-v", "warning", "-xerror", "-err_detect", "explode", "-probesize", "100M", // large pictures
		"-f", "h264", "-i", "pipe:0", "-fps_mode", "passthrough", "-f", format, "pipe:1")
}

// hashes decodes a stream; any complaint fails the test.
func hashes(t testing.TB, stream []byte) []string {
	t.Helper()
	out := decode(t, stream, "framemd5")
	var all []string
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.TrimSpace(line[strings.LastIndexByte(line, ',')+1:]))
		}
	}
	return all
}

// plan is a sequence of pictures with rests: the pictures that are encoded, and the holds that lengthen the rests.
type plan struct {
	frames []byte // the pictures that are encoded
	count  int
	keys   []int
	holds  []h264.Hold
	shown  int // number of pictures after the rests are lengthened
}

// painter draws pictures: a picture that moves, fades and rests.
type painter struct {
	*rand.Rand
	w, h  int
	grain []byte
	x, y  float64
}

func newPainter(r *rand.Rand, w, h int) *painter {
	p := &painter{Rand: r, w: w, h: h, grain: make([]byte, 4*w*h)}
	for i := range p.grain {
		p.grain[i] = byte(100 + (i%(2*w))*80/(2*w) + r.IntN(16) + i/(2*w)%23)
	}
	return p
}

// picture returns the current view of the grain with the brightness light, 0 to 1.
func (p *painter) picture(light float64) []byte {
	return p.appendPicture(make([]byte, 0, p.w*p.h*3/2), light)
}

// appendPicture appends the picture that the method picture returns to out.
func (p *painter) appendPicture(out []byte, light float64) []byte {
	x, y := int(p.x)%p.w, int(p.y)%p.h
	for row := range p.h {
		for _, v := range p.grain[(y+row)*2*p.w+x:][:p.w] {
			out = append(out, byte(16+light*float64(v-16)))
		}
	}
	for range p.w * p.h / 2 {
		out = append(out, byte(128+20*light))
	}
	return out
}

// add adds pictures of one plan: stretches that move, fade, cut and rest, of at most so many pictures. copies is how many pictures of a rest are encoded.
func (p *painter) add(to *plan, most, copies int) {
	to.keys = append(to.keys, to.count)
	put := func(light float64) {
		to.frames, to.count, to.shown = p.appendPicture(to.frames, light), to.count+1, to.shown+1
	}
	for left := 1 + p.IntN(most); left > 0; {
		n := min(left, 1+p.IntN(1+p.IntN(most)))
		left -= n
		switch p.IntN(4) {
		case 0: // moves
			dx, dy := p.Float64()*6, p.Float64()*4
			for range n {
				p.x, p.y = p.x+dx, p.y+dy
				put(1)
			}
		case 1: // fades
			for i := range n {
				put(float64(i+1) / float64(n))
			}
		case 2: // other pictures
			for range n {
				p.x, p.y = p.Float64()*1000, p.Float64()*1000
				put(1)
			}
		default:
			first := to.count
			p.x++
			for range min(n, copies) {
				put(1)
			}
			if n > copies {
				to.holds = append(to.holds, h264.Hold{First: first, Last: to.count - 1, More: n - copies})
				to.shown += n - copies
			}
		}
	}
}

// check holds what a lengthened stream shows against what the encoder has made: a rest shows one of its pictures.
func check(t testing.TB, before, after []string, out h264.Stream, p plan) {
	t.Helper()
	if len(after) != p.shown || len(before) != p.count {
		t.Fatalf("%d pictures of %d, %d before the rests of %d", len(after), p.shown, len(before), p.count)
	}
	at, holds := 0, p.holds
	for i := 0; i < p.count; {
		if len(holds) == 0 || holds[0].First != i {
			if after[at] != before[i] {
				t.Fatalf("picture %d is not picture %d of the encoder", at, i)
			}
			at, i = at+1, i+1
			continue
		}
		h := holds[0]
		// The rest follows one of its pictures.
		group := after[at : at+h.Last-h.First+1+h.More]
		ok := false
		for k := h.First; k <= h.Last; k++ {
			want := slices.Concat(before[h.First:k+1], slices.Repeat(before[k:k+1], h.More), before[k+1:h.Last+1])
			ok = ok || slices.Equal(group, want)
		}
		if !ok {
			t.Fatalf("the rest from picture %d on shows something else", at)
		}
		at, i, holds = at+len(group), h.Last+1, holds[1:]
	}
	checkOrder(t, out)
}

// checkOrder checks that every place is taken once, and that no picture is shown long before or after it is decoded.
func checkOrder(t testing.TB, s h264.Stream) {
	t.Helper()
	places := make([]bool, len(s.Frames))
	for i, f := range s.Frames {
		if f.Shown < i-2 || f.Shown > i+4 || places[f.Shown] {
			t.Fatalf("picture %d is shown at %d", i, f.Shown)
		}
		places[f.Shown] = true
	}
}

// needGStreamer fails the test if GStreamer, which runs another decoder, is not installed.
func needGStreamer(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("gst-launch-1.0"); err != nil {
		t.Fatal("GStreamer with openh264 is not installed: scripts/deps.sh test does that")
	}
}

// openh264 decodes with Cisco's decoder, through GStreamer, and returns the sums of the pictures.
func openh264(t testing.TB, stream []byte, w, h int) []string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.h264"), filepath.Join(dir, "out.yuv")
	write(t, in, stream)
	said, err := exec.CommandContext(t.Context(), "gst-launch-1.0", "-q", "filesrc", "location="+in, "!", "h264parse", "!", "openh264dec", "!",
		"video/x-raw,format=I420", "!", "filesink", "location="+out).CombinedOutput()
	if err != nil || len(bytes.TrimSpace(said)) > 0 {
		t.Fatalf("openh264: %v\n%s", err, said)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// GStreamer fills every row up to a multiple of four bytes.
	row := func(n int) int { return (n + 3) &^ 3 }
	luma := row(w) * h
	picture := make([]byte, luma+row(w/2)*h)
	var all []string
	for {
		if _, err := io.ReadFull(f, picture); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("openh264: picture %d: %v", len(all), err)
		}
		sum := md5.New()
		for y := range h {
			sum.Write(picture[y*row(w):][:w])
		}
		for y := range h {
			sum.Write(picture[luma+y*row(w/2):][:w/2])
		}
		all = append(all, hex.EncodeToString(sum.Sum(nil)))
	}
}
