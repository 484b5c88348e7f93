// Package jailtest gives tests a jail. The test program itself becomes the jailed programs.
package jailtest

import (
	"os"
	"testing"

	"moviola/internal/jail"
)

// New returns a jail without these layers, as on a machine that refuses them.
func New(t testing.TB, without ...jail.Layer) *jail.Jail {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	j, err := jail.New(jail.Config{Self: self, Without: without})
	if err != nil {
		t.Fatal(err)
	}
	return j
}
