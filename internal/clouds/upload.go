package clouds

import (
	"context"
	"errors"
	"io"

	"gocloud.dev/blob"
)

// Upload writes a whole object, in parts of the options' buffer size. A failed upload leaves no part of an object. An
// error of reading the content is returned separately, because it has nothing to do with the storage. The options must
// have a content type.
//
// The writers of gocloud.dev/blob are not used: Azure's panics when it is closed after an upload has failed.
func Upload(
	ctx context.Context, to *blob.Bucket, key string, content io.Reader, options blob.WriterOptions,
) (broken, err error) {
	ctx, abandon := context.WithCancel(ctx)
	defer abandon()
	from := &source{reader: content, abandon: abandon}
	err = to.Upload(ctx, key, from, &options)
	return from.err, err
}

// source is the content of an upload. After a failed read it keeps the error and cancels the upload before gocloud.dev/blob
// could complete it.
type source struct {
	reader  io.Reader
	abandon func()
	err     error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
		s.abandon()
	}
	return n, err
}
