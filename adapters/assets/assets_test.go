package assets_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
)

func TestCache_Fetch_pictures(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	tests := []struct {
		name string
		file []byte
		want commands.Asset
	}{
		{"png", pngOf(30, 20), commands.Asset{Format: "png", Orientation: 1, Facts: timeline.Facts{Width: 30, Height: 20}}},
		{"jpeg", turned(30, 20, 1), commands.Asset{Format: "jpeg", Orientation: 1, Facts: timeline.Facts{Width: 30, Height: 20}}},
		{"upside down", turned(30, 20, 3), commands.Asset{Format: "jpeg", Orientation: 3, Facts: timeline.Facts{Width: 30, Height: 20}}},
		{"portrait", turned(30, 20, 6), commands.Asset{Format: "jpeg", Orientation: 6, Facts: timeline.Facts{Width: 20, Height: 30}}},
		{"nonsense", turned(30, 20, 99), commands.Asset{Format: "jpeg", Orientation: 1, Facts: timeline.Facts{Width: 30, Height: 20}}},
	}
	for i, tt := range tests {
		path := fmt.Sprintf("/%d.mp4", i) // names do not count
		s.serve(path, tt.file)
		got, err := s.fetch(path)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if stored, err := os.ReadFile(got.Path); err != nil || !bytes.Equal(stored, tt.file) {
			t.Errorf("%s: stored %d bytes of %d (%v)", tt.name, len(stored), len(tt.file), err)
		}
		if len(got.Hash) != 64 || filepath.Base(got.Path) != got.Hash {
			t.Errorf("%s: hash %q at %q", tt.name, got.Hash, got.Path)
		}
		got.Path, got.Hash = "", ""
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCache_Fetch_media(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{
		Duration: 9, VideoStreams: 1, AudioStreams: 1, Audio: &commands.AudioStream{Channels: 2},
		Video: &commands.VideoStream{Width: 720, Height: 576, AspectNum: 16, AspectDen: 15, Rotation: 90, Duration: 8.5},
	}, nil)
	ts := bytes.Repeat(append([]byte{0x47}, make([]byte, 187)...), 4)
	files := map[string]string{
		"\x00\x00\x00\x18ftypmp42....": "mov", "\x00\x00\x00\x18ftypqt  ....": "mov", "\x00\x00\x00\x08wide....": "mov",
		"\x1a\x45\xdf\xa3....": "matroska", "RIFF....AVI LIST": "avi", "RIFF....WAVEfmt ": "wav", "OggS....": "ogg",
		"fLaC....": "flac", "ID3\x04\x00\x00\x00\x00\x00\x02..\xff\xfb\x90\x64": "mp3", "\xff\xfb\x90\x64....": "mp3",
		"\xff\xf1\x50\x80....": "aac", "ID3\x04\x00\x00\x00\x00\x00\x02..fLaC....": "flac", string(ts): "mpegts",
	}
	n := 0
	for content, format := range files {
		n++
		path := fmt.Sprintf("/%d.jpg", n)
		s.serve(path, []byte(content))
		got, err := s.fetch(path)
		if err != nil {
			t.Errorf("%q: %v", content[:8], err)
			continue
		}
		want := timeline.Facts{Width: 576, Height: 768, Duration: 8.5, HasVideo: true, HasAudio: true}
		if got.Format != format || got.Media == nil {
			t.Errorf("%q is taken for %q", content[:8], got.Format)
		}
		if diff := cmp.Diff(want, got.Facts); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
	}
}

func TestCache_Fetch_refuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.MaxBytes = 1 << 20 })
	files := map[string]struct{ content, want string }{
		"/hls":      {"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "is a playlist; use the address of the video or audio file itself"},
		"/concat":   {"ffconcat version 1.0\nfile x\n", "is a playlist; use the address of the video or audio file itself"},
		"/dash":     {`<?xml version="1.0"?><MPD xmlns="urn:mpeg">`, "is a playlist; use the address of the video or audio file itself"},
		"/html":     {"\n<!DOCTYPE html><html>", "is a web page; use the address of the image, video or audio file itself"},
		"/heic":     {"\x00\x00\x00\x18ftypheic....", "is a HEIC or AVIF picture; use JPEG, PNG or WebP"},
		"/empty":    {"", "is empty"},
		"/fake.png": {"BMW is a car maker", "is of no known format; use JPEG, PNG, GIF, WebP, AVIF, HEIC, SVG, BMP or TIFF, MP4, MOV, MKV, WebM, AVI, WMV or MPEG-TS, MP3, WAV, OGG, FLAC, AAC or M4A"},
		"/silent":   {"OggS....", "has neither picture nor sound"},
	}
	for path, f := range files {
		s.serve(path, []byte(f.content))
		_, err := s.fetch(path + "?token=secret")
		s.requireError(err, "The file at 'HOST"+path+"' "+f.want)
	}
	s.serve("/cut.png", pngOf(30, 20)[:20])
	_, err := s.fetch("/cut.png")
	s.requireError(err, "The image at 'HOST/cut.png' cannot be read: it is damaged or not complete")
	s.serve("/broken.mp4", []byte("\x00\x00\x00\x18ftypmp42 broken"))
	_, err = s.fetch("/broken.mp4")
	s.requireError(err, "The file at 'HOST/broken.mp4' cannot be read: it is damaged or not complete")
	s.serve("/bomb.png", pngHeader(16000, 16000))
	_, err = s.fetch("/bomb.png")
	s.requireError(err, "The image at 'HOST/bomb.png' has 16000 × 16000 pixels: at most 50 megapixels can be used")
	s.serve("/large", append([]byte("OggS"), make([]byte, 1<<20)...))
	_, err = s.fetch("/large")
	s.requireError(err, "The file at 'HOST/large' is too large: at most 1 MB can be used")
	s.mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("OggS"))
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	_, err = s.fetch("/endless")
	s.requireError(err, "The file at 'HOST/endless' is too large: at most 1 MB can be used")
	for _, address := range []string{"file:///etc/passwd", "ftp://host/x", "/etc/passwd", "http:/x", "concat:a|b", "http://[::1"} {
		_, err := s.Fetch(t.Context(), "account", address)
		s.requireError(err, "Failed to download a source: its address must begin with http:// or https:// and name a host")
	}
}

func TestCache_Fetch_answersOfTheServer(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	tries := map[string]int{"/404": 1, "/403": 1, "/500": 3, "/503": 3, "/429": 3, "/204": 1}
	for path := range tries {
		var code int
		if _, err := fmt.Sscanf(path, "/%d", &code); err != nil {
			t.Fatal(err)
		}
		s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	for path, want := range tries {
		before := s.hits.Load()
		_, err := s.fetch(path + "?signature=secret")
		s.requireError(err, "Failed to download 'HOST"+path+"' ("+path[1:]+")")
		if n := s.hits.Load() - before; n != int64(want) {
			t.Errorf("%s was asked for %d times, want %d", path, n, want)
		}
	}
	// A failure that passes is not noticed.
	var calls atomic.Int64
	s.mux.HandleFunc("/later", func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write(pngOf(3, 2))
	})
	if _, err := s.fetch("/later"); err != nil {
		t.Error(err)
	}
	// A body shorter than promised is not taken for the file.
	s.mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(pngOf(3, 2))
	})
	_, err := s.fetch("/short")
	s.requireError(err, "Failed to download 'HOST/short' (the connection broke off)")
	s.mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	_, err = s.fetch("/loop")
	s.requireError(err, "Failed to download 'HOST/loop' (no connection)")
	s.mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	_, err = s.fetch("/file")
	s.requireError(err, "Failed to download 'HOST/file' (no connection)")
}

func TestCache_Fetch_asksAgainOnlyForChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	var etag atomic.Value
	etag.Store(`"one"`)
	var sent atomic.Int64
	s.mux.HandleFunc("/a.png", func(w http.ResponseWriter, r *http.Request) {
		tag := etag.Load().(string)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent.Add(1)
		w.Header().Set("ETag", tag)
		_, _ = w.Write(pngOf(len(tag), 2))
	})
	steps := []struct {
		account, tag string
		sent         int64
	}{
		{"a", `"one"`, 1}, {"a", `"one"`, 1}, {"b", `"one"`, 2}, {"a", `"three"`, 3}, {"a", `"three"`, 3},
	}
	for i, step := range steps {
		etag.Store(step.tag)
		s.wait(73 * time.Hour)
		got, err := s.Fetch(t.Context(), domain.AccountID(step.account), s.server.URL+"/a.png")
		if err != nil {
			t.Fatal(err)
		}
		if got.Facts.Width != len(step.tag) || sent.Load() != step.sent {
			t.Errorf("step %d: width %d, sent %d times, want %d", i, got.Facts.Width, sent.Load(), step.sent)
		}
	}
	// What was evicted is fetched again.
	files, err := filepath.Glob(filepath.Join(s.dir, "*", "files", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Fetch(t.Context(), "a", s.server.URL+"/a.png"); err != nil || sent.Load() != 4 {
		t.Errorf("after eviction: %+v, %v, sent %d times", got, err, sent.Load())
	}
}

func TestCache_Fetch_together(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	arrived, release := make(chan struct{}), make(chan struct{})
	s.mux.HandleFunc("/slow.png", func(w http.ResponseWriter, _ *http.Request) {
		close(arrived) // a second request would panic
		<-release
		_, _ = w.Write(pngOf(5, 5))
	})
	impatient, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := s.Fetch(impatient, "account", s.server.URL+"/slow.png"); !errors.Is(err, context.Canceled) {
			t.Errorf("the impatient one got %v", err)
		}
	})
	<-arrived
	started := make(chan struct{}, 4)
	for range 4 {
		wg.Go(func() {
			started <- struct{}{}
			if got, err := s.fetch("/slow.png"); err != nil || got.Facts.Width != 5 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	for range 4 {
		<-started
	}
	waitFor(t, func() bool { return s.Waiting() == 5 })
	leave()
	waitFor(t, func() bool { return s.Waiting() == 4 })
	close(release)
	wg.Wait()
	if s.Waiting() != 0 {
		t.Errorf("%d still wait", s.Waiting())
	}
}

// waitFor polls until a condition holds.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal("waited too long")
		}
		<-time.After(time.Millisecond)
	}
}

func TestCache_Fetch_stopsWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	arrived, gone := make(chan struct{}), make(chan struct{})
	s.mux.HandleFunc("/slow.png", func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(gone)
	})
	ctx, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := s.Fetch(ctx, "account", s.server.URL+"/slow.png"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	<-arrived
	leave()
	wg.Wait()
	<-gone // the server sees the end of the connection
}

// A download goes on by itself when the render that waits for it gives its slot to others, and is there when it comes back.
func TestCache_Fetch_goesOnWhileTheSlotIsShared(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	arrived, release := make(chan struct{}), make(chan struct{})
	s.mux.HandleFunc("/slow.png", func(w http.ResponseWriter, _ *http.Request) {
		close(arrived) // a second request would panic
		<-release
		_, _ = w.Write(pngOf(5, 5))
	})
	ctx, leave := context.WithCancelCause(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := s.Fetch(ctx, "account", s.server.URL+"/slow.png"); !errors.Is(err, commands.ErrGiveWay) {
			t.Errorf("got %v", err)
		}
	})
	<-arrived
	leave(commands.ErrGiveWay)
	wg.Wait()
	wg.Go(func() {
		if got, err := s.fetch("/slow.png"); err != nil || got.Facts.Width != 5 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	waitFor(t, func() bool { return s.Waiting() == 1 })
	close(release)
	wg.Wait()
}
