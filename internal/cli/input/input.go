// Package input reads what the command line names: a file, or standard input.
package input

import (
	"fmt"
	"io"
	"os"
)

// MaxMovie is the largest movie or template that is read, in bytes. POST /movies has the same limit.
const MaxMovie = 2 << 20

// Read returns the content of the file name or, if name is "-" and stdin is not nil, of stdin. More than limit bytes are an
// error.
func Read(name string, stdin io.Reader, limit int64) ([]byte, error) {
	in := stdin
	if name != "-" || stdin == nil {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // closing a file that was only read loses nothing
		in = file
	}
	raw, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("%s is larger than the limit of %d bytes (%d MB)", name, limit, limit>>20)
	}
	return raw, err
}
