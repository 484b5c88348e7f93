package accounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"moviola/domain/operator"
	"moviola/eventstore"
)

// RecordAct records an act of an operator in the audit trail. Its texts must not contain secrets.
type RecordAct struct {
	Who string // name of the operator: of the token or session, or else the one given with the request
	Act string // what will be done: "grant credits"
	On  string // what the act is done to, such as an account, a key, a work item or a template
	How string // details: an amount, a plan, a reference
	// Issuer and Subject identify the operator at the identity provider; empty: the operator used a
	// token.
	Issuer, Subject string
}

// RecordActHandler handles RecordAct.
type RecordActHandler struct {
	log    *eventstore.Log
	random io.Reader
	now    eventstore.Clock
}

// NewRecordActHandler returns a handler. random is the source of random bytes for ids: crypto/rand.Reader, except in tests.
func NewRecordActHandler(log *eventstore.Log, random io.Reader, now func() time.Time) RecordActHandler {
	return RecordActHandler{log: log, random: random, now: now}
}

// Handle records the act and returns it. The caller does the act only afterwards, so that the audit trail has every act.
func (h RecordActHandler) Handle(ctx context.Context, cmd RecordAct) (operator.Acted, error) {
	id, err := operator.NewID(h.random)
	if err != nil {
		return operator.Acted{}, fmt.Errorf("draw the id of an act: %w", err)
	}
	acted := operator.Acted{
		ID: id, Who: operator.Plain(cmd.Who), Act: operator.Plain(cmd.Act), On: operator.Plain(cmd.On),
		How: operator.Plain(cmd.How), At: h.now.Stamp(), Issuer: cmd.Issuer, Subject: operator.Plain(cmd.Subject),
	}
	return acted, h.append(ctx, acted)
}

// Refuse records why a recorded act was refused.
func (h RecordActHandler) Refuse(ctx context.Context, acted operator.Acted, why string) error {
	return h.append(ctx, acted.Refuse(why))
}

// append appends acted, an event about an act (what an operator does through the service), to the stream of the month in
// which the act was recorded first.
func (h RecordActHandler) append(ctx context.Context, acted operator.Acted) error {
	stream := operator.Stream(acted.At)
	for {
		last, err := h.log.Last(ctx, stream)
		if err == nil {
			_, err = h.log.Append(ctx, stream, last.Revision, eventstore.MetaOf(ctx, "", h.now.Stamp()), acted)
		}
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, eventstore.ErrConflict) || ctx.Err() != nil:
			return fmt.Errorf("record an act: %w", err)
		}
	}
}
