//go:build race

package expand_test

// The race detector makes computing several times slower.
const slower = 5
