package assets

import (
	"errors"
	"hash"
	"io"
)

// headBytes are enough to recognise every format.
const headBytes = 4 << 10

// body hashes what is read of a download and remembers when reading failed, so that a broken connection and a full disk can
// be told apart.
type body struct {
	from   io.Reader
	sum    hash.Hash
	broken error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.sum.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		b.broken = err
	}
	return n, err
}

// head returns the first bytes, fewer when there are no more.
func (b *body) head() ([]byte, error) {
	head := make([]byte, headBytes)
	n, err := io.ReadFull(b, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		// A length that was promised and not kept shows as ErrUnexpectedEOF of the source, which Read has remembered.
		err = b.broken
	}
	return head[:n], err
}
