package cluster

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// everything is the last position that a node without lag sees: there is no limit.
const everything = math.MaxUint64

// lastSeen returns the last position that a node sees, and how long that position stays the last one, unless changed is closed
// before.
func (n *node) lastSeen() (position uint64, stays time.Duration, changed <-chan struct{}) {
	c := n.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.leader == n.number, !n.held && n.lag == 0:
		return everything, math.MaxInt64, c.changed
	case n.held:
		return n.heldAt, math.MaxInt64, c.changed
	}
	now := time.Now()
	for _, one := range c.commits {
		if age := now.Sub(one.at); age < n.lag {
			return position, n.lag - age, c.changed
		}
		position = one.position
	}
	return position, math.MaxInt64, c.changed
}

// await waits until the node sees a position.
func (n *node) await(ctx context.Context, position uint64) error {
	for {
		seen, stays, changed := n.lastSeen()
		if seen >= position {
			return nil
		}
		due := time.NewTimer(stays)
		select {
		case <-due.C:
		case <-changed:
		case <-ctx.Done():
			due.Stop()
			return status.FromContextError(ctx.Err()).Err()
		}
		due.Stop()
	}
}

// Read serves reads and subscriptions from the events that the node sees. Subscriptions do not require the leader.
func (n *node) Read(request *streams.ReadReq, call streams.Streams_ReadServer) error {
	if request.GetOptions().GetSubscription() != nil {
		return n.follow(request, call)
	}
	n.note(call.Context())
	if err := n.refuse(call.Context()); err != nil {
		return err
	}
	seen, _, _ := n.lastSeen()
	if seen == everything {
		return n.pass(request, call, func(*streams.ReadResp) error { return nil })
	}
	return n.readUpTo(request, call, seen)
}

// errEnough ends a read early.
var errEnough = errors.New("enough")

// pass forwards the log's messages until check returns an error other than errHidden, which only leaves the message out. The
// call to the log ends when pass returns.
func (n *node) pass(request *streams.ReadReq, call streams.Streams_ReadServer, check func(*streams.ReadResp) error) error {
	ctx, cancel := context.WithCancel(call.Context())
	defer cancel()
	inner, err := n.cluster.log.Read(ctx, request)
	if err != nil {
		return err
	}
	for {
		message, err := inner.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			call.SetTrailer(inner.Trailer())
			return err
		}
		switch err := check(message); {
		case errors.Is(err, errHidden):
			continue
		case errors.Is(err, errEnough):
			return nil
		case err != nil:
			return err
		}
		if err := call.Send(message); err != nil {
			return err
		}
	}
}

// errHidden makes pass leave out a message.
var errHidden = errors.New("not seen yet")

// follow forwards each message of a subscription when the node sees its position.
func (n *node) follow(request *streams.ReadReq, call streams.Streams_ReadServer) error {
	return n.pass(request, call, func(message *streams.ReadResp) error {
		position := message.GetEvent().GetCommitPosition()
		if checkpoint := message.GetCheckpoint(); checkpoint != nil {
			position = checkpoint.GetCommitPosition()
		}
		return n.await(call.Context(), position)
	})
}

// readUpTo answers a counted read as if the log ended at a position.
func (n *node) readUpTo(request *streams.ReadReq, call streams.Streams_ReadServer, seen uint64) error {
	options := request.GetOptions()
	back := options.GetReadDirection() == streams.ReadReq_Options_Backwards
	left := options.GetCount()
	sent, missing := 0, false
	if back { // events that the node does not see yet must not be counted
		request = proto.Clone(request).(*streams.ReadReq)
		request.Options.CountOption = &streams.ReadReq_Options_Count{Count: math.MaxInt64}
	}
	err := n.pass(request, call, func(message *streams.ReadResp) error {
		missing = message.GetStreamNotFound() != nil
		if missing {
			return nil
		}
		hidden := message.GetEvent().GetCommitPosition() > seen
		switch {
		case left == 0, hidden && !back:
			return errEnough
		case hidden:
			return errHidden
		}
		left--
		sent++
		return nil
	})
	stream := options.GetStream().GetStreamIdentifier()
	if err != nil || missing || sent > 0 || stream == nil || n.begun(call.Context(), stream, seen) {
		return err
	}
	return call.Send(&streams.ReadResp{Content: &streams.ReadResp_StreamNotFound_{
		StreamNotFound: &streams.ReadResp_StreamNotFound{StreamIdentifier: stream},
	}})
}

// begun reports whether the node sees a stream's first event.
func (n *node) begun(ctx context.Context, stream *shared.StreamIdentifier, seen uint64) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first, err := n.cluster.log.Read(ctx, &streams.ReadReq{Options: &streams.ReadReq_Options{
		StreamOption: &streams.ReadReq_Options_Stream{Stream: &streams.ReadReq_Options_StreamOptions{
			StreamIdentifier: stream,
			RevisionOption:   &streams.ReadReq_Options_StreamOptions_Start{Start: &shared.Empty{}},
		}},
		CountOption:  &streams.ReadReq_Options_Count{Count: 1},
		FilterOption: &streams.ReadReq_Options_NoFilter{NoFilter: &shared.Empty{}},
		UuidOption: &streams.ReadReq_Options_UUIDOption{
			Content: &streams.ReadReq_Options_UUIDOption_Structured{Structured: &shared.Empty{}},
		},
	}})
	if err != nil {
		return false
	}
	message, err := first.Recv()
	return err == nil && message.GetEvent() != nil && message.GetEvent().GetCommitPosition() <= seen
}
