//go:build race

package caption_test

// The race detector makes computing several times slower.
const slower = 5
