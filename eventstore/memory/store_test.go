package memory_test

import (
	"testing"

	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/eventstore/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) eventstore.Store { return memory.New() })
}

func TestStore_shared(t *testing.T) {
	t.Parallel()
	store := memory.New()
	storetest.Run(t, func(*testing.T) eventstore.Store { return store })
}
