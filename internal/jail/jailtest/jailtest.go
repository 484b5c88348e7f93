// Package jailtest gives tests a jail.
package jailtest

import (
	"os"
	"path/filepath"
	"testing"

	"moviola/internal/jail"
)

// Self returns the path of a program for jail.Config.Self: the starter that scripts/test.sh builds for a run of tests, or else
// the test program itself, which under the race detector takes some ten times as long to start a program.
func Self() (string, error) {
	if starter := filepath.Join(os.Getenv("MOVIOLA_TEST_BINARIES"), "starter"); filepath.IsAbs(starter) {
		if _, err := os.Stat(starter); err == nil {
			return starter, nil
		}
	}
	return os.Executable()
}

// New returns a jail without these layers, as on a machine that refuses them.
func New(t testing.TB, without ...jail.Layer) *jail.Jail {
	t.Helper()
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	j, err := jail.New(jail.Config{Self: self, Without: without})
	if err != nil {
		t.Fatal(err)
	}
	return j
}
