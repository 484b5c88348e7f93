//go:build !race

package caption_test

const slower = 1
