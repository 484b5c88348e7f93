package images_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image/color"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/images"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

func TestGenerate(t *testing.T) {
	t.Parallel()
	p := newProvider(t, numbered(t))
	g := p.generator(t, nil)
	made := mustGenerate(t, g, commands.ImageRequest{
		Account: "a", Prompt: "a cat", Aspect: document.Vertical, Settings: map[string]any{"quality": "low", "n": json.Number("9"), "model": "dear"},
	})
	got := <-p.requests
	want := received{path: "/v1/images/generations", key: "Bearer " + secret, body: map[string]any{
		"model": "gpt-image-1", "prompt": "a cat", "n": 1.0, "size": "1024x1536", "quality": "low",
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(received{})); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(timeline.Facts{Width: 30, Height: 20}, made.Asset.Facts); diff != "" || made.Asset.Format != "png" {
		t.Errorf("format %s, facts (-want +got):\n%s", made.Asset.Format, diff)
	}
	raw, err := os.ReadFile(made.Asset.Path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(picture(t, 30, 20, color.Gray{}), raw); diff != "" || len(made.Warnings) != 0 {
		t.Errorf("warnings %q, file differs: %v", made.Warnings, diff != "")
	}
}

func TestGenerate_sizes(t *testing.T) {
	t.Parallel()
	tests := []struct{ model, aspect, size string }{
		{"gpt-image-1-mini", document.Horizontal, "1536x1024"},
		{"gpt-image-1", document.Squared, "1024x1024"},
		{"dall-e-3", document.Horizontal, "1792x1024"},
		{"dall-e-3", document.Vertical, "1024x1792"},
		{"dall-e-2", document.Horizontal, "1024x1024"},
		{"flux-schnell", document.Horizontal, "1344x768"},
		{"flux-schnell", document.Vertical, "768x1344"},
		{"flux-schnell", document.Squared, "1024x1024"},
	}
	for _, tt := range tests {
		t.Run(tt.model+" "+tt.aspect, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, numbered(t))
			g := p.generator(t, func(c *images.Config) { c.Endpoint.Model = tt.model })
			mustGenerate(t, g, commands.ImageRequest{Prompt: "x", Aspect: tt.aspect})
			if got := (<-p.requests).body; got["size"] != tt.size || (got["response_format"] == nil) != strings.HasPrefix(tt.model, "gpt-") {
				t.Errorf("asked for %v", got)
			}
			mustGenerate(t, g, commands.ImageRequest{Prompt: "x", Aspect: tt.aspect, Settings: map[string]any{"size": "512x256"}})
			if got := (<-p.requests).body; got["size"] != "512x256" {
				t.Errorf("asked for %v, with a size of its own", got)
			}
		})
	}
}

// TestGenerate_cache: the same is made once per account, other things are made for themselves, and a fresh one once per movie.
func TestGenerate_cache(t *testing.T) {
	t.Parallel()
	p := newProvider(t, numbered(t))
	g := p.generator(t, nil)
	plain := commands.ImageRequest{Account: "a", Prompt: "a cat", Aspect: document.Horizontal}
	change := func(f func(*commands.ImageRequest)) commands.ImageRequest {
		r := plain
		f(&r)
		return r
	}
	steps := []struct {
		name    string
		request commands.ImageRequest
		made    int // pictures made up to now
	}{
		{"first", plain, 1},
		{"again", plain, 1},
		{"other account", change(func(r *commands.ImageRequest) { r.Account = "b" }), 2},
		{"other prompt", change(func(r *commands.ImageRequest) { r.Prompt = "a dog" }), 3},
		{"other shape", change(func(r *commands.ImageRequest) { r.Aspect = document.Squared }), 4},
		{"other settings", change(func(r *commands.ImageRequest) { r.Settings = map[string]any{"seed": 1} }), 5},
		{"fresh", change(func(r *commands.ImageRequest) { r.Fresh = "movie1" }), 6},
		{"second attempt", change(func(r *commands.ImageRequest) { r.Fresh = "movie1" }), 6},
		{"fresh for another", change(func(r *commands.ImageRequest) { r.Fresh = "movie2" }), 7},
		{"first, still", plain, 7},
	}
	for _, step := range steps {
		before := len(p.requests)
		got := mustGenerate(t, g, step.request)
		if len(p.requests) != step.made {
			t.Fatalf("%s: %d pictures made, want %d", step.name, len(p.requests), step.made)
		}
		if got.Cached != (step.made == before) {
			t.Errorf("%s: it is said that it comes from the cache: %v", step.name, got.Cached)
		}
	}
}

// A picture in the account's folder that was damaged is made again.
func TestGenerate_damagedShelf(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { inside(w, picture(t, 8, 8, color.White)) })
	g := p.generator(t, nil)
	made := mustGenerate(t, g, commands.ImageRequest{Prompt: "x"})
	if err := os.WriteFile(made.Asset.Path, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := mustGenerate(t, g, commands.ImageRequest{Prompt: "x"})
	if raw, err := os.ReadFile(again.Asset.Path); err != nil || len(p.requests) != 2 || string(raw) == "no picture" {
		t.Errorf("%d made, %v", len(p.requests), err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(again.Asset.Path), ".new-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("unfinished files %q, %v", left, err)
	}
}

// TestGenerate_together: callers that want the same at once share one request, and one that gives up does not spoil it.
func TestGenerate_together(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	p := newProvider(t, func(_ int, w http.ResponseWriter) {
		<-open
		inside(w, picture(t, 8, 8, color.White))
	})
	g := p.generator(t, nil)
	ctx, giveUp := context.WithCancelCause(t.Context())
	impatient := make(chan error, 1)
	go func() {
		_, err := g.Generate(ctx, commands.ImageRequest{Prompt: "x"})
		impatient <- err
	}()
	<-p.requests // it is being made
	enough := errors.New("enough")
	giveUp(enough)
	if err := <-impatient; !errors.Is(err, enough) {
		t.Errorf("who gave up got %v", err)
	}
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			if _, err := g.Generate(t.Context(), commands.ImageRequest{Prompt: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	close(open)
	group.Wait()
	if n := len(p.requests); n != 0 {
		t.Errorf("%d more requests", n)
	}
}

// TestGenerate_slowEndpoint: however many pictures an account has an endpoint of its own make slowly, others are served.
func TestGenerate_slowEndpoint(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	slow := newProvider(t, func(_ int, w http.ResponseWriter) {
		<-open
		inside(w, picture(t, 8, 8, color.White))
	})
	p := newProvider(t, numbered(t))
	g := p.generator(t, func(c *images.Config) {
		c.Slots = 2
		c.Saved = func(context.Context, domain.AccountID, string) (images.Endpoint, error) {
			return images.Endpoint{URL: slow.URL}, nil
		}
	})
	var group sync.WaitGroup
	for i := range 3 {
		group.Go(func() {
			request := commands.ImageRequest{Account: "slow", Connection: "own", Prompt: fmt.Sprint(i)}
			if _, err := g.Generate(t.Context(), request); err != nil {
				t.Error(err)
			}
		})
	}
	<-slow.requests
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second) // only a failure takes that long
	defer stop()
	if _, err := g.Generate(ctx, commands.ImageRequest{Account: "other", Prompt: "x"}); err != nil {
		t.Error(err)
	}
	close(open)
	group.Wait()
}

func TestGenerate_connection(t *testing.T) {
	t.Parallel()
	p := newProvider(t, numbered(t))
	g := p.generator(t, func(c *images.Config) {
		c.Endpoint = images.Endpoint{}
		c.Saved = func(_ context.Context, account domain.AccountID, id string) (images.Endpoint, error) {
			if account != "a" || id != "mine" {
				return images.Endpoint{}, domain.Errorf(domain.NotFound, "connection_not_found", "Connection %s not found", id)
			}
			return images.Endpoint{URL: p.URL + "/custom/v3/", Key: "own"}, nil
		}
	})
	made := mustGenerate(t, g, commands.ImageRequest{Account: "a", Prompt: "x", Model: "flux-pro", Connection: "mine"})
	got := <-p.requests
	if got.path != "/custom/v3/images/generations" || got.key != "Bearer own" || got.body["model"] != "flux-pro" || len(made.Warnings) != 0 {
		t.Errorf("asked %s as %s with %v; warnings %q", got.path, got.key, got.body, made.Warnings)
	}
	_, err := g.Generate(t.Context(), commands.ImageRequest{Account: "a", Prompt: "x", Connection: "other"})
	requireFault(t, err, "Connection other not found")
	_, err = g.Generate(t.Context(), commands.ImageRequest{Account: "a", Prompt: "x"})
	requireFault(t, err, "need an image provider, and none is configured")
	_, err = p.generator(t, nil).Generate(t.Context(), commands.ImageRequest{Prompt: "x", Connection: "mine"})
	requireFault(t, err, "The connection 'mine' does not exist")
}

// The server's provider makes pictures with the operator's model, who pays for it.
func TestGenerate_modelOfMovie(t *testing.T) {
	t.Parallel()
	p := newProvider(t, numbered(t))
	made := mustGenerate(t, p.generator(t, nil), commands.ImageRequest{Prompt: "x", Model: "flux-pro"})
	want := []string{"The image model 'flux-pro' is not available, the provider's model 'gpt-image-1' is used"}
	if diff := cmp.Diff(want, made.Warnings); diff != "" || (<-p.requests).body["model"] != "gpt-image-1" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestGenerate_answers(t *testing.T) {
	t.Parallel()
	good := picture(t, 8, 8, color.White)
	b64 := base64.StdEncoding.EncodeToString(good)
	jpegHead := "\xff\xd8\xff\xe0\x00\x10JFIF"
	tests := []struct {
		name   string
		status int
		body   string
		fault  string // empty: a picture
		asked  int
	}{
		{"data in the address", 200, `{"data":[{"url":"data:image/png;base64,` + b64 + `"}]}`, "", 1},
		{"data with its kind", 200, `{"data":[{"b64_json":"data:image/png;base64,` + b64 + `"}]}`, "", 1},
		{"at an address", 200, `{"data":[{"url":"URL/made.png"}]}`, "", 2},
		{"at no address", 200, `{"data":[{"url":"/etc/passwd"}]}`, "answered without an image", 1},
		{"gone", 200, `{"data":[{"url":"URL/gone.png"}]}`, "made an image that cannot be downloaded (404)", 2},
		{"no data", 200, `{"data":[]}`, "answered without an image; check its address and model", 1},
		{"no JSON", 200, `<html>`, "answered without an image", 1},
		{"no base64", 200, `{"data":[{"b64_json":"%%%"}]}`, "something that is no image", 1},
		{"no picture", 200, `{"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString([]byte("#EXTM3U\nfile:///etc/passwd")) + `"}]}`, "neither PNG, JPEG nor WebP", 1},
		{"no known picture", 200, `{"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")) + `"}]}`, "neither PNG, JPEG nor WebP", 1},
		{"damaged", 200, `{"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString(good[:len(good)-20]) + `"}]}`, "damaged or not complete", 1},
		{"head only", 200, `{"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString([]byte(jpegHead)) + `"}]}`, "neither PNG, JPEG nor WebP", 1},
		{"refused", 400, `{"error":{"message":"safety, key ` + secret + `"}}`, "refused the request with status 400; change the prompt", 1},
		{"wrong key", 401, ``, "refused its key", 1},
		{"overloaded", 503, ``, "cannot be reached or is overloaded; try again later", 3},
		{"too often", 429, ``, "cannot be reached or is overloaded", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p *provider
			p = newProvider(t, func(try int, w http.ResponseWriter) {
				switch {
				case try == 0 || tt.fault != "" && tt.asked == 3:
					w.WriteHeader(tt.status)
					_, _ = fmt.Fprint(w, strings.ReplaceAll(tt.body, "URL", p.URL))
				case tt.fault == "":
					_, _ = w.Write(good)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			})
			made, err := p.generator(t, nil).Generate(t.Context(), commands.ImageRequest{Prompt: "x"})
			if tt.fault != "" {
				requireFault(t, err, tt.fault)
			} else if err != nil || made.Asset.Facts.Width != 8 {
				t.Errorf("got %+v, %v", made, err)
			}
			if n := len(p.requests); n != tt.asked {
				t.Errorf("asked %d times, want %d", n, tt.asked)
			}
			<-p.requests
			if tt.asked == 2 && (<-p.requests).key != "" {
				t.Error("the key went to the picture's address")
			}
		})
	}
}

// A failure that passes is no failure.
func TestGenerate_passing(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(try int, w http.ResponseWriter) {
		if try < 2 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		inside(w, picture(t, 8, 8, color.White))
	})
	mustGenerate(t, p.generator(t, nil), commands.ImageRequest{Prompt: "x"})
	if len(p.requests) != 3 {
		t.Errorf("asked %d times", len(p.requests))
	}
}

// TestGenerate_paidOnce: a picture that was made is not made and paid for again because its download failed.
func TestGenerate_paidOnce(t *testing.T) {
	t.Parallel()
	var p *provider
	p = newProvider(t, func(try int, w http.ResponseWriter) {
		switch try {
		case 0:
			_, _ = fmt.Fprintf(w, `{"data":[{"url":"%s/made.png"}]}`, p.URL)
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			_, _ = w.Write(picture(t, 8, 8, color.White))
		}
	})
	mustGenerate(t, p.generator(t, nil), commands.ImageRequest{Prompt: "x"})
	var asked []string
	for range len(p.requests) {
		asked = append(asked, (<-p.requests).path)
	}
	if want := []string{"/v1/images/generations", "/made.png", "/made.png", "/made.png"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v", asked)
	}
	p = newProvider(t, func(try int, w http.ResponseWriter) {
		if try > 0 {
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, `{"data":[{"url":"%s/made.png"}]}`, p.URL)
	})
	_, err := p.generator(t, nil).Generate(t.Context(), commands.ImageRequest{Prompt: "x"})
	requireFault(t, err, "made an image that cannot be downloaded; try again later")
}

// refusing is a transport that refuses each request, as the guard does for an address inside of the service's network.
type refusing struct{ asked *atomic.Int64 }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.asked.Add(1)
	return nil, refusedByGuard{}
}

type refusedByGuard struct{}

func (refusedByGuard) Error() string  { return "http://10.0.0.1:9 refused" }
func (refusedByGuard) Refused() bool  { return true }
func (refusedByGuard) Reason() string { return "the host is not a public address" }

// TestGenerate_guard: an address that may not be called is said to be so at once, not tried again and called overloaded.
func TestGenerate_guard(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	g := newProvider(t, numbered(t)).generator(t, func(cfg *images.Config) {
		cfg.Client, cfg.Endpoint.URL = &http.Client{Transport: refusing{&asked}}, "http://10.0.0.1:9/v1"
	})
	_, err := g.Generate(t.Context(), commands.ImageRequest{Prompt: "a lighthouse"})
	requireFault(t, err, "10.0.0.1:9 is not called for an image: the host is not a public address; change the address of the image provider")
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestGenerate_refusedRequests(t *testing.T) {
	t.Parallel()
	p := newProvider(t, numbered(t))
	g := p.generator(t, nil)
	for _, tt := range []struct {
		request commands.ImageRequest
		fault   string
	}{
		{commands.ImageRequest{Prompt: " "}, "must have 1 to 8000 characters"},
		{commands.ImageRequest{Prompt: strings.Repeat("é", 8001)}, "this one has 8001"},
		{commands.ImageRequest{Prompt: "x", Settings: map[string]any{"size": "99999x1"}}, "must have the form '1024x1024'"},
		{commands.ImageRequest{Prompt: "x", Settings: map[string]any{"size": json.Number("5")}}, "must have the form '1024x1024'"},
		{commands.ImageRequest{Prompt: "x", Settings: map[string]any{"junk": strings.Repeat("x", 5000)}}, "at most 4096 bytes"},
	} {
		_, err := g.Generate(t.Context(), tt.request)
		requireFault(t, err, tt.fault)
	}
	if len(p.requests) != 0 {
		t.Errorf("the provider was asked %d times", len(p.requests))
	}
}

// A picture that would need too much memory is refused by its head.
func TestGenerate_bomb(t *testing.T) {
	t.Parallel()
	bomb := picture(t, 8, 8, color.White)
	copy(bomb[16:], "\x00\x00\x40\x00\x00\x00\x40\x00") // 16384 × 16384
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	p := newProvider(t, func(_ int, w http.ResponseWriter) { inside(w, bomb) })
	_, err := p.generator(t, nil).Generate(t.Context(), commands.ImageRequest{Prompt: "x"})
	requireFault(t, err, "16384 × 16384 pixels: at most 16 megapixels")
}

// What is kept for one account is forgotten; the others keep theirs.
func TestForget(t *testing.T) {
	t.Parallel()
	p := newProvider(t, numbered(t))
	g := p.generator(t, nil)
	one, two := commands.ImageRequest{Account: "one", Prompt: "a cat"}, commands.ImageRequest{Account: "two", Prompt: "a cat"}
	mustGenerate(t, g, one)
	mustGenerate(t, g, two)
	for range 2 {
		if err := g.Forget("one"); err != nil {
			t.Fatal(err)
		}
	}
	if mustGenerate(t, g, one).Cached || !mustGenerate(t, g, two).Cached {
		t.Error("not the one account was forgotten")
	}
}
