package accountkeys

import (
	"bufio"
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"moviola/eventstore"
)

// The layout of an encrypted file. It is a part of the format of backups: with other sizes, no file of an earlier backup could be
// read.
const (
	segmentBytes = 1 << 20 // maximum size of a segment of the content, in bytes; only the last segment may be shorter
	sealBytes    = 28      // number of bytes that the encryption adds to a segment: a nonce of 12 bytes, a tag of 16
)

// errCut is the error for an encrypted file that ends before its last segment.
var errCut = errors.New("it is cut short")

// FileKey encrypts the files of one account in backups. It is derived from the account's key: when that key is erased, the
// FileKey is lost, too. It is safe for concurrent use.
//
// A file is encrypted in segments of a MiB. Each segment is bound to the name of the file, to the segment's number, and to
// whether the segment is the last: Open notices segments that were swapped, removed or added. The same file under the same name
// is encrypted to the same bytes, so an incremental backup recognises it. Two files with the same content and different names are
// encrypted to different bytes.
type FileKey struct{ key *eventstore.AccountKey }

// NewFileKey returns the key for the files of an account, from the 32 random bytes of the account's key.
func NewFileKey(random []byte) (FileKey, error) {
	if len(random) != Bytes {
		return FileKey{}, fmt.Errorf("the key of an account has %d bytes, not %d", len(random), Bytes)
	}
	derived, err := hkdf.Expand(sha256.New, random, "moviola account: files of backups", Bytes)
	if err != nil {
		return FileKey{}, err
	}
	key, err := eventstore.NewAccountKey(derived)
	return FileKey{key}, err
}

// Seal returns the encrypted form of a file's content. It keeps one segment at a time in memory, not the file.
func (k FileKey) Seal(name string, content io.Reader) io.Reader {
	return &segments{from: bufio.NewReader(content), size: segmentBytes,
		step: func(number int64, last bool, segment []byte) ([]byte, error) {
			return k.key.Seal(segmentPlace(name, number, last), segment), nil
		}}
}

// Open returns the content of a file that Seal has encrypted under the same name. Its reader fails before it returns a byte that
// was changed, and at the end of a file that was cut short.
func (k FileKey) Open(name string, sealed io.Reader) io.Reader {
	return &segments{from: bufio.NewReader(sealed), size: segmentBytes + sealBytes,
		step: func(number int64, last bool, segment []byte) ([]byte, error) {
			if len(segment) < sealBytes {
				return nil, errCut
			}
			return k.key.Open(segmentPlace(name, number, last), segment)
		}}
}

// OpenedSize returns the size of a file whose encrypted form has the given size, in bytes.
func OpenedSize(sealed int64) int64 {
	segments := (sealed + segmentBytes + sealBytes - 1) / (segmentBytes + sealBytes)
	return sealed - segments*sealBytes
}

// segmentPlace is what the encryption of a segment is bound to: the file's name, the segment's number, and whether it is the
// last.
func segmentPlace(name string, number int64, last bool) string {
	return fmt.Sprintf("%s\n%d\n%t", name, number, last)
}

// segments reads a file in segments of a size, and returns what step makes of each.
type segments struct {
	from *bufio.Reader
	size int64
	step func(number int64, last bool, segment []byte) ([]byte, error)

	number int64
	ended  bool
	left   []byte
}

// Read implements io.Reader.
func (s *segments) Read(p []byte) (int, error) {
	for len(s.left) == 0 {
		if s.ended {
			return 0, io.EOF
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

// next reads a segment. A file without content has a single, empty segment.
func (s *segments) next() error {
	var segment bytes.Buffer
	if _, err := io.CopyN(&segment, s.from, s.size); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	_, err := s.from.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	s.ended = err != nil
	if s.left, err = s.step(s.number, s.ended, segment.Bytes()); err != nil {
		return fmt.Errorf("decrypt segment %d: %w", s.number, err)
	}
	s.number++
	return nil
}
