package images_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"moviola/adapters/images"
	"moviola/commands"
	"moviola/domain"
)

// secret is a key that must not be seen anywhere but in the header.
const secret = "sk-very-secret-91aa"

// provider is an endpoint of OpenAI's protocol that records what it was asked and answers as the test says.
type provider struct {
	*httptest.Server
	requests chan received
}

type received struct {
	path, key string
	body      map[string]any
}

func newProvider(t *testing.T, answer func(try int, w http.ResponseWriter)) *provider {
	t.Helper()
	p := &provider{requests: make(chan received, 100)}
	tries := make(chan int, 1)
	tries <- 0
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		got := received{path: r.URL.Path, key: r.Header.Get("Authorization")}
		if err != nil || len(raw) > 0 && json.Unmarshal(raw, &got.body) != nil {
			t.Errorf("request %q: %v", raw, err)
		}
		p.requests <- got
		try := <-tries
		tries <- try + 1
		answer(try, w)
	}))
	t.Cleanup(p.Close)
	return p
}

// generator makes pictures with a provider as this server's own.
func (p *provider) generator(t *testing.T, change func(*images.Config)) *images.Generator {
	t.Helper()
	cfg := images.Config{
		Client: p.Client(), Endpoint: images.Endpoint{URL: p.URL, Key: secret}, Dir: t.TempDir(),
		Retries: []time.Duration{time.Millisecond, time.Millisecond},
	}
	if change != nil {
		change(&cfg)
	}
	g, err := images.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// picture is a PNG of one colour.
func picture(t testing.TB, w, h int, c color.Color) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inside answers with a picture in the answer itself.
func inside(w io.Writer, raw []byte) {
	_, _ = fmt.Fprintf(w, `{"created":1,"data":[{"b64_json":"%s"}]}`, base64.StdEncoding.EncodeToString(raw))
}

// numbered answers every request with a picture of another colour.
func numbered(t *testing.T) func(int, http.ResponseWriter) {
	return func(try int, w http.ResponseWriter) { inside(w, picture(t, 30, 20, color.Gray{Y: uint8(try)})) }
}

func mustGenerate(t *testing.T, g *images.Generator, request commands.ImageRequest) commands.GeneratedImage {
	t.Helper()
	made, err := g.Generate(t.Context(), request)
	if err != nil {
		t.Fatalf("generate %q: %v", request.Prompt, err)
	}
	return made
}

// requireFault fails unless the error is for the client, says what it should and keeps the secret.
func requireFault(t *testing.T, err error, want string) {
	t.Helper()
	var fault *domain.Error
	if !errors.As(err, &fault) {
		t.Fatalf("got %v, want a *domain.Error", err)
	}
	if !strings.Contains(fault.Message, want) {
		t.Errorf("got %q, want %q in it", fault.Message, want)
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("%q shows the key", err)
	}
}
