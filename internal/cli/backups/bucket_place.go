package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"moviola/adapters/blobs"
	"moviola/commands"
)

// bucketPlace is a backup.Place in a bucket.
type bucketPlace struct{ *blobs.Bucket }

func (b bucketPlace) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	file, err := b.Bucket.Open(ctx, name)
	if errors.Is(err, commands.ErrFileNotFound) {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return file, err
}
