package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"moviola/domain"
)

// AnswerProtocolErrors returns a listener whose connections, TCP or TLS, replace net/http's own answers to malformed requests
// (400, 431, 501, 505) by errors in JSON, in the form of all other errors. net/http writes these answers as text, without
// calling a handler. Connections with TLS have to speak HTTP/1.1 only. Decision 1.
func AnswerProtocolErrors(listener net.Listener) net.Listener { return protocolListener{listener} }

type protocolListener struct{ net.Listener }

// Accept implements net.Listener.
func (l protocolListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	switch conn := conn.(type) {
	case *net.TCPConn:
		return &protocolConn{conn}, err
	case *tls.Conn:
		return &protocolTLSConn{conn}, err
	}
	return conn, err
}

// protocolConn is a TCP connection with all optional methods that net/http uses, such as sending files by the kernel and
// closing one direction.
type protocolConn struct{ *net.TCPConn }

// Write implements net.Conn.
func (c *protocolConn) Write(b []byte) (int, error) { return writeAnswer(c.TCPConn, b) }

// protocolTLSConn is a connection with TLS.
type protocolTLSConn struct{ *tls.Conn }

// Write implements net.Conn.
func (c *protocolTLSConn) Write(b []byte) (int, error) { return writeAnswer(c.Conn, b) }

// handshakeTime limits a TLS handshake.
const handshakeTime = 10 * time.Second

// ConnectionState returns what the handshake has agreed on, for Request.TLS. net/http calls it once, before it reads: it makes
// handshakes itself only on connections of the type tls.Conn. After a handshake that has failed, Read returns its error.
func (c *protocolTLSConn) ConnectionState() tls.ConnectionState {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		log.Printf("http: TLS handshake error from %s: %v", c.RemoteAddr(), err)
		var notTLS tls.RecordHeaderError
		if errors.As(err, &notTLS) && notTLS.Conn != nil && beginsRequest.Match(notTLS.RecordHeader[:]) {
			answer := protocolError(strconv.Itoa(http.StatusBadRequest), "Bad Request: this address speaks HTTPS, use https://")
			_, _ = notTLS.Conn.Write(answer) // whoever does not read the answer has closed the connection
		}
	}
	return c.Conn.ConnectionState()
}

// beginsRequest matches the first bytes of an HTTP request without TLS.
var beginsRequest = regexp.MustCompile(`^(GET /|HEAD |POST |PUT /|DELET|PATCH|OPTIO)`)

// protocolAnswer matches net/http's own answers. Answers of handlers have a Date header, and never match.
var protocolAnswer = regexp.MustCompile(`^HTTP/1\.1 (400|431|501|505) [^\r\n]*\r\n` +
	`Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`)

// longestProtocolAnswer is the maximum length of a write that is checked, in bytes.
const longestProtocolAnswer = 512

// writeAnswer writes b to a connection, or a JSON error in place of an answer that net/http has made itself.
func writeAnswer(conn net.Conn, b []byte) (int, error) {
	if len(b) > longestProtocolAnswer || !bytes.HasPrefix(b, []byte("HTTP/1.1 ")) {
		return conn.Write(b)
	}
	found := protocolAnswer.FindSubmatchIndex(b)
	if found == nil {
		return conn.Write(b)
	}
	if _, err := conn.Write(protocolError(string(b[found[2]:found[3]]), string(b[found[1]:]))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// protocolError returns the whole JSON answer for a status and net/http's text for it.
func protocolError(status, text string) []byte {
	code, _ := strconv.Atoi(status) // the pattern matches numbers only
	refusal := domain.Errorf(domain.Invalid, "request_malformed", "Malformed HTTP request")
	switch code {
	case http.StatusRequestHeaderFieldsTooLarge:
		refusal = domain.Errorf(domain.Invalid, "headers_too_large", "The headers of the request are too large: send at most 64 kB")
	case http.StatusNotImplemented:
		refusal = domain.Errorf(domain.Invalid, "transfer_encoding_unknown",
			"Unsupported transfer encoding: send the body chunked or with Content-Length")
	case http.StatusHTTPVersionNotSupported:
		refusal = domain.Errorf(domain.Invalid, "http_version_unknown", "Unsupported HTTP version: use HTTP/1.1")
	default:
		if _, detail, ok := strings.Cut(text, "Bad Request: "); ok {
			refusal.Message += ": " + detail
		}
	}
	body, err := JSON(failure{Message: refusal.Message, Code: refusal.Code})
	if err != nil {
		panic("strings do not encode: " + err.Error())
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: "+
		"%d\r\nConnection: close\r\n%s: %s\r\n\r\n",
		code, http.StatusText(code), len(body), RequestIDHeader, newRequestID())
	return append([]byte(head), body...)
}
