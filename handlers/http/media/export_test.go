package media

import (
	"context"
	"io"
	"time"
)

// Steady reads a body as uploads are read.
func Steady(r io.Reader, extend func(time.Time) error) io.Reader {
	return &steady{r: r, extend: extend, stopping: context.Background()}
}

// The bounds of a slow body.
const (
	LongestPause = longestPause
	LeastBytes   = leastBytes
	LeastUpload  = leastUpload
)
