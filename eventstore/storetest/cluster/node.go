package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// node serves clients. The cluster's lock guards the fields from state on; the others never change.
type node struct {
	streams.UnimplementedStreamsServer
	cluster *Cluster
	number  int
	addr    *net.TCPAddr
	wire    *wire

	state   state
	noticed bool // gossip reports the node as dead
	held    bool
	heldAt  uint64 // the last position that the node sees after Hold
	lag     time.Duration
}

func (n *node) reachable() bool { return n.state == running }

func asksForLeader(ctx context.Context) bool {
	asked, _ := metadata.FromIncomingContext(ctx)
	values := asked.Get("requires-leader")
	return len(values) > 0 && values[0] == "true"
}

// note counts the calls to a follower that do not require the leader.
func (n *node) note(ctx context.Context) {
	c := n.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader != n.number && !asksForLeader(ctx) {
		c.unasked++
	}
}

// refuse returns the error with which a genuine node refuses a call that another node has to serve.
func (n *node) refuse(ctx context.Context) error {
	c := n.cluster
	c.mu.Lock()
	leader := c.leader
	wanted := asksForLeader(ctx)
	c.mu.Unlock()
	switch {
	case leader == n.number, leader != nobody && !wanted:
		return nil
	case leader == nobody:
		return status.Error(codes.Unavailable, "Server Is Not Ready")
	}
	addr := c.nodes[leader].addr
	trailer := metadata.Pairs("exception", "not-leader",
		"leader-endpoint-host", addr.IP.String(), "leader-endpoint-port", strconv.Itoa(addr.Port))
	if err := grpc.SetTrailer(ctx, trailer); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	return status.Error(codes.NotFound, "Leader info available")
}

// storable waits until events can be stored: until the leader answers, and there is a majority. A node that forwards needs
// the leader, which may be frozen. Without a leader, storable returns an error at once.
func (n *node) storable(ctx context.Context) error {
	c := n.cluster
	for {
		c.mu.Lock()
		leader, changed := c.leader, c.changed
		ready := leader != nobody && c.nodes[leader].reachable() && c.majority()
		c.mu.Unlock()
		switch {
		case ready:
			return nil
		case leader == nobody:
			return status.Error(codes.Unavailable, "Server Is Not Ready")
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
}

// Append behaves as the leader does, and forwards the trailers of a refusal. It reads the whole request first, also when it is
// refused.
func (n *node) Append(call streams.Streams_AppendServer) error {
	var messages []*streams.AppendReq
	for {
		message, err := call.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		messages = append(messages, message)
	}
	if err := n.mayStore(call.Context()); err != nil {
		return err
	}
	inner, err := n.cluster.log.Append(call.Context())
	if err != nil {
		return err
	}
	for _, message := range messages {
		if err := inner.Send(message); err != nil {
			break // the answer tells the cause
		}
	}
	answer, err := inner.CloseAndRecv()
	if err != nil {
		call.SetTrailer(inner.Trailer())
		return err
	}
	if position := answer.GetSuccess().GetPosition(); position != nil {
		n.cluster.committed(position.GetCommitPosition())
	}
	return call.SendAndClose(answer)
}

// mayStore returns nil when this node may store or forward an append, and there is a leader for it. It returns an error also
// when the call requires the leader, and this node led at the beginning of the call but no longer when there is a majority
// again.
func (n *node) mayStore(ctx context.Context) error {
	n.note(ctx)
	if err := n.refuse(ctx); err != nil {
		return err
	}
	if err := n.storable(ctx); err != nil {
		return err
	}
	return n.refuse(ctx)
}

// Delete deletes softly, as the leader does.
func (n *node) Delete(ctx context.Context, request *streams.DeleteReq) (*streams.DeleteResp, error) {
	if err := n.mayStore(ctx); err != nil {
		return nil, err
	}
	var trailer metadata.MD
	answer, err := n.cluster.log.Delete(ctx, request, grpc.Trailer(&trailer))
	if err != nil {
		return nil, errors.Join(grpc.SetTrailer(ctx, trailer), err)
	}
	n.cluster.committed(answer.GetPosition().GetCommitPosition())
	return answer, nil
}

// gossipOf serves the gossip of one node.
type gossipOf struct {
	gossip.UnimplementedGossipServer
	node *node
}

// Read lists the nodes.
func (g gossipOf) Read(context.Context, *shared.Empty) (*gossip.ClusterInfo, error) {
	c := g.node.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	info := &gossip.ClusterInfo{}
	for _, n := range c.nodes {
		role := gossip.MemberInfo_Follower
		switch {
		case c.leader == nobody:
			role = gossip.MemberInfo_Unknown
		case c.leader == n.number:
			role = gossip.MemberInfo_Leader
		}
		info.Members = append(info.Members, &gossip.MemberInfo{
			State: role, IsAlive: !n.noticed, TimeStamp: time.Now().UnixNano() / 100,
			HttpEndPoint: &gossip.EndPoint{Address: n.addr.IP.String(), Port: uint32(n.addr.Port)},
		})
	}
	return info, nil
}

// featuresOf serves the supported methods of the log's server.
type featuresOf struct {
	serverfeatures.UnimplementedServerFeaturesServer
	node *node
}

// GetSupportedMethods forwards the call to the log's server.
func (f featuresOf) GetSupportedMethods(ctx context.Context, none *shared.Empty) (*serverfeatures.SupportedMethods, error) {
	return f.node.cluster.features.GetSupportedMethods(ctx, none)
}
