package projections

import (
	"context"
	"fmt"

	"moviola/eventstore"
)

// Rebuild makes the read models again from the beginning of the log, beside the current ones, and then switches over: queries
// never stop. The old ones are dropped later. Any process may call it, while others project and read. progress is told how far it is; nil: nobody.
// When ctx ends before the switch, nothing has changed.
func (r *Reader) Rebuild(ctx context.Context, progress func(eventstore.Position)) error {
	number, err := r.at.takeNumber(ctx)
	if err != nil {
		return err
	}
	places := r.at.generation(number)
	if err := r.at.declare(ctx, places); err != nil {
		return err
	}
	p := newProjector(r.config, r.at, number, places, func(done report) {
		if progress != nil {
			progress(done.position)
		}
	})
	complete := false
	err = p.run(ctx, func(caughtUp bool) bool {
		complete = caughtUp
		return caughtUp
	})
	if err != nil {
		return err
	}
	if !complete {
		return fmt.Errorf("rebuild generation %d: %w", number, ctx.Err())
	}
	pointer, err := r.at.switchTo(ctx, number, r.config.Now())
	if err != nil {
		return err
	}
	if pointer.Generation != number {
		return fmt.Errorf("rebuild generation %d: generation %d became current meanwhile", number, pointer.Generation)
	}
	// This process goes over when the new read models have reached what the old ones have shown.
	err = p.run(ctx, func(bool) bool {
		adopted, err := r.adopt(ctx, pointer, false)
		return adopted || err != nil // the Reader's own look at the pointer tries again
	})
	if err != nil {
		return err
	}
	r.config.Logger.WithField("generation", number).Info("the read models were rebuilt")
	return nil
}
