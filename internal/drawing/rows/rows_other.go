//go:build !amd64 || purego

package rows

// blocks are what a processor makes many pixels of at a time; here nothing.
type blocks struct{}

func (blocks) ready([]uint64, int) {}

func (blocks) between(_, _ []byte) int { return 0 }

func mixBlocks(_, _, _ []byte, _ uint32) int { return 0 }
