package eventstore_test

import (
	"testing"

	"moviola/eventstore"
)

// TestPersonal_classified: every text in an event says whether it is personal.
func TestPersonal_classified(t *testing.T) {
	t.Parallel()
	for _, field := range eventstore.NewCodec().Unclassified() {
		t.Errorf(`%s is a text: say personal:"yes" or personal:"no" in its tag`, field)
	}
}
