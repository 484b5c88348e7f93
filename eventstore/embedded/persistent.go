package embedded

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/entry"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

// persistentService answers the calls of the protocol's persistent subscriptions.
type persistentService struct {
	persistent.UnimplementedPersistentSubscriptionsServer

	service *service
	groups  *groups
}

// Create adds a group. Its stream need not exist.
func (p *persistentService) Create(ctx context.Context, request *persistent.CreateReq) (*persistent.CreateResp, error) {
	options := request.GetOptions()
	key, start := formerSource(options)
	switch from := options.GetStreamOption().(type) {
	case *persistent.CreateReq_Options_Stream:
		key.Stream = string(from.Stream.GetStreamIdentifier().GetStreamName())
		start = startOf(from.Stream.GetRevision(), from.Stream.GetEnd() != nil)
	case *persistent.CreateReq_Options_All:
		key.Stream = logfile.AllStream
		start = startOf(from.All.GetPosition().GetCommitPosition(), from.All.GetEnd() != nil)
		if position := from.All.GetPosition(); position.GetPreparePosition() > position.GetCommitPosition() {
			return nil, p.refuse(ctx, key, errors.New("the prepare position is beyond the commit position"))
		}
	}
	settings, err := newGroupSettings(options.GetSettings())
	if err == nil {
		err = checkKey(key)
	}
	if err == nil {
		err = settings.setFilter(options.GetAll().GetFilter())
	}
	if err == nil {
		err = p.groups.create(ctx, key, settings, start)
	}
	if err != nil {
		return nil, p.refuse(ctx, key, err)
	}
	return &persistent.CreateResp{}, nil
}

// Update changes the settings of a group and disconnects its consumers.
func (p *persistentService) Update(ctx context.Context, request *persistent.UpdateReq) (*persistent.UpdateResp, error) {
	options := request.GetOptions()
	key, start := formerSource(options)
	switch from := options.GetStreamOption().(type) {
	case *persistent.UpdateReq_Options_Stream:
		key.Stream = string(from.Stream.GetStreamIdentifier().GetStreamName())
		start = startOf(from.Stream.GetRevision(), from.Stream.GetEnd() != nil)
	case *persistent.UpdateReq_Options_All:
		key.Stream = logfile.AllStream
		start = startOf(from.All.GetPosition().GetCommitPosition(), from.All.GetEnd() != nil)
	}
	settings, err := newGroupSettings(createSettings(options.GetSettings()))
	if err == nil {
		err = p.groups.update(ctx, key, settings, start)
	}
	if err != nil {
		return nil, p.refuse(ctx, key, err)
	}
	return &persistent.UpdateResp{}, nil
}

// formerSource returns the stream, the name and the start of a group, from the fields that older clients fill.
func formerSource(options interface {
	GetStreamIdentifier() *shared.StreamIdentifier
	GetGroupName() string
}) (logfile.GroupKey, int64) {
	start := int64(0)
	switch older := options.(type) {
	case *persistent.CreateReq_Options:
		//lint:ignore SA1019 the old field applies when the newer one is missing
		start = startOf(older.GetSettings().GetRevision(), false)
	case *persistent.UpdateReq_Options:
		//lint:ignore SA1019 the old field applies when the newer one is missing
		start = startOf(older.GetSettings().GetRevision(), false)
	}
	return logfile.GroupKey{Stream: string(options.GetStreamIdentifier().GetStreamName()), Name: options.GetGroupName()}, start
}

// createSettings converts the settings of an update to those of a creation, which have one field more.
func createSettings(s *persistent.UpdateReq_Settings) *persistent.CreateReq_Settings {
	made := &persistent.CreateReq_Settings{
		ResolveLinks: s.GetResolveLinks(), ExtraStatistics: s.GetExtraStatistics(), MaxRetryCount: s.GetMaxRetryCount(),
		MinCheckpointCount: s.GetMinCheckpointCount(), MaxCheckpointCount: s.GetMaxCheckpointCount(),
		MaxSubscriberCount: s.GetMaxSubscriberCount(), LiveBufferSize: s.GetLiveBufferSize(), ReadBatchSize: s.GetReadBatchSize(),
		HistoryBufferSize: s.GetHistoryBufferSize(), ConsumerStrategy: s.GetNamedConsumerStrategy().String(),
		MessageTimeout:  &persistent.CreateReq_Settings_MessageTimeoutMs{MessageTimeoutMs: s.GetMessageTimeoutMs()},
		CheckpointAfter: &persistent.CreateReq_Settings_CheckpointAfterMs{CheckpointAfterMs: s.GetCheckpointAfterMs()},
	}
	if ticks := s.GetMessageTimeoutTicks(); ticks > 0 {
		made.MessageTimeout = &persistent.CreateReq_Settings_MessageTimeoutTicks{MessageTimeoutTicks: ticks}
	}
	if ticks := s.GetCheckpointAfterTicks(); ticks > 0 {
		made.CheckpointAfter = &persistent.CreateReq_Settings_CheckpointAfterTicks{CheckpointAfterTicks: ticks}
	}
	return made
}

// Delete removes a group with its checkpoint and its parked messages.
func (p *persistentService) Delete(ctx context.Context, request *persistent.DeleteReq) (*persistent.DeleteResp, error) {
	options := request.GetOptions()
	key := newGroupKey(options.GetStreamIdentifier(), options.GetAll(), options.GetGroupName())
	if err := p.groups.remove(ctx, key); err != nil {
		return nil, p.refuse(ctx, key, err)
	}
	return &persistent.DeleteResp{}, nil
}

// ReplayParked gives out the parked messages of a group again.
func (p *persistentService) ReplayParked(
	ctx context.Context, request *persistent.ReplayParkedReq,
) (*persistent.ReplayParkedResp, error) {
	options := request.GetOptions()
	key := newGroupKey(options.GetStreamIdentifier(), options.GetAll(), options.GetGroupName())
	err := errNoGroup
	if g := p.groups.settled(key); g != nil {
		if g.do(ctx, func() { err = g.replayParked(options.GetStopAt()) }); ctx.Err() != nil {
			return nil, failed(ctx.Err())
		}
	}
	if err != nil {
		return nil, p.refuse(ctx, key, err)
	}
	return &persistent.ReplayParkedResp{}, nil
}

// RestartSubsystem disconnects all consumers and starts all groups again from their stored state.
func (p *persistentService) RestartSubsystem(ctx context.Context, _ *shared.Empty) (*shared.Empty, error) {
	if err := p.groups.restart(ctx); err != nil {
		return nil, failed(err)
	}
	return &shared.Empty{}, nil
}

func newGroupKey(stream *shared.StreamIdentifier, all *shared.Empty, name string) logfile.GroupKey {
	if all != nil {
		return logfile.GroupKey{Stream: logfile.AllStream, Name: name}
	}
	return logfile.GroupKey{Stream: string(stream.GetStreamName()), Name: name}
}

func checkKey(k logfile.GroupKey) error {
	if k.Stream == "" || k.Name == "" {
		return errors.New("a persistent subscription needs a stream and a group name")
	}
	return nil
}

// refuse ends a call with the status and the trailers of the protocol.
func (p *persistentService) refuse(ctx context.Context, key logfile.GroupKey, err error) error {
	names := []string{"stream-name", key.Stream, "group-name", key.Name}
	switch {
	case errors.Is(err, errNoGroup):
		return wire.Refuse(ctx, codes.NotFound, err.Error(), "persistent-subscription-does-not-exist", names...)
	case errors.Is(err, errGroupExists):
		return wire.Refuse(ctx, codes.AlreadyExists, err.Error(), "persistent-subscription-exists", names...)
	case errors.Is(err, errGroupFull):
		return wire.Refuse(ctx, codes.FailedPrecondition, err.Error(), "maximum-subscribers-reached", names...)
	case errors.Is(err, errGroupDropped):
		return wire.Refuse(ctx, codes.Canceled, err.Error(), "persistent-subscription-dropped", names...)
	case ctx.Err() != nil, errors.Is(err, errBusy), errors.Is(err, errClosed):
		return failed(err)
	default:
		return wire.Refuse(ctx, codes.Internal, err.Error(), "persistent-subscription-failed",
			append(names, "reason", err.Error())...)
	}
}

var errGroupFull = errors.New("the persistent subscription has as many consumers as it may have")

// Read connects a consumer, which receives events and answers each with ack or nack.
func (p *persistentService) Read(call persistent.PersistentSubscriptions_ReadServer) error {
	ctx := call.Context()
	request, err := call.Recv()
	if err != nil {
		return err
	}
	options := request.GetOptions()
	if options == nil {
		return status.Error(codes.InvalidArgument, "a consumer begins with the options of its connection")
	}
	key := newGroupKey(options.GetStreamIdentifier(), options.GetAll(), options.GetGroupName())
	if err := p.service.authorize(ctx, key.Stream, rightRead); err != nil {
		return err
	}
	g := p.groups.settled(key)
	if g == nil {
		return p.refuse(ctx, key, errNoGroup)
	}
	c := newConsumer(ctx, int(options.GetBufferSize()))
	c.since = p.service.now()
	connected := false
	if !g.do(ctx, func() { connected = g.connect(c) }) {
		return p.refuse(ctx, key, errGroupDropped)
	}
	if !connected {
		return p.refuse(ctx, key, errGroupFull)
	}
	defer g.tell(context.Background(), func() { g.state.disconnect(c) })
	err = call.Send(&persistent.ReadResp{Content: &persistent.ReadResp_SubscriptionConfirmation_{
		SubscriptionConfirmation: &persistent.ReadResp_SubscriptionConfirmation{SubscriptionId: key.Stream + "::" + key.Name},
	}})
	if err != nil {
		return err
	}
	answers := make(chan error, 1)
	go func() { answers <- g.listen(call, c) }()
	reason, err := p.deliver(call, c, answers, options.GetUuidOption().GetString_() != nil)
	if reason != nil {
		return p.refuse(ctx, key, reason)
	}
	return err
}

// deliver sends a consumer its events until its connection, the group or the server ends. reason is why the group has ended the
// connection; nil: the group has not ended it.
func (p *persistentService) deliver(
	call persistent.PersistentSubscriptions_ReadServer, c *consumer, answers <-chan error, asString bool,
) (reason, err error) {
	ctx := call.Context()
	for {
		select {
		case m := <-c.out:
			if m.link != nil && m.event != nil && p.service.denied(ctx, m.event.Stream, rightRead) != nil {
				// the group resolves links, but this consumer may not read the event that the link points to
				m = &message{link: m.link, place: m.place, retries: m.retries}
			}
			if err := call.Send(m.toWire(asString)); err != nil {
				return nil, err
			}
		case err := <-answers:
			select { // the end of the group also ends listen
			case reason := <-c.end:
				return reason, nil
			default:
				return nil, err
			}
		case reason := <-c.end:
			return reason, nil
		case <-p.service.closing:
			return nil, failed(errClosed)
		}
	}
}

func newConsumer(ctx context.Context, slots int) *consumer {
	c := &consumer{slots: slots, end: make(chan error, 1)}
	if other, ok := grpcpeer.FromContext(ctx); ok {
		c.from = other.Addr.String()
	}
	if caller, ok := entry.CallerOf(ctx); ok {
		c.user = caller.Name
	}
	sent, _ := metadata.FromIncomingContext(ctx)
	if name := sent.Get("connection-name"); len(name) > 0 {
		c.name = name[0]
	}
	return c
}

// listen receives a consumer's answers until its connection or the group ends, an answer is invalid, or a nack asks to stop.
func (g *group) listen(call persistent.PersistentSubscriptions_ReadServer, c *consumer) error {
	for {
		request, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var do func()
		switch content := request.GetContent().(type) {
		case *persistent.ReadReq_Ack_:
			ids, err := wireIDs(content.Ack.GetIds())
			if err != nil {
				return err
			}
			do = func() { g.state.ack(c, ids) }
		case *persistent.ReadReq_Nack_:
			ids, err := wireIDs(content.Nack.GetIds())
			if err != nil {
				return err
			}
			if content.Nack.GetAction() == persistent.ReadReq_Nack_Stop {
				return nil // the group gives out the unanswered messages again
			}
			action, reason := refusalOf(content.Nack.GetAction()), content.Nack.GetReason()
			do = func() { g.state.nack(c, ids, action, reason) }
		default:
			return status.Error(codes.InvalidArgument, "a consumer sends acks and nacks after its options")
		}
		if !g.tell(call.Context(), do) {
			// the group or the connection has ended: deliver, which runs at the same time, tells the consumer why
			return nil
		}
	}
}

func refusalOf(action persistent.ReadReq_Nack_Action) refusal {
	switch action {
	case persistent.ReadReq_Nack_Park:
		return refusalPark
	case persistent.ReadReq_Nack_Skip:
		return refusalSkip
	default:
		return refusalRetry
	}
}

func wireIDs(sent []*shared.UUID) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(sent))
	for i, one := range sent {
		id, err := wire.ReadID(one)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// toWire converts a message to its protocol form.
func (m *message) toWire(idAsString bool) *persistent.ReadResp {
	return &persistent.ReadResp{Content: &persistent.ReadResp_Event{Event: &persistent.ReadResp_ReadEvent{
		Event:    toPersistentRecord(m.event, idAsString),
		Link:     toPersistentRecord(m.link, idAsString),
		Position: &persistent.ReadResp_ReadEvent_CommitPosition{CommitPosition: uint64(m.original().Position)},
		Count:    &persistent.ReadResp_ReadEvent_RetryCount{RetryCount: min(m.retries, math.MaxInt32)},
	}}}
}

func toPersistentRecord(r *logfile.Record, idAsString bool) *persistent.ReadResp_ReadEvent_RecordedEvent {
	if r == nil {
		return nil
	}
	return &persistent.ReadResp_ReadEvent_RecordedEvent{
		Id:               wire.ID(r.ID, idAsString),
		StreamIdentifier: wire.Stream(r.Stream),
		StreamRevision:   uint64(r.Revision),
		PreparePosition:  uint64(r.Position),
		CommitPosition:   uint64(r.Position),
		Metadata:         wire.Metadata(r),
		CustomMetadata:   r.Metadata,
		Data:             r.Data,
	}
}
