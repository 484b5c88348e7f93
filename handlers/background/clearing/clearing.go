package clearing

import "context"

// answering handles one kind of command and returns R.
type answering[C, R any] interface {
	Handle(ctx context.Context, cmd C) (R, error)
}

// doing handles one kind of command that returns no value.
type doing[C any] interface {
	Handle(ctx context.Context, cmd C) error
}
