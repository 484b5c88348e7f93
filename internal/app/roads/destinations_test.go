package roads

import (
	"testing"

	"moviola/domain/connection"
	"moviola/internal/config"
)

// TestNewDestinations: each kind of destination that needs a video has its sender, and nothing else has one.
func TestNewDestinations(t *testing.T) {
	t.Parallel()
	guard, err := NewGuard(config.Config{})
	if err != nil {
		t.Fatal(err)
	}
	to, err := NewDestinations(config.Config{}, guard, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range connection.Kinds() {
		kind := connection.Kind(name)
		if _, has := to.Senders[kind]; has != kind.TakesFiles() {
			t.Errorf("%s needs a video: %v; it has a sender: %v", name, kind.TakesFiles(), has)
		}
	}
}
