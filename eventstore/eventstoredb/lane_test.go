package eventstoredb_test

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
)

// busyNode forwards to an event store, but for one append of a batch, which it refuses. It answers when all have come.
type busyNode struct {
	streams.UnimplementedStreamsServer
	inner        streams.StreamsClient
	refused, all int // number of the refused append, counted from 1, and of all of them
}

func (n *busyNode) Read(request *streams.ReadReq, call streams.Streams_ReadServer) error {
	inner, err := n.inner.Read(call.Context(), request)
	for err == nil {
		var message *streams.ReadResp
		if message, err = inner.Recv(); err == nil {
			err = call.Send(message)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	call.SetTrailer(inner.Trailer())
	return err
}

func (n *busyNode) Append(call streams.Streams_AppendServer) error {
	inner, err := n.inner.Append(call.Context())
	for err == nil {
		var message *streams.AppendReq
		if message, err = call.Recv(); err == nil {
			err = inner.Send(message)
		}
	}
	answer, err := inner.CloseAndRecv()
	if err != nil {
		return err
	}
	return call.SendAndClose(answer)
}

func (n *busyNode) BatchAppend(call streams.Streams_BatchAppendServer) error {
	inner, err := n.inner.BatchAppend(call.Context())
	var answers []*streams.BatchAppendResp
	for err == nil {
		var message *streams.BatchAppendReq
		if message, err = call.Recv(); err != nil {
			break
		}
		answer := &streams.BatchAppendResp{CorrelationId: message.GetCorrelationId(), Result: &streams.BatchAppendResp_Error{
			Error: &statuspb.Status{Code: int32(codes.ResourceExhausted), Message: "too many appends are waiting"},
		}}
		if len(answers)+1 != n.refused {
			if err = inner.Send(message); err == nil {
				answer, err = inner.Recv()
			}
		}
		if answers = append(answers, answer); len(answers) == n.all {
			for _, answer := range answers {
				err = errors.Join(err, call.Send(answer))
			}
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// TestCopy_refusedAppend: an append that a busy target refuses is made again, also when it has taken later ones.
func TestCopy_refusedAppend(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	target := startServer(t, embedded.Config{Dir: t.TempDir()})
	conn, err := grpc.NewClient(target.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	server := grpc.NewServer()
	streams.RegisterStreamsServer(server, &busyNode{inner: streams.NewStreamsClient(conn), refused: 2, all: 5})
	p.to = openServed(t, eventstoredb.Config{Addr: serveGRPC(t, server)})
	for i := range 5 {
		p.append(p.from, fmt.Sprintf("a-%d", i), eventstore.NoStream, "Happened", `{}`, 1)
	}
	var once sync.Once
	grow := func(eventstoredb.Copied) { // the target has the first event of this stream already
		once.Do(func() { p.append(p.from, "a-4", 0, "Happened", `{}`, 1) })
	}
	if done, err := eventstoredb.Copy(p.ctx, p.from, p.to, grow); err != nil {
		t.Errorf("%+v, %v", done, err)
	}
	for i, want := range []int{1, 1, 1, 1, 2} {
		if got := len(p.stream(p.to, fmt.Sprintf("a-%d", i))); got != want {
			t.Errorf("the copy has %d events of a-%d, want %d", got, i, want)
		}
	}
}
