package eventstoredb_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/eventstore/storetest"
	"moviola/eventstore/storetest/cluster"
	"moviola/tests/harness/servers"
)

// names are what the resolver of this test program knows, beside the machine's own file of hosts.
var names nameServer

// nameServer answers questions for addresses. It is safe for concurrent use.
type nameServer struct {
	mu    sync.Mutex
	known map[string][]string // IPv4 addresses by name
	asked map[string]int
}

// resolveHere makes the program's resolver ask a server of its own, on loopback.
func resolveHere() error {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go names.serve(conn)
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	return nil
}

// set says what a name stands for.
func (s *nameServer) set(name string, addresses ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known, s.asked = map[string][]string{}, map[string]int{}
	}
	s.known[name] = addresses
}

// forget makes a name unknown.
func (s *nameServer) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, name)
}

// questions is how often a name was asked for.
func (s *nameServer) questions(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}

// serve answers for as long as the program lives.
func (s *nameServer) serve(conn net.PacketConn) {
	packet := make([]byte, 4096)
	for {
		n, from, err := conn.ReadFrom(packet)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(packet[:n]) != nil || len(message.Questions) != 1 {
			continue
		}
		answer, err := s.answer(message)
		if err == nil {
			_, _ = conn.WriteTo(answer, from) // who asked asks again
		}
	}
}

func (s *nameServer) answer(message dnsmessage.Message) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	question := message.Questions[0]
	name := strings.TrimSuffix(question.Name.String(), ".")
	addresses, known := s.known[name]
	message.Response, message.Authoritative, message.Additionals = true, true, nil
	if !known {
		message.RCode = dnsmessage.RCodeNameError
		return message.Pack()
	}
	s.asked[name]++
	for _, address := range addresses {
		if question.Type == dnsmessage.TypeA {
			message.Answers = append(message.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: [4]byte(net.ParseIP(address).To4())},
			})
		}
	}
	return message.Pack()
}

// clusterOf starts a cluster whose nodes share a name in DNS, and returns the string that finds it by the name.
func clusterOf(t *testing.T, name string, secured bool) (c *cluster.Cluster, discover, named string) {
	t.Helper()
	if !secured {
		c = cluster.StartWith(t, cluster.Config{OnePort: true})
		return c, c.DiscoverString(name), c.ConnectionString()
	}
	certificate := servers.NewCertificateFor(t, "127.0.0.1", "127.0.0.2", "127.0.0.3", name)
	c = cluster.StartWith(t, cluster.Config{OnePort: true, TLS: servers.ServerTLS(certificate)})
	flags := "&tlsCAFile=" + certificate.CertFile
	return c, c.DiscoverString(name) + flags, c.ConnectionString() + flags
}

// TestCluster_names: a cluster is found by a name in DNS, through whichever node answers, in plaintext and by TLS: the name may stand for
// followers, for addresses where nobody is, and for others later. What comes then is found by gossip. Decision 60.
func TestCluster_names(t *testing.T) {
	t.Parallel()
	for _, secured := range []bool{false, true} {
		name := fmt.Sprintf("nodes-%v.cluster.test", secured)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, discover, _ := clusterOf(t, name, secured)
			names.set(name, "127.0.0.9", "127.0.0.2")
			w := openWriter(t, discover)
			w.write()
			if names.questions(name) == 0 {
				t.Error("the cluster was found without its name")
			}
			c.Freeze(0)
			c.Elect(2) // which DNS does not name
			w.write()
			names.set(name)
			c.Thaw(0)
			c.Lose(2)
			c.Elect(1) // DNS names none
			w.write()
			w.wantWritten(3)
			if got := c.Unasked(); got != 0 {
				t.Errorf("followers were sent %d calls that did not ask for the leader", got)
			}
			names.set(name, "127.0.0.3", "127.0.0.1")
			c.Return(2)
			other := openWriter(t, discover) // a process that starts now
			other.write()
		})
	}
}

// TestCluster_namesNobody: a name that stands for nothing is an outage that ends when it stands for something.
func TestCluster_namesNobody(t *testing.T) {
	t.Parallel()
	const name = "nobody.cluster.test"
	names.forget(name)
	c, discover, _ := clusterOf(t, name, false)
	store := openStore(t, eventstoredb.Config{ConnectionString: discover})
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := store.Head(ctx); err == nil {
		t.Error("a cluster without a name was found")
	}
	names.set(name, slices.Repeat([]string{"127.0.0.3"}, 2)...)
	w := &writer{T: t, store: store, stream: "written-late", last: eventstore.NoStream}
	w.write()
	w.wantWritten(1)
	if c.Leader() != 0 {
		t.Error("another leads")
	}
}

// TestCluster_tls: nodes whose certificate is trusted are asked for the leader by gossip, and the leader is changed; one that shows another
// certificate is not believed.
func TestCluster_tls(t *testing.T) {
	t.Parallel()
	c, _, named := clusterOf(t, "tls.cluster.test", true)
	w := openWriter(t, named)
	w.write()
	c.Freeze(0)
	c.Elect(1)
	w.write()
	c.Thaw(0)
	c.Lose(1)
	c.Elect(2)
	w.write()
	w.wantWritten(3)
	if got := c.Unasked(); got != 0 {
		t.Errorf("followers were sent %d calls that did not ask for the leader", got)
	}
	stranger := openStore(t, eventstoredb.Config{ConnectionString: c.ConnectionString() + "&tlsCAFile=" + servers.NewCertificate(t).CertFile})
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := stranger.Head(ctx); err == nil {
		t.Error("a cluster was believed whose certificate nobody has signed")
	}
}

// TestCluster_tlsContract runs the contract of event stores over TLS and a name in DNS.
func TestCluster_tlsContract(t *testing.T) {
	t.Parallel()
	const name = "contract.cluster.test"
	c, discover, _ := clusterOf(t, name, true)
	names.set(name, "127.0.0.1", "127.0.0.2", "127.0.0.3")
	c.SetLag(1, 300*time.Millisecond)
	storetest.Run(t, func(t *testing.T) eventstore.Store {
		return openServed(t, eventstoredb.Config{ConnectionString: discover})
	})
}

// TestCluster_copy copies into a cluster by its batch append, while it elects other leaders: every event arrives once, in its order.
func TestCluster_copy(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	p := newPair(t)
	p.to = openServed(t, eventstoredb.Config{ConnectionString: c.ConnectionString()})
	for i := range 120 {
		p.append(p.from, fmt.Sprintf("movie-%d", i%40), eventstore.Revision(i/40*2)-1, "Happened", `{"n":1}`, 2)
	}
	next, elected := 1, int64(0)
	_, err := eventstoredb.Copy(p.ctx, p.from, p.to, func(done eventstoredb.Copied) {
		if done.Events-elected < 60 {
			return
		}
		elected = done.Events
		c.StepDown()
		c.Elect(next)
		next = (next + 1) % cluster.Size
	})
	if err != nil {
		t.Fatal(err)
	}
	if elected == 0 {
		t.Error("nobody was elected meanwhile")
	}
	p.wantSame()
	end, err := p.from.Head(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := eventstoredb.Compare(p.ctx, p.from, p.to, end); err != nil || same.Events != 240 {
		t.Errorf("compared: %+v, %v", same, err)
	}
	if got := c.Unasked(); got != 0 {
		t.Errorf("followers were sent %d calls that did not ask for the leader", got)
	}
}
