package web_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
	return serveProtocol(t, handler, func(ln net.Listener) net.Listener { return ln })
}

// secureWorld is a server with TLS as the service starts one, its address, and the settings of a client that trusts it.
func secureWorld(t *testing.T, handler http.Handler) (string, *tls.Config) {
	t.Helper()
	issued := httptest.NewTLSServer(nil) // it issues a certificate for this address
	defer issued.Close()
	settings := &tls.Config{Certificates: issued.TLS.Certificates, NextProtos: []string{"http/1.1"}}
	trust := x509.NewCertPool()
	trust.AddCert(issued.Certificate())
	address := serveProtocol(t, handler, func(ln net.Listener) net.Listener { return tls.NewListener(ln, settings) })
	return address, &tls.Config{RootCAs: trust}
}

func serveProtocol(t *testing.T, handler http.Handler, secured func(net.Listener) net.Listener) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener = secured(listener)
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
	return exchangeOn(t, conn, request)
}

func exchangeOn(t *testing.T, conn net.Conn, request string) *bufio.Reader {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Logf("the server stops reading: %v", err)
	}
	return bufio.NewReader(conn)
}

// TestProtocolErrors sends what net/http refuses before any handler is asked, without TLS and with it.
func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	plain := protocolWorld(t, http.NotFoundHandler())
	secure, trust := secureWorld(t, http.NotFoundHandler())
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
			refused(t, exchange(t, plain, tt.request), tt.status, tt.code, tt.message)
			conn, err := tls.Dial("tcp", secure, trust)
			if err != nil {
				t.Fatal(err)
			}
			refused(t, exchangeOn(t, conn, tt.request), tt.status, tt.code, tt.message)
		})
	}
	t.Run("HTTP where HTTPS is spoken", func(t *testing.T) {
		t.Parallel()
		refused(t, exchange(t, secure, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "request_malformed",
			"Malformed HTTP request: this address speaks HTTPS, use https://")
	})
}

// refused holds an answer against an error in JSON, after which the connection ends.
func refused(t *testing.T, from *bufio.Reader, status int, code, message string) {
	t.Helper()
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	var got struct {
		Success       *bool
		Message, Code string
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Error(err)
		return
	}
	if answer.StatusCode != status || got.Success == nil || *got.Success || got.Code != code || got.Message != message ||
		answer.Header.Get(web.RequestIDHeader) == "" || !answer.Close {
		t.Errorf("%d %+v, headers %v; want %d %s %q", answer.StatusCode, got, answer.Header, status, code, message)
	}
}

// TestProtocolErrors_secure: answers of handlers come whole over TLS, one after the other on a connection, and handlers see that
// there is TLS.
func TestProtocolErrors_secure(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("moviola ", 1<<17)
	address, trust := secureWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil || !r.TLS.HandshakeComplete {
			t.Error("the handler sees no TLS")
		}
		_, _ = io.WriteString(w, content)
	}))
	conn, err := tls.Dial("tcp", address, trust)
	if err != nil {
		t.Fatal(err)
	}
	const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	reader := exchangeOn(t, conn, request+request)
	for range 2 {
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || string(body) != content {
			t.Errorf("%d bytes, %v, want %d", len(body), err, len(content))
		}
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
