package web_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"moviola/handlers/http/web"
)

// writes remembers what a server writes to one connection, write by write.
type writes struct {
	net.Conn
	mu     *sync.Mutex
	pieces *[][]byte
}

func (w writes) Write(b []byte) (int, error) {
	w.mu.Lock()
	*w.pieces = append(*w.pieces, bytes.Clone(b))
	w.mu.Unlock()
	return w.Conn.Write(b)
}

type countingListener struct {
	net.Listener
	mu     *sync.Mutex
	pieces *[][]byte
}

func (l countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return writes{conn, l.mu, l.pieces}, err
}

// The official Node SDK parses the first piece of a body as all of it.
func TestWrite_SendsABodyInOnePiece(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 1_500, 2_500, 3_900, 4_100, 20_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			l, _ := logger()
			server := httptest.NewUnstartedServer(web.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if err := web.Write(w, 200, strings.Repeat("a", n)); err != nil {
					panic(err)
				}
			}), l))
			var mu sync.Mutex
			var pieces [][]byte
			server.Listener = countingListener{server.Listener, &mu, &pieces}
			server.Start()
			defer server.Close()
			r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "identity")
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, answer.Body) // until the last write was made
			answer.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			if last := pieces[len(pieces)-1]; bytes.Count(last, []byte("a")) < n {
				t.Fatalf("a body of %d letters came in %d writes, the last of %d bytes", n, len(pieces), len(last))
			}
		})
	}
}
