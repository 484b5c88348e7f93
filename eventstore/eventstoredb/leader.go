package eventstoredb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"moviola/eventstore"
)

// gossipTimeout is the time limit for asking all nodes who leads, DNS lookup included. It is also the maximum time of each
// gossip request that the client makes when it looks for the leader by itself.
const gossipTimeout = 2 * time.Second

// toLeader makes the calls of a context require the leader of a cluster, because a follower would answer reads from its own
// log, which may be behind. Decision 60. The client has an option for that, but puts the header where it is never sent.
// toLeader also adds pass to the calls (withPass).
func toLeader(ctx context.Context, pass string) context.Context {
	return metadata.AppendToOutgoingContext(withPass(ctx, pass), "requires-leader", "true")
}

// withPass adds pass to the calls of a context. pass is the token that an embedded server demands of calls through its
// unix socket; when it is empty, ctx is returned as it is.
func withPass(ctx context.Context, pass string) context.Context {
	if pass == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, eventstore.PassHeader, pass)
}

// passOf reads the pass for calls to an address: the token that an embedded server demands of calls through its unix
// socket. It is empty for other addresses, and when no file with a pass is beside the socket. The server makes a new pass
// at each start.
func passOf(address string) (string, error) {
	socket, ok := strings.CutPrefix(address, "unix://")
	if !ok {
		return "", nil
	}
	pass, err := os.ReadFile(eventstore.PassFile(socket))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(pass), err
}

// finder finds the leader of a cluster. The client's own discovery asks one node after the other, up to five seconds each, and
// knows only the nodes of the connection string.
type finder struct {
	settings esdb.Configuration

	mu sync.Mutex
	// members are the host:port of every node that was alive in any gossip of a cluster so far. None is ever removed. nil: no
	// gossip has named two nodes.
	members []string
}

// view is the combined gossip of the nodes.
type view struct {
	leader string               // host:port of the leader; empty: no leader is known
	nodes  int                  // number of nodes in the cluster; 0: none has answered
	seeds  []*esdb.EndPoint     // nodes that are alive, for the client's own search for the leader
	alive  []*gossip.MemberInfo // members that are alive, according to one node that names this leader
}

// place is an address to dial, and the name that its certificate has to have.
type place struct{ addr, name string }

// discovers reports whether the connection string names a cluster.
func (f *finder) discovers() bool { return f.settings.DnsDiscover || len(f.settings.GossipSeeds) > 0 }

// places returns all addresses where a node may be.
func (f *finder) places(ctx context.Context) []place {
	var all []place
	add := func(addr, name string) {
		if !slices.ContainsFunc(all, func(p place) bool { return p.addr == addr }) {
			all = append(all, place{addr: addr, name: name})
		}
	}
	for _, seed := range f.settings.GossipSeeds {
		add(seed.String(), seed.Host)
	}
	if host, port, err := net.SplitHostPort(f.settings.Address); err == nil && len(all) == 0 {
		found, _ := net.DefaultResolver.LookupHost(ctx, host) // when the lookup fails, only the known members are asked
		for _, ip := range found {
			add(net.JoinHostPort(ip, port), host)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, member := range f.members {
		host, _, _ := net.SplitHostPort(member)
		add(member, host)
	}
	return all
}

// ask asks all nodes at once who leads. It stops waiting as soon as a majority of the nodes has named the same leader.
func (f *finder) ask(ctx context.Context) view {
	if strings.HasPrefix(f.settings.Address, "unix:") {
		return view{}
	}
	ctx, cancel := context.WithTimeout(ctx, gossipTimeout)
	defer cancel()
	places := f.places(ctx)
	type answer struct {
		from    place
		members []*gossip.MemberInfo
	}
	answers := make(chan answer, len(places))
	for _, p := range places {
		go func() { answers <- answer{p, f.hear(ctx, p)} }()
	}
	heard := map[string]bool{}
	votes := map[string]int{}
	var best view
	for range places {
		a := <-answers
		if len(a.members) == 0 {
			continue
		}
		heard[a.from.addr] = true
		leader, alive := read(a.members)
		votes[leader]++
		if best.nodes == 0 || votes[leader] > votes[best.leader] || best.leader == "" {
			best = view{leader: leader, nodes: len(a.members), alive: alive}
		}
		if leader != "" && 2*votes[leader] > len(a.members) {
			break
		}
	}
	best.seeds = seedsOf(best.alive, heard)
	f.remember(best)
	return best
}

// remember stores the addresses of a cluster's nodes.
func (f *finder) remember(v view) {
	if v.nodes < 2 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, member := range v.alive {
		if name := nameOf(member); !slices.Contains(f.members, name) {
			f.members = append(f.members, name)
		}
	}
}

// hear asks one node for its gossip; nil without an answer.
func (f *finder) hear(ctx context.Context, p place) []*gossip.MemberInfo {
	transport, err := transportOf(&f.settings, p.name)
	if err != nil {
		return nil
	}
	conn, err := grpc.NewClient("passthrough:///"+p.addr, grpc.WithTransportCredentials(transport))
	if err != nil {
		return nil
	}
	defer func() { _ = conn.Close() }() // no call is running on the connection, so closing it loses nothing
	info, err := gossip.NewGossipClient(conn).Read(ctx, &shared.Empty{})
	if err != nil {
		return nil
	}
	return info.GetMembers()
}

// read evaluates the gossip of one node: who leads, and which nodes are alive.
func read(members []*gossip.MemberInfo) (leader string, alive []*gossip.MemberInfo) {
	for _, member := range members {
		if !member.GetIsAlive() {
			continue
		}
		alive = append(alive, member)
		if member.GetState() == gossip.MemberInfo_Leader {
			leader = nameOf(member)
		}
	}
	return leader, alive
}

// seedsOf returns the live nodes that have answered. It returns all live nodes when gossip names none of the addresses that were
// asked.
func seedsOf(alive []*gossip.MemberInfo, heard map[string]bool) []*esdb.EndPoint {
	var answered, all []*esdb.EndPoint
	for _, member := range alive {
		seed := &esdb.EndPoint{Host: member.GetHttpEndPoint().GetAddress(), Port: uint16(member.GetHttpEndPoint().GetPort())}
		all = append(all, seed)
		if heard[nameOf(member)] {
			answered = append(answered, seed)
		}
	}
	if len(answered) > 0 {
		return answered
	}
	return all
}

func nameOf(member *gossip.MemberInfo) string {
	return net.JoinHostPort(member.GetHttpEndPoint().GetAddress(), strconv.Itoa(int(member.GetHttpEndPoint().GetPort())))
}

// toward returns settings for a client that finds the leader by itself, now and after an election.
func (f *finder) toward(v view) esdb.Configuration {
	settings := f.settings
	settings.DnsDiscover, settings.GossipSeeds, settings.NodePreference = false, v.seeds, esdb.NodePreferenceLeader
	settings.GossipTimeout = min(settings.GossipTimeout, int(gossipTimeout/time.Second))
	return settings
}

func (v view) String() string {
	if v.leader == "" {
		return fmt.Sprintf("none of %d nodes leads", v.nodes)
	}
	return v.leader + " leads"
}
