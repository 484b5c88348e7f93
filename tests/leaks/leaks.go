// Package leaks fails the tests of a package that leave goroutines behind.
package leaks

import (
	"testing"

	"go.uber.org/goleak"
)

// Verify runs a package's tests, from its TestMain, and ends the process. What ends by itself has a minute and a half for it: on
// a busy machine that is longer than the check for leaks alone would wait.
func Verify(m *testing.M) { goleak.VerifyTestMain(unhurried{m}) }

type unhurried struct{ *testing.M }

// Run implements goleak.TestingM.
func (u unhurried) Run() int {
	code := u.M.Run()
	for tries := 0; tries < 200 && goleak.Find() != nil; tries++ { // each for half a second
	}
	return code
}
