package blackbox_test

import (
	"os"
	"testing"

	"moviola/tests/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// object and list keep the movies of the tests readable.
type (
	object = map[string]any
	list   = []any
)
