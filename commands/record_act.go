package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"moviola/domain/operator"
	"moviola/eventstore"
)

// RecordAct writes an act of an operator into the trail. None of its texts may carry a secret.
type RecordAct struct {
	Who string // as the caller names itself
	Act string // what is to be done: "grant credits"
	On  string // the account, key, piece of work or template
	How string // what else matters: an amount, a plan, a reference
}

// RecordActHandler handles RecordAct.
type RecordActHandler struct {
	log    *eventstore.Log
	random io.Reader
	now    clock
}

// NewRecordActHandler returns a handler. Ids are drawn from random: crypto/rand.Reader outside of tests.
func NewRecordActHandler(log *eventstore.Log, random io.Reader, now func() time.Time) RecordActHandler {
	return RecordActHandler{log: log, random: random, now: now}
}

// Handle records the act. It comes before what it records, so that nothing is done that the trail does not know.
func (h RecordActHandler) Handle(ctx context.Context, cmd RecordAct) (eventstore.Position, error) {
	id, err := operator.NewID(h.random)
	if err != nil {
		return eventstore.Position{}, fmt.Errorf("draw the id of an act: %w", err)
	}
	at := h.now.stamp()
	acted := operator.Acted{
		ID: id, Who: operator.Plain(cmd.Who), Act: operator.Plain(cmd.Act), On: operator.Plain(cmd.On), How: operator.Plain(cmd.How), At: at,
	}
	stream := operator.Stream(at)
	for {
		last, err := h.log.Last(ctx, stream)
		if err == nil {
			last, err = h.log.Append(ctx, stream, last.Revision, meta(ctx, "", at), acted)
		}
		switch {
		case err == nil:
			return last.Position, nil
		case !errors.Is(err, eventstore.ErrConflict) || ctx.Err() != nil:
			return eventstore.Position{}, fmt.Errorf("record an act: %w", err)
		}
	}
}
