package eventstoredb_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
)

// followerNode is a node whose log holds nothing and which is not the leader for the first call of each kind: then it says so without
// naming the leader, as during an election. To calls that do not ask for the leader it answers from what it has.
type followerNode struct {
	streams.UnimplementedStreamsServer
	reads, appends chan struct{} // a refusal left for each
}

func (f followerNode) refuse(ctx context.Context, refusals chan struct{}) error {
	asked, _ := metadata.FromIncomingContext(ctx)
	if len(asked.Get("requires-leader")) == 0 {
		return nil
	}
	select {
	case <-refusals:
		return status.Error(codes.NotFound, "Leader info available")
	default:
		return status.Error(codes.PermissionDenied, "the leader was asked")
	}
}

func (f followerNode) Read(req *streams.ReadReq, stream streams.Streams_ReadServer) error {
	if req.GetOptions().GetAll() != nil { // the wrapper's look for the server
		return nil
	}
	if err := f.refuse(stream.Context(), f.reads); err != nil {
		return err
	}
	return stream.Send(&streams.ReadResp{Content: &streams.ReadResp_StreamNotFound_{StreamNotFound: &streams.ReadResp_StreamNotFound{
		StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte("movie-1")},
	}}})
}

func (f followerNode) Append(stream streams.Streams_AppendServer) error {
	for {
		if _, err := stream.Recv(); err != nil {
			break
		}
	}
	if err := f.refuse(stream.Context(), f.appends); err != nil {
		return err
	}
	return stream.SendAndClose(&streams.AppendResp{Result: &streams.AppendResp_Success_{Success: &streams.AppendResp_Success{}}})
}

func openFollower(t *testing.T) *eventstoredb.Store {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	node := followerNode{reads: make(chan struct{}, 1), appends: make(chan struct{}, 1)}
	node.reads <- struct{}{}
	node.appends <- struct{}{}
	server := grpc.NewServer()
	streams.RegisterStreamsServer(server, node)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return openServed(t, eventstoredb.Config{Addr: listener.Addr().String()})
}

// TestStore_notLeader: a follower's "not the leader" is an outage, never an empty stream, and every call asks for the leader.
// Decision 60.
func TestStore_notLeader(t *testing.T) {
	t.Parallel()
	store := openFollower(t)
	read := func() error {
		for recorded, err := range store.ReadStream(endless(t), "movie-1", eventstore.Forwards, 0) {
			if err != nil {
				return err
			}
			t.Errorf("read an event: %v", recorded)
		}
		return nil
	}
	write := func() error {
		_, err := store.Append(endless(t), "movie-1", eventstore.NoStream, eventstore.Proposed{ID: uuid.New(), Type: "x", Data: []byte("{}")})
		return err
	}
	for name, call := range map[string]func() error{"read": read, "append": write} {
		untilAsked(t, name, call)
	}
}

// untilAsked makes a call until the leader is asked: every time before, it has to be an outage.
func untilAsked(t *testing.T, name string, call func() error) {
	t.Helper()
	refused := 0
	for {
		switch err := call(); {
		case errors.Is(err, eventstore.ErrUnavailable):
			refused++
		case status.Code(err) == codes.PermissionDenied && refused > 0:
			return
		default:
			t.Fatalf("%s, after %d refusals: %v", name, refused, err)
		}
	}
}
