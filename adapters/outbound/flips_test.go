package outbound_test

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"moviola/adapters/outbound"
)

// nameserver answers every question for A with the next of its answers, over UDP, to be kept for no time.
type nameserver struct {
	conn    net.PacketConn
	answers [][]netip.Addr
	asked   atomic.Int64
}

func newNameserver(t *testing.T, answers ...[]netip.Addr) *nameserver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameserver{conn: conn, answers: answers}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buffer := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, ok := s.reply(buffer[:n]); ok {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return s
}

func (s *nameserver) reply(question []byte) ([]byte, bool) {
	var message dnsmessage.Message
	if err := message.Unpack(question); err != nil || len(message.Questions) != 1 {
		return nil, false
	}
	message.Response, message.Additionals = true, nil
	if q := message.Questions[0]; q.Type == dnsmessage.TypeA {
		for _, addr := range s.answers[int(s.asked.Add(1)-1)%len(s.answers)] {
			message.Answers = append(message.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: addr.As4()},
			})
		}
	}
	reply, err := message.Pack()
	return reply, err == nil
}

func (s *nameserver) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

// Answers that change with every question, between what is public and what is not: what listens on this host is never reached, and
// an answer with one bad address is refused whole.
func TestDial_FlippingAnswers(t *testing.T) {
	t.Parallel()
	public, private := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("127.0.0.1")
	sink := listen(t, hello)
	server := newNameserver(t, []netip.Addr{private}, []netip.Addr{public, private}, []netip.Addr{private, public}, []netip.Addr{netip.MustParseAddr("0.0.0.0")})
	g := guard(t, outbound.Config{Resolver: server.resolver()})
	const flips = 10_000
	for i := range flips {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		conn, err := g.DialContext(ctx, "tcp", "flip.example.com:"+sink.port)
		cancel()
		if err == nil {
			conn.Close()
		}
		if !isRefused(err) {
			t.Fatalf("flip %d: %v", i, err)
		}
	}
	if hits := sink.hits.Load(); hits != 0 || server.asked.Load() < flips {
		t.Errorf("%d hits after %d questions", hits, server.asked.Load())
	}
}
