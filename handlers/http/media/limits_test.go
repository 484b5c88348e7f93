package media_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moviola/domain"
	domainmedia "moviola/domain/media"
)

// largest is what a file may have at most, in bytes. Spec: Limits; decision 10.
const largest = 524_288_000

// zeros yields a number of bytes.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	return int(n), nil
}

// meter counts the bytes that a server reads from its connections.
type meter struct {
	net.Listener
	read *atomic.Int64
}

func (m meter) Accept() (net.Conn, error) {
	conn, err := m.Listener.Accept()
	return meteredConn{conn, m.read}, err
}

type meteredConn struct {
	net.Conn
	read *atomic.Int64
}

func (c meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// TestUpload_largest sends 500 MB to the byte through a real connection: as much is stored, a byte more is refused before 64 KB of it
// were read, by whatever length it is announced. Reliability §7b.
func TestUpload_largest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &shelves{})
	var read atomic.Int64
	server := httptest.NewUnstartedServer(&w.Router)
	server.Listener = meter{server.Listener, &read}
	server.Start()
	t.Cleanup(server.Close)
	if _, err := w.register("larger", largest+1); err == nil {
		t.Error("a byte more could be registered")
	} else if kind, text := refusal(err); kind != domain.TooLarge || text != "File exceeds maximum size of 500 MB" {
		t.Errorf("a byte more: %v %s", kind, text)
	}
	address, err := w.register("largest", largest)
	if err != nil {
		t.Fatal(err)
	}
	server.Client().Transport.(*http.Transport).ExpectContinueTimeout = time.Minute
	put := func(size, length int64, ask string) (int, string, error) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+address, &zeros{size})
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = length // -1: in chunks
		r.Header.Set("Content-Type", "a/b")
		r.Header.Set("Expect", ask)
		read.Store(0)
		response, err := server.Client().Do(r)
		if err != nil {
			return 0, "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, string(body), err
	}
	for _, refused := range []struct {
		size, length int64
		code         string
	}{
		{largest + 1, largest + 1, "upload_length_mismatch"}, {largest - 1, largest - 1, "upload_length_mismatch"},
		{largest, -1, "upload_length_required"}, {largest + 1, -1, "upload_length_required"},
	} {
		if status, body, err := put(refused.size, refused.length, "100-continue"); err != nil || status != http.StatusBadRequest || !strings.Contains(body, refused.code) {
			t.Errorf("%d bytes announced as %d: %d %s (%v)", refused.size, refused.length, status, body, err)
		}
		_, _, err := put(refused.size, refused.length, "") // does not wait: the answer may be lost in its writes
		if n := read.Load(); n > 64<<10 {
			t.Errorf("%d bytes announced as %d: %d were read (%v)", refused.size, refused.length, n, err)
		}
	}
	if len(w.files.stored) != 0 {
		t.Errorf("stored %v", w.files.stored)
	}
	if status, body, err := put(largest, largest, ""); err != nil || status != http.StatusOK {
		t.Errorf("the largest: %d %s (%v)", status, body, err)
	}
	for key, size := range w.files.stored {
		if size != largest || !strings.HasPrefix(key, "media/alice/") {
			t.Errorf("%s has %d bytes", key, size)
		}
	}
	if len(w.files.stored) != 1 || domainmedia.MaxSize != largest {
		t.Errorf("stored %v", w.files.stored)
	}
}
