package embedded_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"moviola/eventstore/embedded"
)

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 2 * time.Minute

// harness is a served event store with the official client, and with the bare protocol for what that client cannot say.
type harness struct {
	*testing.T
	ctx    context.Context
	server *embedded.Server
	client *esdb.Client
	conn   *grpc.ClientConn
	wire   streams.StreamsClient
}

func newHarness(t *testing.T, config embedded.Config) *harness {
	t.Helper()
	if config.Dir == "" {
		config.Dir = t.TempDir()
	}
	server, err := embedded.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	return serveHarness(t, server)
}

// serveHarness serves an opened server until the test ends.
func serveHarness(t *testing.T, server *embedded.Server) *harness {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	h := &harness{T: t, ctx: ctx, server: server, client: newClient(t, server.Addr())}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	conn, err := grpc.NewClient(server.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	h.conn, h.wire = conn, streams.NewStreamsClient(conn)
	t.Cleanup(func() {
		cancel()
		_ = h.client.Close()
		_ = conn.Close()
		if err := closeServer(server); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return h
}

func closeServer(server *embedded.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return server.Close(ctx)
}

// newClient returns an official client; it dials at its first call.
func newClient(t testing.TB, addr string) *esdb.Client {
	t.Helper()
	settings, err := esdb.ParseConnectionString("esdb://127.0.0.1:1?tls=false")
	if err != nil {
		t.Fatal(err)
	}
	settings.Address = addr
	settings.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(settings)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func events(n int) []esdb.EventData {
	made := make([]esdb.EventData, n)
	for i := range made {
		made[i] = esdb.EventData{
			EventID: uuid.New(), EventType: "Tested", ContentType: esdb.ContentTypeJson, Data: fmt.Appendf(nil, `{"n":%d}`, i),
		}
	}
	return made
}

// append appends through the official client and returns its answer.
func (h *harness) append(stream string, expected esdb.ExpectedRevision, events ...esdb.EventData) (*esdb.WriteResult, error) {
	return h.client.AppendToStream(h.ctx, stream, esdb.AppendToStreamOptions{ExpectedRevision: expected}, events...)
}

func (h *harness) mustAppend(stream string, expected esdb.ExpectedRevision, events ...esdb.EventData) *esdb.WriteResult {
	h.Helper()
	written, err := h.append(stream, expected, events...)
	if err != nil {
		h.Fatalf("append to %s: %v", stream, err)
	}
	return written
}

// read returns the revisions of a counted read of a stream.
func (h *harness) read(stream string, options esdb.ReadStreamOptions, count uint64) ([]uint64, error) {
	read, err := h.client.ReadStream(h.ctx, stream, options, count)
	if err != nil {
		return nil, err
	}
	defer read.Close()
	revisions := []uint64{}
	for event, err := range received(read) {
		if err != nil {
			return revisions, err
		}
		revisions = append(revisions, event.OriginalEvent().EventNumber)
	}
	return revisions, nil
}

// send makes an append on the bare protocol.
func (h *harness) send(messages ...*streams.AppendReq) (*streams.AppendResp, error) {
	h.Helper()
	call, err := h.wire.Append(h.ctx)
	if err != nil {
		h.Fatal(err)
	}
	for _, message := range messages {
		if err := call.Send(message); err != nil {
			h.Fatalf("the server ended the request before it was sent: %v", err)
		}
	}
	return call.CloseAndRecv()
}

func toStream(stream string) *streams.AppendReq {
	return &streams.AppendReq{Content: &streams.AppendReq_Options_{Options: &streams.AppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
		ExpectedStreamRevision: &streams.AppendReq_Options_NoStream{NoStream: &shared.Empty{}},
	}}}
}

func message(id *shared.UUID, metadata map[string]string, data []byte) *streams.AppendReq {
	return &streams.AppendReq{Content: &streams.AppendReq_ProposedMessage_{ProposedMessage: &streams.AppendReq_ProposedMessage{
		Id: id, Metadata: metadata, Data: data,
	}}}
}

func stringID(id string) *shared.UUID { return &shared.UUID{Value: &shared.UUID_String_{String_: id}} }

var tested = map[string]string{"type": "Tested", "content-type": "application/json"}

// rounds is how often a test with random choices makes one.
func rounds(normal, long int) int {
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		return long
	}
	return normal
}
