package commands

import (
	"context"
	"fmt"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/internal/fair"
)

// growthCost is the memory, in bytes, that is reserved for parsing one movie with variables, iterations or templates: the most
// that parsing can need.
const growthCost = 40 << 20

// enter waits for memory to parse a document that may grow by expansion. Accounts take turns. A document that cannot grow does
// not wait and reserves no memory.
func (h SubmitMovieHandler) enter(ctx context.Context, account domain.AccountID, body []byte) (*fair.Part, error) {
	if h.growth == nil || !document.MayGrow(body) {
		return nil, nil
	}
	part, err := h.growth.Take(ctx, string(account), growthCost)
	if err != nil {
		return nil, fmt.Errorf("wait to fill in a movie of account %s: %w", account, err)
	}
	return part, nil
}

// stay reduces the memory that was reserved for parsing to what the parsed movie needs. This smaller reservation ends with ctx.
func (r reading) stay(ctx context.Context) {
	switch {
	case r.part == nil:
	case r.doc == nil || r.doc.Grown() == 0:
		r.leave()
	default:
		r.part.Shrink(r.doc.Grown())
		context.AfterFunc(ctx, r.leave)
	}
}

// leave releases the memory that is reserved for parsing.
func (r reading) leave() {
	if r.part != nil {
		r.part.Release()
	}
}
