package render_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain/caption"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// squares draws every page as a yellow square of 40 pixels, which moves by 8 pixels a frame.
type squares struct {
	stills, films atomic.Int64
	mu            sync.Mutex
	nows          []time.Time // that pages were given
}

func (s *squares) clocks() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nows
}

func (s *squares) seen(p timeline.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nows = append(s.nows, p.Now)
}

func square(w, h, x int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, image.Rect(x, 20, x+40, 60), image.NewUniform(color.NRGBA{255, 200, 0, 255}), image.Point{}, draw.Src)
	return img
}

func (s *squares) Still(_ context.Context, p timeline.Page, w, h int) (*image.NRGBA, error) {
	s.seen(p)
	s.stills.Add(1)
	return square(w, h, 0), nil
}

func (s *squares) Frames(_ context.Context, p timeline.Page, w, h int, _ timeline.Rate, n int64, yield func(int64, *image.NRGBA) error) error {
	s.seen(p)
	s.films.Add(1)
	for i := range n {
		if err := yield(i, square(w, h, int(i)*8)); err != nil {
			return err
		}
	}
	return nil
}

func (s *squares) Drawing(_ context.Context, _ []byte, v timeline.DrawingView) (*image.NRGBA, error) {
	return square(v.W, v.H, 0), nil
}

// reader says every text as the sound file at path, of 2 seconds, a word each 250 ms.
type reader struct{ path string }

func (r reader) Speak(_ context.Context, request commands.SpeechRequest) (commands.Speech, error) {
	raw, err := os.ReadFile(r.path)
	if err != nil {
		return commands.Speech{}, err
	}
	said := commands.Speech{Path: r.path, Hash: fmt.Sprintf("%x", sha256.Sum256(raw)), Duration: 2 * time.Second, Warnings: []string{"said by a machine"}}
	for i, word := range strings.Fields(request.Text) {
		at := time.Duration(i) * 250 * time.Millisecond
		said.Words = append(said.Words, caption.Word{Text: word, Start: at, End: at + 250*time.Millisecond})
	}
	return said, nil
}

// ear hears the same two words in everything.
type ear struct{ heard atomic.Int64 }

func (e *ear) Transcribe(_ context.Context, request commands.TranscriptionRequest) ([]caption.Word, error) {
	e.heard.Add(1)
	if _, err := os.Stat(request.Path); err != nil {
		return nil, err
	}
	return []caption.Word{{Text: "Hello", Start: 0, End: time.Second}, {Text: "there", Start: time.Second, End: 2 * time.Second}}, nil
}

// realText is the text engine, which takes a while to find the fonts.
var realText = sync.OnceValues(func() (*text.Engine, error) {
	dir, err := os.MkdirTemp("", "moviola-fonts-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return text.NewEngine(dir, quiet())
})

// stage is a bench with everything that content can be made with.
type stage struct {
	*bench
	pages *squares
	ear   *ear
}

func newStage(t *testing.T) *stage {
	t.Helper()
	heard := &ear{}
	s := newStageWith(t, heard)
	s.ear = heard
	return s
}

// newStageWith is a stage on which somebody else listens.
func newStageWith(t *testing.T, words render.Transcriber) *stage {
	t.Helper()
	s := &stage{bench: newBench(t), pages: &squares{}}
	s.generate("voice.wav", "-f", "lavfi", "-i", "sine=f=300:d=2,volume=0.8*lt(t\\,1):eval=frame")
	drawer, err := realText()
	if err != nil {
		t.Fatalf("the tests need fonts: %v", err)
	}
	s.Engine, err = render.New(render.Config{
		Dir: s.dir, Tools: s.media.tools, Fetcher: s.media, Text: drawer, Cores: 2, HeldPictures: true, Log: quiet(), Pages: s.pages,
		Speaker: reader{filepath.Join(s.media.dir, "voice.wav")}, Words: words,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// movieOf is a dark movie of 320 × 180 at 10 frames a second.
func movieOf(duration float64, elements ...object) object {
	return object{"width": 320, "height": 180, "fps": 10, "quality": "high", "scenes": []object{
		{"duration": duration, "background-color": "#102030", "elements": elements},
	}}
}
