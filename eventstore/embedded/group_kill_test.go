package embedded_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// shop is a stream with a persistent subscription whose server is killed again and again. It speaks the bare protocol: the official
// client may hang when its server dies.
type shop struct {
	*testing.T
	dir string

	mu      sync.Mutex
	sold    map[string]bool // events whose append was acknowledged
	handled map[string]bool // events that a consumer has acked or skipped
	came    chan struct{}   // gets a token for each event that came to a consumer
}

func dialChild(t *testing.T, server *child) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(server.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

var orders = &shared.StreamIdentifier{StreamName: []byte("orders-1")}

func createOrders() *persistent.CreateReq {
	return &persistent.CreateReq{Options: &persistent.CreateReq_Options{
		StreamOption: &persistent.CreateReq_Options_Stream{Stream: &persistent.CreateReq_StreamOptions{
			StreamIdentifier: orders, RevisionOption: &persistent.CreateReq_StreamOptions_Start{Start: &shared.Empty{}},
		}},
		GroupName: "packers",
		Settings: &persistent.CreateReq_Settings{
			MaxRetryCount: 3, MinCheckpointCount: 1, MaxCheckpointCount: 5, LiveBufferSize: 100, ReadBatchSize: 10, HistoryBufferSize: 100,
			ConsumerStrategy: "RoundRobin",
			MessageTimeout:   &persistent.CreateReq_Settings_MessageTimeoutMs{MessageTimeoutMs: 60_000},
			CheckpointAfter:  &persistent.CreateReq_Settings_CheckpointAfterMs{CheckpointAfterMs: 20},
		},
	}}
}

// sell appends events until the server is gone.
func (s *shop) sell(ctx context.Context, conn *grpc.ClientConn) {
	client := streams.NewStreamsClient(conn)
	for ctx.Err() == nil {
		id := uuid.New()
		call, err := client.Append(ctx)
		if err != nil {
			return
		}
		options := &streams.AppendReq_Options{
			StreamIdentifier: orders, ExpectedStreamRevision: &streams.AppendReq_Options_Any{Any: &shared.Empty{}},
		}
		_ = call.Send(&streams.AppendReq{Content: &streams.AppendReq_Options_{Options: options}}) // the answer tells
		_ = call.Send(message(stringID(id.String()), tested, []byte(`{}`)))
		if answer, err := call.CloseAndRecv(); err != nil || answer.GetSuccess() == nil {
			return
		}
		s.mu.Lock()
		s.sold[id.String()] = true
		s.mu.Unlock()
	}
}

// pack consumes until the server is gone. Some events it refuses, unless it is patient.
func (s *shop) pack(ctx context.Context, conn *grpc.ClientConn, patient bool) {
	call, err := persistent.NewPersistentSubscriptionsClient(conn).Read(ctx)
	if err != nil {
		return
	}
	_ = call.Send(&persistent.ReadReq{Content: &persistent.ReadReq_Options_{Options: &persistent.ReadReq_Options{
		StreamOption: &persistent.ReadReq_Options_StreamIdentifier{StreamIdentifier: orders}, GroupName: "packers", BufferSize: 7,
		UuidOption: &persistent.ReadReq_Options_UUIDOption{Content: &persistent.ReadReq_Options_UUIDOption_String_{String_: &shared.Empty{}}},
	}}})
	for {
		answer, err := call.Recv()
		if err != nil {
			return
		}
		event := answer.GetEvent()
		if event == nil {
			continue
		}
		if err := call.Send(s.verdict(event, patient)); err != nil {
			return
		}
		select {
		case s.came <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

// verdict answers for an event by the id of its link, when it came by one.
func (s *shop) verdict(event *persistent.ReadResp_ReadEvent, patient bool) *persistent.ReadReq {
	original := event.GetEvent().GetId()
	if event.GetLink() != nil {
		original = event.GetLink().GetId()
	}
	ids := []*shared.UUID{original}
	action := persistent.ReadReq_Nack_Unknown
	if !patient {
		switch rand.IntN(20) {
		case 0, 1:
			action = persistent.ReadReq_Nack_Retry
		case 2:
			action = persistent.ReadReq_Nack_Park
		case 3:
			action = persistent.ReadReq_Nack_Skip
		}
	}
	if action == persistent.ReadReq_Nack_Unknown || action == persistent.ReadReq_Nack_Skip {
		s.mu.Lock()
		s.handled[event.GetEvent().GetId().GetString_()] = true
		s.mu.Unlock()
	}
	if action == persistent.ReadReq_Nack_Unknown {
		return &persistent.ReadReq{Content: &persistent.ReadReq_Ack_{Ack: &persistent.ReadReq_Ack{Ids: ids}}}
	}
	return &persistent.ReadReq{Content: &persistent.ReadReq_Nack_{Nack: &persistent.ReadReq_Nack{Ids: ids, Action: action, Reason: "by chance"}}}
}

func replayOrders(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := persistent.NewPersistentSubscriptionsClient(conn).ReplayParked(ctx, &persistent.ReplayParkedReq{
		Options: &persistent.ReplayParkedReq_Options{
			GroupName: "packers", StreamOption: &persistent.ReplayParkedReq_Options_StreamIdentifier{StreamIdentifier: orders},
			StopAtOption: &persistent.ReplayParkedReq_Options_NoLimit{NoLimit: &shared.Empty{}},
		},
	})
	return err
}

// round lets two consumers and two callers work until so many events have come, and kills the server under them.
func (s *shop) round(events int, first bool) {
	s.Helper()
	server := startChild(s, s.dir)
	conn := dialChild(s.T, server)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if first {
		if _, err := persistent.NewPersistentSubscriptionsClient(conn).Create(ctx, createOrders()); err != nil {
			s.Fatal(err)
		}
	}
	if rand.IntN(4) == 0 {
		if err := replayOrders(ctx, conn); err != nil {
			s.Fatal(err)
		}
	}
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() { s.sell(ctx, conn) })
		work.Go(func() { s.pack(ctx, conn, false) })
	}
	for range events {
		select {
		case <-s.came:
		case <-ctx.Done():
			s.Fatal("no event came in time")
		}
	}
	server.kill()
	cancel()
	work.Wait()
	_ = conn.Close()
}

// finish handles what is left: everything that was sold has to come, what was parked too.
func (s *shop) finish() {
	s.Helper()
	server := startChild(s, s.dir)
	defer server.kill()
	conn := dialChild(s.T, server)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := replayOrders(ctx, conn); err != nil {
		s.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() { s.pack(ctx, conn, true) })
	for missing := s.missing(); missing > 0; missing = s.missing() {
		select {
		case <-s.came:
		case <-ctx.Done():
			s.Fatalf("%d of %d events never came", missing, len(s.sold))
		}
	}
	cancel()
	work.Wait()
	_ = conn.Close()
	s.Logf("%d events were sold, %d handled", len(s.sold), len(s.handled))
}

func (s *shop) missing() (count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.sold {
		if !s.handled[id] {
			count++
		}
	}
	return count
}

// TestPersistent_kill kills the event store under a group's consumers: whatever was appended comes to one of them, what was parked comes
// by its replay, and nothing waits for ever.
func TestPersistent_kill(t *testing.T) {
	t.Parallel()
	s := &shop{T: t, dir: t.TempDir(), sold: map[string]bool{}, handled: map[string]bool{}, came: make(chan struct{}, 1024)}
	for n := range rounds(15, 1000) {
		s.round(1+rand.IntN(60), n == 0)
	}
	s.finish()
	if report := mustVerify(t, s.dir); len(report.Problems) > 0 {
		t.Error(fmt.Sprint("the log is not sound: ", report.Problems))
	}
}
