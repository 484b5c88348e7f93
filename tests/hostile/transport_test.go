package hostile_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"moviola/tests/studio"
)

// What a server of these tests may send, and how long it may take.
const (
	mostBytes = 8 << 20
	mostTime  = 12 * time.Second // enough for mostBytes on a busy machine
)

// starts are the first bytes of a file that each kind of element takes.
var starts = map[string]string{
	"video": "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "image": "\x89PNG\r\n\x1a\n", "audio": "OggS", "mask": "GIF89a",
	"subtitles": "1\n00:00:00,000 --> 00:00:01,000\n", "font": "\x00\x01\x00\x00",
}

// endless goes on with zeros after its beginning.
func endless(start string) io.Reader { return io.MultiReader(strings.NewReader(start), zeroReader{}) }

// gzipped is so much of what is read as a server sends it with Content-Encoding: gzip.
func gzipped(t *testing.T, from io.Reader, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if _, err := io.CopyN(z, from, size); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sendPacked answers with a body that is said to be packed.
func sendPacked(encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		_, _ = w.Write(body)
	}
}

// drip sends one byte a second, and never all of them.
func drip(start string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		second := time.NewTicker(time.Second)
		defer second.Stop()
		from := endless(start)
		for r.Context().Err() == nil && http.NewResponseController(w).Flush() == nil {
			_, _ = io.CopyN(w, from, 1)
			select {
			case <-second.C:
			case <-r.Context().Done():
			}
		}
	}
}

// promise sends less than it says, or more.
func promise(t *testing.T, length, body string) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + length + "\r\n\r\n" + body)
		_ = buffer.Flush()
	}
}

// TestMedia_transport: servers that send too much, too slowly, or something else than they promise. The client is told what was wrong,
// and nothing of it stays.
func TestMedia_transport(t *testing.T) {
	t.Parallel()
	watchMemory(t)
	g := newGround(t, func(p *studio.Parts) {
		p.Assets.MaxBytes, p.Assets.Timeout, p.Assets.Retries = mostBytes, mostTime, []time.Duration{time.Millisecond}
	})
	const tooLarge, tooLong, unpacked, broke = "is too large: at most 8 MB can be used", "(it took too long)",
		"(its server sends it packed, and it cannot be unpacked)", "(the connection broke off)"
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	try := func(kind, name, want string, answer http.HandlerFunc) {
		address := g.Answer(kind+name, answer)
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if o := g.render("transport", kind+" "+name, using(kind, address)); !strings.Contains(o.refused, want) {
				t.Errorf("%s as %s: %q, want %q", name, kind, o.refused, want)
			}
		})
	}
	for _, kind := range kinds {
		start := starts[kind]
		bomb := gzipped(t, endless(start), 256<<20)
		try(kind, "bomb", tooLarge, sendPacked("gzip", bomb))
		try(kind, "twice", "is of no known format", sendPacked("gzip", gzipped(t, bytes.NewReader(bomb), int64(len(bomb)))))
		try(kind, "cut", broke, sendPacked("gzip", bomb[:1000]))
		try(kind, "plain", unpacked, sendPacked("gzip", []byte(start+strings.Repeat("x", 20))))
		try(kind, "brotli", unpacked, sendPacked("br", bomb))
		try(kind, "drip", tooLong, drip(start))
		try(kind, "unending", tooLarge, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, endless(start)) })
		try(kind, "more", broke, promise(t, "1000000", start))
		try(kind, "most", tooLarge, promise(t, "9223372036854775807", start))
		try(kind, "negative", "(no connection)", promise(t, "-1", start))
		try(kind, "less", "The file at", promise(t, "3", start))
	}
	all.Wait()
	left, err := filepath.Glob(filepath.Join(g.Dir, "assets", "*", "files", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && info.Size() > 4<<10 {
			t.Errorf("%d bytes stay in %s", info.Size(), filepath.Base(path))
		}
	}
}
