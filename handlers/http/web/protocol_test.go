package web_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/handlers/http/web"
)

// protocolWorld is a server as the service starts one, and its address.
func protocolWorld(t *testing.T, handler http.Handler) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	server := &http.Server{Handler: web.Wrap(handler, log), MaxHeaderBytes: 64 << 10, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(web.AnswerProtocolErrors(listener)) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return listener.Addr().String()
}

// exchange sends bytes on a connection of its own and reads to the end.
func exchange(t *testing.T, address, request string) *bufio.Reader {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Logf("the server stops reading: %v", err)
	}
	return bufio.NewReader(conn)
}

// TestProtocolErrors sends what net/http refuses before any handler is asked.
func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	address := protocolWorld(t, http.NotFoundHandler())
	for _, tt := range []struct {
		name, request string
		status        int
		code, message string
	}{
		{"no HTTP", "hello\r\n\r\n", 400, "request_malformed", "Malformed HTTP request"},
		{"no host", "GET / HTTP/1.1\r\n\r\n", 400, "request_malformed", "Malformed HTTP request: missing required Host header"},
		{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "request_malformed", "Malformed HTTP request"},
		{"a header without colon", "GET / HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n", 400, "request_malformed", "Malformed HTTP request"},
		{"large headers", "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", 431, "headers_too_large",
			"The headers of the request are too large: send at most 64 kB"},
		{"an encoding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "transfer_encoding_unknown",
			"Unsupported transfer encoding: send the body chunked or with Content-Length"},
		{"a version", "GET / HTTP/3.7\r\nHost: a\r\n\r\n", 505, "http_version_unknown", "Unsupported HTTP version: use HTTP/1.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answer, err := http.ReadResponse(exchange(t, address, tt.request), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			var got struct {
				Success       *bool
				Message, Code string
			}
			if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != tt.status || got.Success == nil || *got.Success || got.Code != tt.code || got.Message != tt.message ||
				answer.Header.Get(web.RequestIDHeader) == "" || !answer.Close {
				t.Errorf("%d %+v, headers %v; want %d %s %q", answer.StatusCode, got, answer.Header, tt.status, tt.code, tt.message)
			}
		})
	}
}

// TestTransferEncoding: a request with Transfer-Encoding is the last one of its connection; others are not.
func TestTransferEncoding(t *testing.T) {
	t.Parallel()
	address := protocolWorld(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	const second = "GET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	for request, want := range map[string]int{
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n":                      1,
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n3\r\nabc\r\n0\r\n\r\n": 1,
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc":                                                 2,
	} {
		reader, answers := exchange(t, address, request+second), 0
		for {
			answer, err := http.ReadResponse(reader, nil)
			if err != nil {
				break
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			answers++
		}
		if answers != want {
			t.Errorf("%q: %d answers, want %d", request, answers, want)
		}
	}
}

// TestProtocolErrors_others: answers of handlers, also such that look like net/http's, and files stay as they are.
func TestProtocolErrors_others(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	content := strings.Repeat("moviola ", 1<<17)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	address := protocolWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			http.ServeFile(w, r, file)
			return
		}
		w.Header().Set("Connection", "close")
		http.Error(w, "400 Bad Request", http.StatusBadRequest)
	}))
	for path, want := range map[string]string{"/file": content, "/text": "400 Bad Request\n"} {
		answer, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("%s: %d bytes, %v, want %d", path, len(body), err, len(want))
		}
	}
}
