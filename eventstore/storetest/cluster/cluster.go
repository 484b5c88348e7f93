// Package cluster is a double of a cluster of three event store nodes, for tests: each node is a gRPC server on loopback that official
// clients can talk to, and behind all three lies one log, that of an embedded server. The nodes gossip; one of them leads. A follower
// refuses what asks for the leader, forwards other appends, and reads from a log that may be behind. Nothing happens by itself: a test
// says who is elected, who stops answering, and who is gone.
//
// It differs from a genuine cluster in what follows from the one log: an append that found no majority is never stored, and whoever is
// elected has every event. Appends wait while there is no majority, as a genuine leader's do until it steps down.
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

// nobody leads during an election.
const nobody = -1

const (
	maxMessageBytes = 17 << 20
	patience        = 2 * time.Minute // for the end of a server
)

// Cluster is three nodes and their log. Its methods are safe for concurrent use.
type Cluster struct {
	t        testing.TB
	config   Config
	log      streams.StreamsClient
	features serverfeatures.ServerFeaturesClient

	mu      sync.Mutex
	changed chan struct{} // closed at every change, and replaced
	leader  int           // or nobody
	nodes   [Size]*node
	commits []commit // in the order of their positions
	unasked int      // appends and counted reads of followers that did not ask for the leader
}

// commit is when an append became part of the log.
type commit struct {
	position uint64
	at       time.Time
}

// Config says how the nodes can be reached.
type Config struct {
	// TLS is what the nodes show; nil: they speak plaintext.
	TLS *tls.Config
	// OnePort gives each node a loopback address of its own (127.0.0.1, .2, .3), all with one port: what a name can stand for in DNS.
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
		t: t, config: config, log: streams.NewStreamsClient(conn), features: serverfeatures.NewServerFeaturesClient(conn), changed: make(chan struct{}),
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
		if tries == 20 { // the port that one node got may be another program's on the next address
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

// startNode serves a node. It keeps its listener for as long as the test lasts: nobody else gets its port while it is lost.
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
		n.wire.set(lost) // ends what is frozen, too
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

// DiscoverString names all nodes by a name that DNS knows. It takes Config.OnePort.
func (c *Cluster) DiscoverString(name string) string {
	return fmt.Sprintf("esdb+discover://%s:%d%s", name, c.nodes[0].addr.Port, c.flags())
}

func (c *Cluster) flags() string {
	if c.config.TLS != nil {
		return "?tls=true"
	}
	return "?tls=false"
}

// change makes a change, and wakes those who wait for one.
func (c *Cluster) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	close(c.changed)
	c.changed = make(chan struct{})
}

// Elect makes a node the leader. It has all events from then on; whoever is frozen or lost is known to be.
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

// StepDown takes the leader away, as an election does when it begins, and a leader that has lost the majority.
func (c *Cluster) StepDown() {
	c.change(func() {
		c.leader = nobody
		c.notice()
	})
}

// notice lets gossip say who is away.
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

// Freeze stops a node: its connections stay open and new ones are taken, and nothing is answered. The others do not know before the next
// election.
func (c *Cluster) Freeze(number int) { c.put(number, frozen) }

// Thaw lets a frozen node go on. What came in meanwhile it answers now, as whoever it is now.
func (c *Cluster) Thaw(number int) { c.put(number, running) }

// Lose cuts all connections of a node and takes no new ones. The others do not know before the next election.
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

// Hold keeps a node from seeing any event that is not in the log yet, for as long as it does not lead.
func (c *Cluster) Hold(number int) {
	c.change(func() {
		n := c.nodes[number]
		n.held, n.heldAt = true, c.head()
	})
}

// Release lets a held node see everything again.
func (c *Cluster) Release(number int) { c.change(func() { c.nodes[number].held = false }) }

// SetLag makes a node see every event so much later than the leader, for as long as it does not lead.
func (c *Cluster) SetLag(number int, lag time.Duration) {
	c.change(func() { c.nodes[number].lag = lag })
}

// Unasked is how many appends and reads, subscriptions aside, followers were sent that did not ask for the leader.
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

// majority says whether enough nodes are there to store something.
func (c *Cluster) majority() bool {
	there := 0
	for _, n := range c.nodes {
		if n.reachable() {
			there++
		}
	}
	return there > Size/2
}

// committed notes that the log has come to a position.
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
