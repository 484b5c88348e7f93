package clearing

import "context"

// answering is a handler of commands of the type C that returns a result of the type R.
type answering[C, R any] interface {
	Handle(ctx context.Context, cmd C) (R, error)
}

// doing is a handler of commands of the type C that returns no result.
type doing[C any] interface {
	Handle(ctx context.Context, cmd C) error
}
