package caption_test

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/caption"
)

func TestStyle_WriteASS_IsReadBack(t *testing.T) {
	t.Parallel()
	tests := map[string]caption.Track{
		"from words": usual().FromWords(append(spoken("Hello", "there,", "-", "my", "{odd}", `back\slash`, `\N`, "friend."), spoken("-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "Bye")...)),
		"karaoke":    mustParse(t, golden),
		"chinese":    mustParse(t, "00:00 --> 00:02\n你好，世界。\n"),
		"repeated":   mustParse(t, "00:00 --> 00:01\nla la\n\n00:01 --> 00:02\nla la\n"),
	}
	for name, track := range tests {
		for _, look := range []caption.StyleName{caption.Classic, caption.Progressive, caption.OneWord, caption.BoxedLine, caption.BoxedWord} {
			s := usual()
			s.Name = look
			file := s.WriteASS(track, 1920, 1080)
			back := mustParse(t, string(file))
			if diff := cmp.Diff(rounded(track), rounded(back)); diff != "" {
				t.Errorf("%s, %s (-written +read):\n%s\n%s", name, look, diff, file)
			}
			if !back.WordTimed {
				t.Errorf("%s, %s: word times are lost", name, look)
			}
		}
	}
}

// rounded is a track as an ASS file can say it: in hundredths of a second.
func rounded(t caption.Track) []string {
	var all []string
	for _, c := range t.Cues {
		all = append(all, fmt.Sprintf("%v %v", c.Start.Round(ms(10)), c.End.Round(ms(10))))
		for _, l := range c.Lines {
			for _, w := range l {
				all = append(all, fmt.Sprintf("%v %v %s", w.Start.Round(ms(10)), w.End.Round(ms(10)), w.Text))
			}
			all = append(all, "/")
		}
	}
	return all
}

func TestStyle_WriteASS_Styles(t *testing.T) {
	t.Parallel()
	s, _ := mustStyle(t, `{"style":"boxed-word","font-family":"Oswald, Inter","font-weight":700,"font-size":100,"word-color":"#ff8000",
		"line-color":"#01020380","box-color":"#00f","outline-width":3,"shadow-offset":2,"position":"top-right"}`, 1920)
	file := string(s.WriteASS(mustParse(t, golden), 1920, 1080))
	for _, want := range []string{
		"PlayResX: 1920\nPlayResY: 1080\n",
		"Style: Line,Oswald,120,&H7F030201,&H7F030201,&H00000000,&H00000000,-1,0,0,0,100,100,0,0,1,3,2,9,96,96,54,1\n",
		"Style: Now,Oswald,120,&H000080FF,&H000080FF,&H00FF0000,&H00000000,-1,0,0,0,100,100,0,0,3,15,2,9,96,96,54,1\n",
		`Dialogue: 0,0:00:01.50,0:00:02.20,Line,,0,0,0,fx,Hello {\rNow}big{\rLine}\Nworld` + "\n",
	} {
		if !strings.Contains(file, want) {
			t.Errorf("%q is missing in\n%s", want, file)
		}
	}
	s.Position, s.X, s.Y = caption.Custom, 30, 40
	if file := string(s.WriteASS(mustParse(t, golden), 1920, 1080)); !strings.Contains(file, `fx,{\pos(30,40)}Hello`) {
		t.Errorf("no custom place in\n%s", file)
	}
}

// ffmpeg reads the file, and libass draws each style: the spoken word in its colour, the box behind it, nothing where nothing is
// to be seen.
func TestStyle_WriteASS_IsDrawnByFFmpeg(t *testing.T) {
	t.Parallel()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed, so nothing can draw the file")
	}
	tests := []struct {
		look          caption.StyleName
		yellow, blue  bool // of the word, of the box
		white         bool // of other words
		at            string
		anythingAtAll bool
	}{
		{caption.Classic, true, false, true, "1.7", true},
		{caption.Progressive, true, false, true, "1.7", true},
		{caption.OneWord, true, false, false, "1.7", true},
		{caption.BoxedLine, true, true, true, "1.7", true},
		{caption.BoxedWord, true, true, true, "1.7", true},
		{caption.BoxedWord, false, false, false, "3.5", false},
	}
	for _, tt := range tests {
		t.Run(string(tt.look)+" at "+tt.at, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := usual()
			s.Name, s.Box, s.Size = tt.look, caption.Color{B: 255, A: 255}, 60
			if err := os.WriteFile(filepath.Join(dir, "a.ass"), s.WriteASS(mustParse(t, golden), 640, 360), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), ffmpeg, "-v", "error", "-f", "lavfi", "-i", "color=gray:s=640x360:r=10:d=8",
				"-vf", "ass=a.ass", "-ss", tt.at, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "-")
			cmd.Dir = dir
			var out, complaints bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaints
			if err := cmd.Run(); err != nil {
				t.Fatalf("ffmpeg: %v: %s", err, complaints.String())
			}
			yellow, blue, white, other := countColors(t, out.Bytes())
			if (yellow > 50) != tt.yellow || (blue > 500) != tt.blue || (white > 100) != tt.white || (other > 0) != tt.anythingAtAll {
				t.Errorf("yellow %d, blue %d, white %d, not gray %d", yellow, blue, white, other)
			}
		})
	}
}

func countColors(t *testing.T, file []byte) (yellow, blue, white, other int) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("decode frame: %v", err)
	}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			r, g, b = r>>8, g>>8, b>>8
			switch {
			case r > 200 && g > 200 && b < 80:
				yellow++
			case r < 80 && g < 80 && b > 180:
				blue++
			case r > 230 && g > 230 && b > 230:
				white++
			}
			if max(r, g, b)-min(r, g, b) > 40 || r > 170 || r < 80 {
				other++
			}
		}
	}
	return yellow, blue, white, other
}
