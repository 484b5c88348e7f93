package commands

import (
	"context"
	"fmt"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/internal/fair"
)

// growthCost is what reading one movie may take that has variables, iterations or templates, in bytes: no body costs more.
const growthCost = 40 << 20

// enter waits until a document may be read that may grow. Accounts take turns. One that cannot grow waits for nothing, and has no
// part.
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

// stay keeps of the part what the movie really takes, until ctx ends.
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

// leave gives the part back.
func (r reading) leave() {
	if r.part != nil {
		r.part.Release()
	}
}
