package assets_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
)

// prober knows one media file for every format, but refuses what says that it is broken.
type prober struct{ media commands.Media }

func (p prober) Probe(_ context.Context, path, format string) (commands.Media, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return commands.Media{}, err
	}
	if bytes.Contains(raw, []byte("broken")) {
		return commands.Media{}, fmt.Errorf("probe: %w", commands.ErrNotMedia)
	}
	m := p.media
	m.Format = format
	return m, nil
}

// site is a web server and a cache that fetches from it.
type site struct {
	*assets.Cache
	t      *testing.T
	dir    string
	mux    *http.ServeMux
	server *httptest.Server
	hits   atomic.Int64
	later  atomic.Int64 // how far the cache's clock is ahead
}

// wait moves the clock of the cache.
func (s *site) wait(d time.Duration) { s.later.Add(int64(d)) }

func (s *site) now() time.Time { return time.Now().Add(time.Duration(s.later.Load())) }

func newSite(t *testing.T, media commands.Media, change func(*assets.Config)) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), mux: http.NewServeMux()}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		s.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.server.Close)
	log := logrus.New()
	log.SetLevel(logrus.PanicLevel)
	cfg := assets.Config{
		Client: s.server.Client(), Dir: s.dir, Prober: prober{media}, Retries: []time.Duration{time.Millisecond, time.Millisecond}, Log: log, Now: s.now,
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	if s.Cache, err = assets.New(cfg); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) serve(path string, content []byte) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
}

func (s *site) fetch(path string) (commands.Asset, error) {
	return s.Fetch(s.t.Context(), "account", s.server.URL+path)
}

// requireError checks the text a client would see; the server's address is written as HOST.
func (s *site) requireError(err error, want string) {
	s.t.Helper()
	var fault *domain.Error
	if !errors.As(err, &fault) {
		s.t.Fatalf("error is %v", err)
	}
	if got := strings.ReplaceAll(fault.Message, s.server.URL, "HOST"); got != want {
		s.t.Errorf("message is %q, want %q", got, want)
	}
}

func pngOf(w, h int) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewNRGBA(image.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// pngHeader is the beginning of a picture of any size.
func pngHeader(w, h uint32) []byte {
	raw := pngOf(1, 1)
	binary.BigEndian.PutUint32(raw[16:], w)
	binary.BigEndian.PutUint32(raw[20:], h)
	binary.BigEndian.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
	return raw
}

// turned is a JPEG of w × h pixels with an EXIF orientation, little-endian as cameras write it.
func turned(w, h int, orientation byte) []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, w, h)), nil); err != nil {
		panic(err)
	}
	exif := append([]byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00"), orientation, 0, 0, 0, 0, 0, 0, 0)
	segment := append([]byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(append([]byte{0xff, 0xd8}, segment...), out.Bytes()[2:]...)
}
