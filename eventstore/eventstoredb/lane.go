package eventstoredb

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"moviola/eventstore"
)

const (
	laneAppends  = 128              // maximum of unanswered appends in a lane
	laneBytes    = 8 << 20          // maximum size of the unanswered appends, in bytes
	lanePatience = 30 * time.Second // maximum wait for the answer to an append
)

// errLane says that an append in a lane was refused. Appends that were sent after it may have been written.
var errLane = errors.New("an append of a batch was refused")

// lane sends appends before earlier ones are answered, by the protocol's batch append, which the official client does not
// offer. At most laneAppends appends are unanswered. The server writes them in the order in which they were sent. Only one
// goroutine may use a lane.
type lane struct {
	conn    *grpc.ClientConn
	call    streams.Streams_BatchAppendClient
	end     context.CancelFunc
	answers chan laneAnswer
	pending map[uuid.UUID]underWay
	bytes   int
	done    func(events int64, last eventstore.Position) // called for each append that was written
}

type laneAnswer struct {
	message *streams.BatchAppendResp
	err     error
}

// underWay is an append that was sent, and that the server has not answered yet.
type underWay struct {
	events int64
	bytes  int
	last   eventstore.Position
}

// openLane connects to the server, or the leader of the cluster, that the store is connected to now.
func (s *Store) openLane(ctx context.Context, done func(int64, eventstore.Position)) (*lane, error) {
	p := s.pool
	p.mu.Lock()
	session := p.session
	p.mu.Unlock()
	addr := p.settings.Address
	if session != nil && session.leader != "" {
		addr = session.leader
	}
	if session == nil || addr == "" {
		return nil, fmt.Errorf("%w: no leader is known", eventstore.ErrUnavailable)
	}
	conn, err := dial(addr, &p.settings)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	l := &lane{
		conn: conn, answers: make(chan laneAnswer, laneAppends+1), pending: map[uuid.UUID]underWay{}, done: done,
	}
	ctx, l.end = context.WithCancel(withCredentials(toLeader(ctx, session.pass), &p.settings))
	if l.call, err = streams.NewStreamsClient(conn).BatchAppend(ctx); err != nil {
		l.end()
		return nil, errors.Join(translate(err), conn.Close())
	}
	go l.listen()
	return l, nil
}

func dial(addr string, settings *esdb.Configuration) (*grpc.ClientConn, error) {
	transport, err := transportOf(settings, "")
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(addr, grpc.WithTransportCredentials(transport),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: settings.KeepAliveInterval, Timeout: settings.KeepAliveTimeout}))
}

// withCredentials adds the credentials as the official client does: never in plaintext.
func withCredentials(ctx context.Context, settings *esdb.Configuration) context.Context {
	if settings.DisableTLS || settings.Username == "" {
		return ctx
	}
	basic := base64.StdEncoding.EncodeToString([]byte(settings.Username + ":" + settings.Password))
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Basic "+basic)
}

// listen forwards answers until the call ends. The channel has room for all unanswered appends.
func (l *lane) listen() {
	defer close(l.answers)
	for {
		message, err := l.call.Recv()
		l.answers <- laneAnswer{message, err}
		if err != nil {
			return
		}
	}
}

// send appends events of one stream after those sent before.
func (l *lane) send(ctx context.Context, batch []eventstore.Recorded, bytes int) error {
	for len(l.pending) >= laneAppends || len(l.pending) > 0 && l.bytes+bytes > laneBytes {
		if err := l.hear(ctx); err != nil {
			return err
		}
	}
	id, last := uuid.New(), batch[len(batch)-1]
	l.pending[id] = underWay{events: int64(len(batch)), bytes: bytes, last: last.Position}
	l.bytes += bytes
	if err := l.call.Send(batchRequest(id, batch)); err != nil && !errors.Is(err, io.EOF) {
		return translate(err)
	}
	return nil // io.EOF says only that the call has ended; listen receives the reason
}

// drain waits for all answers.
func (l *lane) drain(ctx context.Context) error {
	for len(l.pending) > 0 {
		if err := l.hear(ctx); err != nil {
			return err
		}
	}
	return nil
}

// hear waits for one answer.
func (l *lane) hear(ctx context.Context) error {
	patience := time.NewTimer(lanePatience)
	defer patience.Stop()
	select {
	case answer, ok := <-l.answers:
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !ok || errors.Is(answer.err, io.EOF):
			return fmt.Errorf("%w: the call has ended", eventstore.ErrUnavailable)
		case status.Code(answer.err) == codes.Unimplemented:
			return fmt.Errorf("%w: %w", errLane, answer.err)
		case answer.err != nil:
			return translate(answer.err)
		}
		return l.take(answer.message)
	case <-patience.C:
		return fmt.Errorf("%w: an append was not answered", eventstore.ErrUnavailable)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lane) take(answer *streams.BatchAppendResp) error {
	id := fromWireID(answer.GetCorrelationId())
	sent, ok := l.pending[id]
	if !ok {
		return fmt.Errorf("%w: it answers what was not asked", errLane)
	}
	delete(l.pending, id)
	l.bytes -= sent.bytes
	if refusal := answer.GetError(); refusal != nil {
		return fmt.Errorf("%w: %s (%s)", errLane, refusal.GetMessage(), codes.Code(refusal.GetCode()))
	}
	l.done(sent.events, sent.last)
	return nil
}

// close ends the call; unanswered appends may have been written.
func (l *lane) close() error {
	l.end()
	for range l.answers { // listen closes the channel when it ends; until then answers are dropped
	}
	return l.conn.Close()
}

func batchRequest(id uuid.UUID, batch []eventstore.Recorded) *streams.BatchAppendReq {
	first := batch[0]
	options := &streams.BatchAppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(first.Stream)},
		ExpectedStreamPosition: &streams.BatchAppendReq_Options_NoStream{NoStream: &emptypb.Empty{}},
		DeadlineOption:         &streams.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(2 * lanePatience)},
	}
	if first.Revision > 0 {
		options.ExpectedStreamPosition = &streams.BatchAppendReq_Options_StreamPosition{StreamPosition: uint64(first.Revision - 1)}
	}
	request := &streams.BatchAppendReq{CorrelationId: wireID(id), Options: options, IsFinal: true}
	for _, event := range batch {
		request.ProposedMessages = append(request.ProposedMessages, &streams.BatchAppendReq_ProposedMessage{
			Id: wireID(event.ID), Metadata: map[string]string{"type": event.Type, "content-type": "application/json"},
			CustomMetadata: event.Metadata, Data: event.Data,
		})
	}
	return request
}

func wireID(id uuid.UUID) *shared.UUID {
	return &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{
		MostSignificantBits: int64(binary.BigEndian.Uint64(id[:8])), LeastSignificantBits: int64(binary.BigEndian.Uint64(id[8:])),
	}}}
}

// fromWireID reads an id in either of the protocol's two forms, a text or two integers. It returns the zero id for an invalid
// one.
func fromWireID(id *shared.UUID) (read uuid.UUID) {
	if s := id.GetStructured(); s != nil {
		binary.BigEndian.PutUint64(read[:8], uint64(s.GetMostSignificantBits()))
		binary.BigEndian.PutUint64(read[8:], uint64(s.GetLeastSignificantBits()))
		return read
	}
	read, _ = uuid.Parse(id.GetString_()) // an invalid text gives the zero id, which matches no append
	return read
}
