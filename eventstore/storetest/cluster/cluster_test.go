package cluster_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/eventstore/storetest/cluster"
)

const patience = 2 * time.Minute

// nodeClient speaks to one node, without the official client's own ideas.
type nodeClient struct {
	*testing.T
	ctx     context.Context
	streams streams.StreamsClient
	gossip  gossip.GossipClient
}

func dial(t *testing.T, c *cluster.Cluster, number int) nodeClient {
	t.Helper()
	conn, err := grpc.NewClient(c.Addr(number), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(func() {
		cancel()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return nodeClient{T: t, ctx: ctx, streams: streams.NewStreamsClient(conn), gossip: gossip.NewGossipClient(conn)}
}

// append appends one event to a stream, and returns the trailers of a refusal.
func (n nodeClient) append(ctx context.Context, stream string) (metadata.MD, error) {
	n.Helper()
	call, err := n.streams.Append(ctx)
	if err != nil {
		return nil, err
	}
	for _, message := range []*streams.AppendReq{
		{Content: &streams.AppendReq_Options_{Options: &streams.AppendReq_Options{
			StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte(stream)}, ExpectedStreamRevision: &streams.AppendReq_Options_Any{Any: &shared.Empty{}},
		}}},
		{Content: &streams.AppendReq_ProposedMessage_{ProposedMessage: &streams.AppendReq_ProposedMessage{
			Id:       &shared.UUID{Value: &shared.UUID_String_{String_: uuid.NewString()}},
			Metadata: map[string]string{"type": "Tested", "content-type": "application/json"}, Data: []byte("{}"),
		}}},
	} {
		if err := call.Send(message); err != nil {
			break // the answer says why
		}
	}
	_, err = call.CloseAndRecv()
	return call.Trailer(), err
}

// count reads a stream backwards and returns how many events it has, -1 when it is missing, or the refusal.
func (n nodeClient) count(ctx context.Context, stream string) (int, error) {
	n.Helper()
	call, err := n.streams.Read(ctx, &streams.ReadReq{Options: &streams.ReadReq_Options{
		StreamOption: &streams.ReadReq_Options_Stream{Stream: &streams.ReadReq_Options_StreamOptions{
			StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte(stream)},
			RevisionOption:   &streams.ReadReq_Options_StreamOptions_End{End: &shared.Empty{}},
		}},
		ReadDirection: streams.ReadReq_Options_Backwards, CountOption: &streams.ReadReq_Options_Count{Count: 100},
		FilterOption: &streams.ReadReq_Options_NoFilter{NoFilter: &shared.Empty{}},
		UuidOption:   &streams.ReadReq_Options_UUIDOption{Content: &streams.ReadReq_Options_UUIDOption_Structured{Structured: &shared.Empty{}}},
	}})
	if err != nil {
		return 0, err
	}
	for seen := 0; ; seen++ {
		message, err := call.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return seen, nil
		case err != nil:
			return 0, err
		case message.GetStreamNotFound() != nil:
			return -1, nil
		}
	}
}

func (n nodeClient) want(what string, want int) {
	n.Helper()
	if got, err := n.count(n.ctx, "stream-1"); err != nil || got != want {
		n.Errorf("%s: %d events (%v), want %d", what, got, err, want)
	}
}

func (n nodeClient) mustAppend() {
	n.Helper()
	if _, err := n.append(n.ctx, "stream-1"); err != nil {
		n.Fatal(err)
	}
}

// TestFollower: a follower forwards appends and answers from its own log, unless the leader is asked for, which it names.
func TestFollower(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	c.Hold(1)
	leader, follower := dial(t, c, 0), dial(t, c, 1)
	follower.mustAppend()
	follower.want("the follower, which is held", -1)
	leader.want("the leader", 1)
	c.Release(1)
	follower.want("the follower, released", 1)
	c.SetLag(1, time.Hour)
	leader.mustAppend()
	follower.want("the follower, an hour behind", -1)
	if got := c.Unasked(); got != 4 {
		t.Errorf("the follower has counted %d calls, want 4", got)
	}

	asking := metadata.AppendToOutgoingContext(follower.ctx, "requires-leader", "true")
	trailer, err := follower.append(asking, "stream-1")
	port := strconv.Itoa(leaderPort(t, c, 0))
	if status.Code(err) != codes.NotFound || first(trailer, "exception") != "not-leader" ||
		first(trailer, "leader-endpoint-host") != "127.0.0.1" || first(trailer, "leader-endpoint-port") != port {
		t.Errorf("append: %v, trailers %v", err, trailer)
	}
	if _, err := follower.count(asking, "stream-1"); status.Code(err) != codes.NotFound {
		t.Errorf("read: %v", err)
	}
	c.Elect(1)
	if got, err := follower.count(asking, "stream-1"); err != nil || got != 2 {
		t.Errorf("read from the new leader: %d, %v", got, err)
	}
}

func first(md metadata.MD, key string) string {
	if values := md.Get(key); len(values) == 1 {
		return values[0]
	}
	return ""
}

// leaderPort asks a node by gossip where the leader is, 0: there is none.
func leaderPort(t *testing.T, c *cluster.Cluster, number int) int {
	t.Helper()
	n := dial(t, c, number)
	info, err := n.gossip.Read(n.ctx, &shared.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range info.GetMembers() {
		if member.GetState() == gossip.MemberInfo_Leader && member.GetIsAlive() {
			return int(member.GetHttpEndPoint().GetPort())
		}
	}
	return 0
}

// TestAway: a frozen node answers when it is thawed, a lost one not at all, and without a majority nothing is stored.
func TestAway(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	c.Freeze(2)
	answered := make(chan error, 1)
	frozen := dial(t, c, 2)
	go func() {
		_, err := frozen.gossip.Read(frozen.ctx, &shared.Empty{})
		answered <- err
	}()
	c.Lose(1)
	if _, err := dial(t, c, 1).append(frozen.ctx, "stream-1"); status.Code(err) != codes.Unavailable {
		t.Errorf("append to a lost node: %v", err)
	}
	leader := dial(t, c, 0)
	appended := make(chan error, 1)
	go func() {
		_, err := leader.append(leader.ctx, "stream-1")
		appended <- err
	}()
	leader.want("without a majority", -1)
	select {
	case err := <-answered:
		t.Errorf("a frozen node has answered: %v", err)
	case err := <-appended:
		t.Errorf("something was stored without a majority: %v", err)
	default:
	}
	c.Thaw(2)
	for what, came := range map[string]chan error{"thawed": answered, "with a majority": appended} {
		if err := <-came; err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	leader.want("with a majority", 1)
	c.StepDown()
	if _, err := leader.append(leader.ctx, "stream-1"); status.Code(err) != codes.Unavailable {
		t.Errorf("append without a leader: %v", err)
	}
	if port := leaderPort(t, c, 0); port != 0 {
		t.Errorf("gossip names a leader at port %d, and there is none", port)
	}
}
