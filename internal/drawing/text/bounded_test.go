package text

import (
	"errors"
	"testing"
	"time"

	"moviola/domain"
)

// A reader of a font that does not end or panics gives an error for the client; further fonts can still be read.
func TestBounded(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	for name, read := range map[string]func() error{
		"endless": func() error { <-end; return nil },
		"broken":  func() error { panic("index out of range") },
	} {
		var fault *domain.Error
		if err := boundedBy(time.Second, read); !errors.As(err, &fault) {
			t.Errorf("%s: %v, want an error for the client", name, err)
		}
	}
	if err := boundedBy(time.Minute, func() error { return nil }); err != nil {
		t.Errorf("a good font: %v", err)
	}
}
