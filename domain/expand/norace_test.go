//go:build !race

package expand_test

const slower = 1
