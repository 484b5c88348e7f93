package blobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob" // registers the scheme s3://

	"moviola/commands"
	"moviola/commands/mediafiles"
	"moviola/internal/clouds"
)

var _ mediafiles.Staging = (*Bucket)(nil)

// Presigns reports whether clients can upload to addresses of the storage itself, without this program. A folder has no such
// addresses, and those of Google and Azure are not used: files for them pass through this program.
func (b *Bucket) Presigns() bool { return b.scheme == s3blob.Scheme }

// InBucket reports whether the files are in a bucket.
func (b *Bucket) InBucket() bool { return b.dir == "" }

// Presign implements mediafiles.Staging. The signature covers method, key, length and type.
func (b *Bucket) Presign(ctx context.Context, key, contentType string, size int64, ttl time.Duration) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	address, err := b.bucket.SignedURL(ctx, key, &blob.SignedURLOptions{
		Method: http.MethodPut, Expiry: ttl,
		BeforeSign: func(as func(any) bool) error {
			var put *s3.PutObjectInput
			if as(&put) {
				put.ContentLength, put.ContentType = aws.Int64(size), aws.String(contentType)
			}
			return nil
		},
	})
	if err != nil {
		return "", fmt.Errorf("sign an address of file %s: %w", key, err)
	}
	return address, nil
}

// Ping returns an error if the storage cannot be reached.
func (b *Bucket) Ping(ctx context.Context) error {
	if b.dir != "" {
		_, err := os.Stat(b.dir)
		return err
	}
	there, err := b.bucket.IsAccessible(ctx)
	if err == nil && !there {
		err = errors.New("the bucket is not there, or may not be listed")
	}
	if code := clouds.Answer(err); code != "" { // err contains the whole answer, so only the answer's code is returned
		err = fmt.Errorf("the storage answered %s", code)
	}
	return err
}

// Stat implements mediafiles.Staging.
func (b *Bucket) Stat(ctx context.Context, key string) (mediafiles.Staged, error) {
	if err := checkKey(key); err != nil {
		return mediafiles.Staged{}, err
	}
	found, err := b.bucket.Attributes(ctx, key)
	if missing(err) {
		err = errors.Join(commands.ErrFileNotFound, err)
	}
	if err != nil {
		return mediafiles.Staged{}, fmt.Errorf("look at file %s: %w", key, err)
	}
	return mediafiles.Staged{Size: found.Size, ContentType: found.ContentType, At: found.ModTime}, nil
}

// Copy implements mediafiles.Staging. A bucket copies the file by itself: its bytes do not pass through this process.
func (b *Bucket) Copy(ctx context.Context, from, to string) error {
	if err := errors.Join(checkKey(from), checkKey(to)); err != nil {
		return err
	}
	if err := b.copy(ctx, from, to); err != nil {
		return fmt.Errorf("copy file %s to %s: %w", from, to, err)
	}
	return nil
}

// copy copies a file if the bounds allow it.
func (b *Bucket) copy(ctx context.Context, from, to string) error {
	room, account := b.roomOf(ctx, to)
	if room == nil {
		return b.bucket.Copy(ctx, to, from, nil)
	}
	found, err := b.bucket.Attributes(ctx, from)
	if err != nil {
		return err
	}
	w := room.Begin(account)
	defer w.Drop()
	if err := w.Add(ctx, found.Size); err != nil {
		return room.refused(err)
	}
	if err := b.bucket.Copy(ctx, to, from, nil); err != nil {
		return err
	}
	w.Keep()
	return nil
}
