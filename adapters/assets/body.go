package assets

import (
	"errors"
	"hash"
	"io"

	"moviola/adapters/assets/examine"
)

// body hashes the bytes read of a download. It remembers read errors, so that a broken connection can be told from a full disk.
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

// head returns the first HeadBytes bytes of the download, or all of them if it has fewer.
func (b *body) head() ([]byte, error) {
	head := make([]byte, examine.HeadBytes)
	n, err := io.ReadFull(b, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		// A body that is shorter than head is no error. But if the connection ended before the declared length of the
		// body, Read has stored the error of the connection in broken, and that error is returned.
		err = b.broken
	}
	return head[:n], err
}
