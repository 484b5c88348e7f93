package cluster

import (
	"context"
	"errors"
	"io"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// BatchAppend behaves as the leader does, and forwards the leader's answers. An append that this node may not store, or that
// nobody can store, ends the call: appends sent after it are not stored.
func (n *node) BatchAppend(call streams.Streams_BatchAppendServer) error {
	if err := n.mayStore(call.Context()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(call.Context())
	defer cancel()
	inner, err := n.cluster.log.BatchAppend(ctx)
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() { answered <- n.passAnswers(inner, call) }()
	refused := n.passAppends(ctx, call, inner)
	if refused != nil {
		cancel()
	}
	if err := <-answered; refused == nil {
		return err
	}
	return refused
}

// passAppends forwards appends until the client sends no more.
func (n *node) passAppends(
	ctx context.Context, from streams.Streams_BatchAppendServer, to streams.Streams_BatchAppendClient,
) error {
	for {
		message, err := from.Recv()
		if errors.Is(err, io.EOF) {
			return to.CloseSend()
		}
		if err != nil {
			return err
		}
		if err := n.mayStore(ctx); err != nil {
			return err
		}
		if err := to.Send(message); err != nil {
			return nil // the answers tell the cause
		}
	}
}

// passAnswers forwards answers until there are no more.
func (n *node) passAnswers(from streams.Streams_BatchAppendClient, to streams.Streams_BatchAppendServer) error {
	for {
		answer, err := from.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			to.SetTrailer(from.Trailer())
			return err
		}
		if position := answer.GetSuccess().GetPosition(); position != nil {
			n.cluster.committed(position.GetCommitPosition())
		}
		if err := to.Send(answer); err != nil {
			return err
		}
	}
}
