package assets_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
)

// packed is content as a server sends it with Content-Encoding: gzip.
func packed(t *testing.T, content io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if _, err := io.Copy(z, content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (s *site) serveAs(path, encoding string, content []byte) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		_, _ = w.Write(content)
	})
}

// Nobody asks for packed files, but some stores send nothing else. They are unpacked as far as a file may be large.
func TestCache_Fetch_packed(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{Duration: 1, Audio: &commands.AudioStream{}}, func(c *assets.Config) { c.MaxBytes = 1 << 20 })
	plain := pngOf(30, 20)
	for _, encoding := range []string{"gzip", "x-gzip", "GZIP", "identity", ""} {
		content := plain
		if encoding != "identity" && encoding != "" {
			content = packed(t, bytes.NewReader(plain))
		}
		path := "/a-" + encoding + ".png"
		s.serveAs(path, encoding, content)
		got, err := s.fetch(path)
		if err != nil || got.Facts.Width != 30 {
			t.Errorf("%q: %+v, %v", encoding, got.Facts, err)
		}
	}
	bomb := packed(t, io.MultiReader(bytes.NewReader([]byte("OggS")), io.LimitReader(zeros{}, 64<<20)))
	s.serveAs("/bomb.ogg", "gzip", bomb)
	_, err := s.fetch("/bomb.ogg")
	s.requireError(err, "The file at 'HOST/bomb.ogg' is too large: at most 1 MB can be used")
	s.serveAs("/twice.ogg", "gzip", packed(t, bytes.NewReader(bomb)))
	_, err = s.fetch("/twice.ogg")
	s.requireError(err, "The file at 'HOST/twice.ogg' is of no known format; use JPEG, PNG, GIF, WebP, AVIF, HEIC, SVG, BMP or TIFF, MP4, MOV, MKV, WebM, AVI, WMV or MPEG-TS, "+
		"MP3, WAV, OGG, FLAC, AAC or M4A")
	damaged := packed(t, bytes.NewReader(plain))
	damaged[len(damaged)-5] ^= 1 // its checksum
	for path, content := range map[string][]byte{"/plain.png": plain, "/damaged.png": damaged} {
		s.serveAs(path, "gzip", content)
		_, err = s.fetch(path)
		s.requireError(err, "Failed to download 'HOST"+path+"' (its server sends it packed, and it cannot be unpacked)")
	}
	for i, encoding := range []string{"br", "zstd", "deflate", "gzip, gzip", "<script>"} {
		path := fmt.Sprintf("/other%d.png", i)
		s.serveAs(path, encoding, plain)
		_, err = s.fetch(path)
		s.requireError(err, "Failed to download 'HOST"+path+"' (its server sends it packed, and it cannot be unpacked)")
	}
	s.requireNothingUnfinished()
}

// requireNothingUnfinished checks that refused downloads leave no files.
func (s *site) requireNothingUnfinished() {
	s.t.Helper()
	left, err := filepath.Glob(filepath.Join(s.dir, "*", "files", ".new-*"))
	if err != nil || len(left) > 0 {
		s.t.Errorf("%v stay, %v", left, err)
	}
}

// A server that sends little by little is heard for as long as a download may take, all tries together.
func TestCache_Fetch_drip(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Timeout = 10 * time.Second })
	drip := func(content []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for i := range len(content) + 1 {
				if http.NewResponseController(w).Flush() != nil { // the header, at first
					return
				}
				_, _ = w.Write(content[i:min(i+1, len(content))])
			}
			<-r.Context().Done()
		}
	}
	s.mux.HandleFunc("/silent.png", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s.mux.HandleFunc("/never.png", drip(nil))
	s.mux.HandleFunc("/head.png", drip(pngOf(3, 2)[:10]))
	s.mux.HandleFunc("/body.png", drip(bytes.Repeat(pngOf(300, 200), 20)))
	var all sync.WaitGroup
	for path, why := range map[string]string{
		"/silent.png": "no connection", "/never.png": "it took too long", "/head.png": "it took too long", "/body.png": "it took too long",
	} {
		all.Go(func() {
			_, err := s.fetch(path)
			var fault *domain.Error
			if !errors.As(err, &fault) || fault.Message != "Failed to download '"+s.server.URL+path+"' ("+why+")" {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	all.Wait()
	if n := s.hits.Load(); n != 4 {
		t.Errorf("the server was asked %d times", n)
	}
	s.requireNothingUnfinished()
	// Whoever asks may have less time: that is not the server's fault.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Refetch(ctx, "account", s.server.URL+"/head.png", time.Time{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}

// lying answers with a Content-Length that is not true, on a connection of its own.
func lying(t *testing.T, length string, content []byte) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n")
		_, _ = buffer.Write(content)
		_ = buffer.Flush()
	}
}

func TestCache_Fetch_lyingLength(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.MaxBytes = 1 << 20 })
	picture := pngOf(30, 20)
	const broke, none = "Failed to download 'HOST%' (the connection broke off)", "Failed to download 'HOST%' (no connection)"
	for path, f := range map[string]struct {
		length string
		want   string
	}{
		"/more.png": {"1000000", broke}, "/huge.png": {"9223372036854775807", "The file at 'HOST%' is too large: at most 1 MB can be used"},
		"/over.png": {"9223372036854775808", none}, "/minus.png": {"-1", none}, "/two.png": {"10\r\nContent-Length: 20", none}, "/word.png": {"ten", none},
		"/less.png": {"20", "The image at 'HOST%' cannot be read: it is damaged or not complete"}, "/zero.png": {"0", "The file at 'HOST%' is empty"},
	} {
		s.mux.HandleFunc(path, lying(t, f.length, picture))
		_, err := s.fetch(path)
		s.requireError(err, string(bytes.ReplaceAll([]byte(f.want), []byte("%"), []byte(path))))
	}
	s.requireNothingUnfinished()
}
