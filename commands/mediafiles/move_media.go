package mediafiles

import (
	"context"
	"errors"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
)

// MoveMedia moves a file into another folder of its media library. Spec: PUT /media/file.
type MoveMedia struct {
	Account domain.AccountID
	From    media.Path
	Folder  string // name of the new folder in the form in which names are stored; empty: the root
}

// MoveMediaHandler handles MoveMedia and CompleteMove.
type MoveMediaHandler struct{ places places }

// NewMoveMediaHandler returns a handler.
func NewMoveMediaHandler(log *eventstore.Log, now func() time.Time) MoveMediaHandler {
	return MoveMediaHandler{places{log, now}}
}

// Handle moves the file in three steps: the move is recorded at the old path, the file arrives at the new path, the file leaves
// the old path. After an interruption CompleteMove takes the remaining steps. Of two files that move to the same path, only one
// arrives. Design §3.
func (h MoveMediaHandler) Handle(ctx context.Context, cmd MoveMedia) (eventstore.Position, error) {
	to := media.Path{Folder: cmd.Folder, Name: cmd.From.Name}
	destination, err := h.places.load(ctx, media.StreamID(cmd.Account, to))
	if err != nil {
		return eventstore.Position{}, err
	}
	id, move := media.StreamID(cmd.Account, cmd.From), NewEntry()
	d, err := h.places.decide(ctx, id, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		events, err := p.StartMove(move, to, at)
		if err == nil && destination.Taken(at) { // a move to a taken path is refused here, before it is recorded
			return nil, media.ErrTaken
		}
		return events, err
	})
	if err != nil {
		return eventstore.Position{}, err
	}
	position, err := h.arrive(ctx, id, d.Place)
	if errors.Is(err, commands.ErrNothingToDo) { // another process has completed the move
		err = nil
	}
	return position, err
}

// CompleteMove completes a move that was started.
type CompleteMove struct {
	Place string // id of the stream of the old path
}

// Complete completes the move, or aborts it when the new path is taken. ErrNothingToDo: no move is open.
func (h MoveMediaHandler) Complete(ctx context.Context, cmd CompleteMove) error {
	p, err := h.places.load(ctx, cmd.Place)
	if err != nil {
		return err
	}
	if p.Moving() == nil {
		return commands.ErrNothingToDo
	}
	_, err = h.arrive(ctx, cmd.Place, p)
	if errors.Is(err, media.ErrTaken) {
		return nil // the new path was taken: arrive has aborted the move
	}
	return err
}

// arrive completes a move that was recorded at the old path. It records that the file arrives at the new path, and then
// that the file leaves the old path. id is the id of the old path's stream, and source the state of the old path. When
// another file is at the new path, arrive aborts the move and returns media.ErrTaken. Design §6: arrive checks the whole
// history of the new path, because the moved file may have arrived there earlier and been deleted since.
func (h MoveMediaHandler) arrive(ctx context.Context, id string, source *media.Place) (eventstore.Position, error) {
	move := source.Moving()
	if move == nil {
		return eventstore.Position{}, commands.ErrNothingToDo
	}
	to := media.StreamID(media.AccountOf(id), media.Path{Folder: move.ToFolder, Name: move.ToName})
	_, refused := h.places.decide(ctx, to, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.MoveIn(source, at)
	})
	if refused != nil && !errors.Is(refused, media.ErrTaken) {
		return eventstore.Position{}, refused
	}
	d, err := h.places.decide(ctx, id, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.EndMove(move.Move, refused == nil, at)
	})
	switch {
	case errors.Is(err, media.ErrNoMove) && refused == nil:
		return d.Position, commands.ErrNothingToDo
	case errors.Is(err, media.ErrNoMove):
		return d.Position, refused
	case err != nil:
		return d.Position, err
	}
	return d.Position, refused
}
