package processors

import (
	"context"

	"moviola/commands/mediafiles"
	"moviola/projections"
)

// MediaCompleter completes unfinished work in media libraries. Its methods return commands.ErrNothingToDo when nothing is
// left to do.
type MediaCompleter interface {
	Complete(ctx context.Context, cmd mediafiles.CompleteMove) error
	Expire(ctx context.Context, cmd mediafiles.ExpireMedia) error
}

// Confirmer records uploads that clients have sent directly to the storage. Confirm returns commands.ErrNothingToDo when it
// records nothing, for example because no bytes have arrived yet.
type Confirmer interface {
	Confirm(ctx context.Context, cmd mediafiles.ConfirmUpload) error
}

// confirmUpload checks whether the bytes of a registered file have arrived at the storage. The work queue repeats the check at
// growing intervals.
func (p *Processors) confirmUpload(ctx context.Context, task projections.Task) error {
	return p.config.Confirm.Confirm(ctx, mediafiles.ConfirmUpload{Place: task.Subject})
}

// completeMove completes a move in a media library whose request was interrupted.
func (p *Processors) completeMove(ctx context.Context, task projections.Task) error {
	return p.config.Library.Complete(ctx, mediafiles.CompleteMove{Place: task.Subject})
}

// expireMedia removes a temporary file whose retention has ended, or a registration that has expired.
func (p *Processors) expireMedia(ctx context.Context, task projections.Task) error {
	return p.config.Library.Expire(ctx, mediafiles.ExpireMedia{Place: task.Subject})
}
