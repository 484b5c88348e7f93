// Package cluster is a test double of a cluster of three event store nodes. Each node is a gRPC server on loopback that official
// clients can talk to; all three serve one log, that of an embedded server. The nodes gossip, and one of them leads. A follower
// refuses calls that require the leader, forwards other appends, and serves reads from a log that may lag. Nothing changes by
// itself: the test says who is elected, who stops answering, and who is lost.
//
// It differs from a genuine cluster because of the one log: an append without a majority is never stored, and every elected
// leader has every event. Appends wait while there is no majority, as with a genuine leader until it steps down.
package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"moviola/eventstore/embedded"
)

// Size is the number of nodes. They are numbered from 0.
const Size = 3

// nobody is the leader during an election.
const nobody = -1

const (
	maxMessageBytes = 17 << 20
	patience        = 2 * time.Minute // for a server to end
)

// Cluster is three nodes and their log. Its methods are safe for concurrent use.
type Cluster struct {
	t        testing.TB
	config   Config
	log      streams.StreamsClient
	features serverfeatures.ServerFeaturesClient

	mu      sync.Mutex
	changed chan struct{} // closed at every change, and replaced
	leader  int           // index of the leading node, or nobody
	nodes   [Size]*node
	commits []commit // in the order of their positions
	unasked int      // appends, deletions and counted reads that followers got without the requirement of a leader
}

// commit records when an append became part of the log.
type commit struct {
	position uint64
	at       time.Time
}

// Config says how clients reach the nodes.
type Config struct {
	// TLS is the configuration of the nodes' servers; nil: plaintext.
	TLS *tls.Config
	// OnePort gives each node a loopback address of its own (127.0.0.1, .2, .3), all with the same port, as a DNS name of a
	// cluster needs.
	OnePort bool
}

// Start starts a cluster that node 0 leads, in plaintext; it ends with the test.
func Start(t testing.TB) *Cluster {
	t.Helper()
	return StartWith(t, Config{})
}

// StartWith starts a cluster that node 0 leads; it ends with the test.
func StartWith(t testing.TB, config Config) *Cluster {
	t.Helper()
	server, err := embedded.Open(embedded.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := server.Close(ctx); err != nil {
			t.Errorf("close the cluster's log: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve the cluster's log: %v", err)
		}
	})
	conn, err := grpc.NewClient(server.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Errorf("close the connection to the cluster's log: %v", err)
		}
	})
	c := &Cluster{
		t: t, config: config, log: streams.NewStreamsClient(conn), features: serverfeatures.NewServerFeaturesClient(conn),
		changed: make(chan struct{}),
	}
	for i, listener := range c.listen() {
		c.nodes[i] = c.startNode(i, listener)
	}
	return c
}

// listen opens the listeners of all nodes.
func (c *Cluster) listen() (all [Size]net.Listener) {
	c.t.Helper()
	for tries := 0; ; tries++ {
		var err error
		port := "0"
		for i := range all {
			host := "127.0.0.1"
			if c.config.OnePort {
				host = fmt.Sprintf("127.0.0.%d", i+1)
			}
			if all[i], err = net.Listen("tcp", net.JoinHostPort(host, port)); err != nil {
				break
			}
			if c.config.OnePort {
				_, port, _ = net.SplitHostPort(all[i].Addr().String())
			}
		}
		if err == nil {
			return all
		}
		if tries == 20 { // the port of one node may be taken by another program on the next address
			c.t.Fatal(err)
		}
		for i, listener := range all {
			if listener != nil {
				_ = listener.Close()
			}
			all[i] = nil
		}
	}
}

// startNode serves a node. Its listener stays open for the whole test, so that no other program gets its port while the node is
// lost.
func (c *Cluster) startNode(number int, listener net.Listener) *node {
	c.t.Helper()
	n := &node{cluster: c, number: number, addr: listener.Addr().(*net.TCPAddr), wire: newWire()}
	transport := insecure.NewCredentials()
	if c.config.TLS != nil {
		transport = credentials.NewTLS(c.config.TLS)
	}
	server := grpc.NewServer(
		grpc.Creds(transport), grpc.WaitForHandlers(true), grpc.MaxRecvMsgSize(maxMessageBytes), grpc.MaxSendMsgSize(maxMessageBytes),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	)
	streams.RegisterStreamsServer(server, n)
	gossip.RegisterGossipServer(server, gossipOf{node: n})
	serverfeatures.RegisterServerFeaturesServer(server, featuresOf{node: n})
	served := make(chan error, 1)
	go func() { served <- server.Serve(&wiredListener{Listener: listener, wire: n.wire}) }()
	c.t.Cleanup(func() {
		n.wire.set(lost) // ends frozen connections, too
		server.Stop()
		if err := <-served; err != nil {
			c.t.Errorf("serve node %d: %v", number, err)
		}
	})
	return n
}

// Addr is the host:port of a node.
func (c *Cluster) Addr(number int) string { return c.nodes[number].addr.String() }

// ConnectionString names all nodes, so that clients look for the leader by gossip.
func (c *Cluster) ConnectionString() string {
	var all []string
	for _, n := range c.nodes {
		all = append(all, n.addr.String())
	}
	return "esdb://" + strings.Join(all, ",") + c.flags()
}

// DiscoverString is an esdb+discover:// address with a DNS name of all nodes. It needs Config.OnePort.
func (c *Cluster) DiscoverString(name string) string {
	return fmt.Sprintf("esdb+discover://%s:%d%s", name, c.nodes[0].addr.Port, c.flags())
}

func (c *Cluster) flags() string {
	if c.config.TLS != nil {
		return "?tls=true"
	}
	return "?tls=false"
}

// change runs do under the lock, and wakes everybody who waits for a change.
func (c *Cluster) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	close(c.changed)
	c.changed = make(chan struct{})
}

// Elect makes a node the leader, which sees all events from then on. Gossip then reports the nodes that are frozen or lost.
func (c *Cluster) Elect(number int) {
	c.t.Helper()
	c.change(func() {
		if !c.nodes[number].reachable() || !c.majority() {
			c.t.Errorf("node %d cannot be elected: it is away, or the majority is", number)
		}
		c.leader = number
		c.notice()
	})
}

// StepDown removes the leader, as at the beginning of an election or after the loss of the majority.
func (c *Cluster) StepDown() {
	c.change(func() {
		c.leader = nobody
		c.notice()
	})
}

// notice makes gossip report the nodes that are frozen or lost.
func (c *Cluster) notice() {
	for _, n := range c.nodes {
		n.noticed = !n.reachable()
	}
}

// Leader is the number of the node that leads, or -1.
func (c *Cluster) Leader() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leader
}

// Freeze stops a node: its connections stay open, it accepts new ones, and it answers nothing. The other nodes notice that at the
// next election.
func (c *Cluster) Freeze(number int) { c.put(number, frozen) }

// Thaw resumes a frozen node. It then answers the calls that came in meanwhile, in its present role.
func (c *Cluster) Thaw(number int) { c.put(number, running) }

// Lose cuts all connections of a node and accepts no new ones. The other nodes notice that at the next election.
func (c *Cluster) Lose(number int) { c.put(number, lost) }

// Return lets a lost node come back.
func (c *Cluster) Return(number int) { c.put(number, running) }

func (c *Cluster) put(number int, s state) {
	c.change(func() {
		n := c.nodes[number]
		n.state = s
		if s == running {
			n.noticed = false
		}
	})
	c.nodes[number].wire.set(s)
}

// Hold hides all later events from a node while it is a follower.
func (c *Cluster) Hold(number int) {
	c.change(func() {
		n := c.nodes[number]
		n.held, n.heldAt = true, c.head()
	})
}

// Release ends Hold.
func (c *Cluster) Release(number int) { c.change(func() { c.nodes[number].held = false }) }

// SetLag makes a node see every event by lag later than the leader, while it is a follower.
func (c *Cluster) SetLag(number int, lag time.Duration) {
	c.change(func() { c.nodes[number].lag = lag })
}

// Unasked counts the appends, deletions and counted reads that reached followers without the requirement of a leader.
func (c *Cluster) Unasked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unasked
}

func (c *Cluster) head() uint64 {
	if len(c.commits) == 0 {
		return 0
	}
	return c.commits[len(c.commits)-1].position
}

// majority reports whether enough nodes are alive to store events.
func (c *Cluster) majority() bool {
	there := 0
	for _, n := range c.nodes {
		if n.reachable() {
			there++
		}
	}
	return there > Size/2
}

// committed records that the log has reached a position.
func (c *Cluster) committed(position uint64) {
	c.change(func() {
		i := len(c.commits)
		for i > 0 && c.commits[i-1].position > position {
			i--
		}
		c.commits = append(c.commits, commit{})
		copy(c.commits[i+1:], c.commits[i:])
		c.commits[i] = commit{position: position, at: time.Now()}
	})
}
