package blackbox_test

import (
	"fmt"
	"os"
	"testing"

	"moviola/tests/harness"
)

func TestMain(m *testing.M) {
	if filter := os.Getenv(filterVariable); filter != "" {
		_, _ = fmt.Fprintln(os.Stderr, becomeFiltered(filter))
		os.Exit(126)
	}
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// object and list keep the movies of the tests readable.
type (
	object = map[string]any
	list   = []any
)
