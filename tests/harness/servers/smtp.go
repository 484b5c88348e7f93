package servers

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"net"
	"strings"
	"sync"
	"testing"
)

// MailServer receives e-mails on loopback. It implements the part of SMTP that a client needs, and accepts clients with the
// password.
type MailServer struct {
	Host, Port, Address string
	Username, Password  string

	secure   *tls.Config // nil: no encryption is offered
	implicit bool        // encrypted from the first byte
	mu       sync.Mutex
	letters  []Letter
}

// Letter is an e-mail as it arrived.
type Letter struct {
	From, Body string
	To         []string
}

// NewMailServer starts a mail server. With a certificate it offers STARTTLS, or is encrypted from the start when implicit is
// true.
func NewMailServer(t testing.TB, certificate *Certificate, implicit bool) *MailServer {
	t.Helper()
	s := &MailServer{Username: "sender", Password: "smtp-secret", implicit: implicit}
	if certificate != nil {
		s.secure = &tls.Config{Certificates: []tls.Certificate{certificate.TLS}, MinVersion: tls.VersionTLS12}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if implicit {
		listener = tls.NewListener(listener, s.secure)
	}
	s.Address = listener.Addr().String()
	s.Host, s.Port = split(t, s.Address)
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		served.Wait()
	})
	return s
}

// Letters returns what has arrived so far.
func (s *MailServer) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Letter(nil), s.letters...)
}

// serve talks to one client until it leaves.
func (s *MailServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	c := &mailSession{server: s, conn: conn, in: bufio.NewReader(conn), safe: s.implicit}
	c.say("220 test ESMTP")
	for {
		line, err := c.in.ReadString('\n')
		if err != nil || !c.answer(strings.TrimSpace(line)) {
			return
		}
	}
}

// mailSession is one connection of a client.
type mailSession struct {
	server *MailServer
	conn   net.Conn
	in     *bufio.Reader
	safe   bool // encrypted
	known  bool // logged in
	letter Letter
}

func (c *mailSession) say(lines ...string) {
	_, _ = c.conn.Write([]byte(strings.Join(lines, "\r\n") + "\r\n"))
}

// answer answers one command and reports whether the session continues.
func (c *mailSession) answer(line string) bool {
	command, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(command) {
	case "EHLO", "HELO":
		c.say(c.greeting()...)
	case "STARTTLS":
		c.say("220 go on")
		secured := tls.Server(c.conn, c.server.secure)
		if secured.Handshake() != nil {
			return false
		}
		c.conn, c.in, c.safe = secured, bufio.NewReader(secured), true
	case "AUTH":
		c.login(rest)
	case "MAIL":
		c.letter = Letter{From: between(rest)}
		c.allow(c.known)
	case "RCPT":
		c.letter.To = append(c.letter.To, between(rest))
		c.allow(!strings.Contains(rest, "nobody@"))
	case "DATA":
		c.say("354 go on")
		return c.take()
	case "QUIT":
		c.say("221 bye")
		return false
	default:
		c.say("250 ok")
	}
	return true
}

func (c *mailSession) greeting() []string {
	lines := []string{"250-test", "250-8BITMIME"}
	if c.server.secure != nil && !c.safe {
		lines = append(lines, "250-STARTTLS")
	}
	return append(lines, "250 AUTH PLAIN")
}

func (c *mailSession) login(rest string) {
	_, token, _ := strings.Cut(rest, " ")
	plain, err := base64.StdEncoding.DecodeString(token)
	c.known = err == nil && string(plain) == "\x00"+c.server.Username+"\x00"+c.server.Password
	if c.known {
		c.say("235 welcome")
		return
	}
	c.say("535 who is that")
}

func (c *mailSession) allow(ok bool) {
	if ok {
		c.say("250 ok")
		return
	}
	c.say("550 no")
}

// take reads a letter up to the line that consists of a dot.
func (c *mailSession) take() bool {
	var body strings.Builder
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		body.WriteString(line)
	}
	c.letter.Body = body.String()
	c.server.mu.Lock()
	c.server.letters = append(c.server.letters, c.letter)
	c.server.mu.Unlock()
	c.say("250 taken")
	return true
}

// between returns the text in angle brackets.
func between(text string) string {
	_, text, _ = strings.Cut(text, "<")
	text, _, _ = strings.Cut(text, ">")
	return text
}
