// Package studio is the render engine on its real parts (downloads, ffmpeg in its jail, fonts) beside a web server that hands out
// media, for tests that look at the movies.
package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/assets"
	"moviola/adapters/browser"
	"moviola/adapters/render"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/commands"
	"moviola/domain"
	"moviola/internal/drawing/text"
	"moviola/internal/jail/jailtest"
)

// Object and List are parts of a movie's JSON.
type (
	Object = map[string]any
	List   = []any
)

// Studio renders movies of media that it serves itself.
type Studio struct {
	*rooms
	t testing.TB
}

// rooms are what a studio and its visitors share.
type rooms struct {
	Dir    string // a folder of the test
	URL    string // address of the server; media are at URL/name
	Engine *render.Engine

	mu     sync.Mutex
	media  map[string]http.HandlerFunc
	movies atomic.Int64
}

// For is the same studio, whose failures are those of a part of the test.
func (s *Studio) For(t testing.TB) *Studio { return &Studio{s.rooms, t} }

// Parts are what a studio is made of, for tests that change them before it opens.
type Parts struct {
	Assets assets.Config
	Render render.Config // without the Fetcher, which New sets
}

// New opens a studio. It ends with the test.
func New(t testing.TB, change ...func(*Parts)) *Studio {
	t.Helper()
	s := &Studio{&rooms{Dir: t.TempDir(), media: map[string]http.HandlerFunc{}}, t}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	log := logrus.New()
	log.SetLevel(logrus.PanicLevel)

	tools := ffmpegtest.Tools(t)
	words, err := fonts()
	if err != nil {
		t.Fatalf("the tests need fonts: %v", err)
	}
	parts := Parts{
		Assets: assets.Config{Client: server.Client(), Dir: filepath.Join(s.Dir, "assets"), Prober: tools, Pictures: tools, Log: log},
		Render: render.Config{Dir: filepath.Join(s.Dir, "render"), Tools: tools, Text: words, Cores: 2, HeldPictures: true, Log: log},
	}
	for _, f := range change {
		f(&parts)
	}
	if parts.Render.Fetcher, err = assets.New(parts.Assets); err != nil {
		t.Fatal(err)
	}
	if s.Engine, err = render.New(parts.Render); err != nil {
		t.Fatal(err)
	}
	return s
}

// WithPages lets a studio draw html elements, which may reach whatever they ask for.
func WithPages(t testing.TB) func(*Parts) {
	t.Helper()
	return func(p *Parts) {
		pool, err := browser.New(browser.Config{
			Dial: (&net.Dialer{}).DialContext, Jail: jailtest.New(t), Limit: patience, Log: p.Render.Log,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := pool.Close(ctx); err != nil {
				t.Error(err)
			}
		})
		p.Render.Pages = browser.Elements{Pool: pool}
	}
}

// WithFineEncoding lets a studio encode movies almost without loss.
func WithFineEncoding(t testing.TB) func(*Parts) {
	t.Helper()
	return func(p *Parts) {
		tools := ffmpegtest.Fine(t)
		p.Assets.Prober, p.Assets.Pictures, p.Render.Tools = tools, tools, tools
	}
}

// patience is what a render, or a page of one, may take on a busy machine.
const patience = 5 * time.Minute

// fonts is the text engine, which takes a while to find the fonts.
var fonts = sync.OnceValues(func() (*text.Engine, error) {
	dir, err := os.MkdirTemp("", "moviola-fonts-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	log := logrus.New()
	log.SetLevel(logrus.PanicLevel)
	return text.NewEngine(dir, log)
})

func (s *rooms) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer, ok := s.media[strings.TrimPrefix(r.URL.Path, "/")]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	answer(w, r)
}

// Serve hands out a file under a name, and returns its address.
func (s *rooms) Serve(name string, content []byte) string {
	return s.Answer(name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
}

// Answer has requests for a name answered by a handler, and returns its address.
func (s *rooms) Answer(name string, handler http.HandlerFunc) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.media[name] = handler
	return s.URL + "/" + name
}

// Generate makes a file with ffmpeg, serves it under its name and returns it.
func (s *Studio) Generate(name string, args ...string) []byte {
	s.t.Helper()
	path := filepath.Join(s.Dir, name)
	Run(s.t, append(append([]string{"-y"}, args...), path)...)
	raw, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Serve(name, raw)
	return raw
}

// Run runs ffmpeg, outside of any jail, and returns what it writes to its output.
func Run(t testing.TB, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "ffmpeg", append([]string{"-v", "error", "-nostdin"}, args...)...)
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("ffmpeg %q: %v\n%s", args, err, said.String())
	}
	return out
}

// Render renders a movie, as one that was never seen before, within a limit.
func (s *Studio) Render(doc Object, limit time.Duration) (commands.Rendered, error) {
	s.t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	project := domain.ProjectID(fmt.Sprintf("movie%011d", s.movies.Add(1)))
	return s.Engine.Render(ctx, commands.RenderJob{Account: "a", Project: project, Attempt: 1, Document: raw})
}

// MustRender renders a movie that has to be fine, and removes it at the end of the test.
func (s *Studio) MustRender(doc Object) commands.Rendered {
	s.t.Helper()
	out, err := s.Render(doc, 10*time.Minute) // ends a render that hangs
	if err != nil {
		s.t.Fatalf("render: %v", err)
	}
	s.t.Cleanup(out.Close)
	return out
}
