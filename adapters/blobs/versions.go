package blobs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob/s3blob"
)

// errVersionsKept is the error for versions of files that a bucket refuses to remove.
var errVersionsKept = errors.New("versions of files are still there")

// version is a version of a file in a bucket, or the mark of its deletion.
type version struct{ key, id string }

// KeepsVersions reports whether the storage may keep former versions of files which RemoveVersions does not find: that is so for
// gs:// and azblob://.
func (b *Bucket) KeepsVersions() bool { return b.dir == "" && b.scheme != s3blob.Scheme }

// RemoveVersions removes all files whose keys begin with a prefix, which ends with a slash. In a bucket at s3:// it removes all
// of their versions and marks of deletion too. It returns the number of removed files, versions and marks. If a bucket at s3://
// refuses to remove some of them, such as locked ones, RemoveVersions removes the others and returns an error.
func (b *Bucket) RemoveVersions(ctx context.Context, prefix string) (removed int, err error) {
	if err := checkPrefix(prefix); err != nil || !strings.HasSuffix(prefix, "/") {
		return 0, errors.Join(fmt.Errorf("%w: %q is no folder", errBadKey, prefix), err)
	}
	var client *s3.Client
	if b.scheme == s3blob.Scheme && b.bucket.As(&client) {
		return b.removeVersions(ctx, client, prefix)
	}
	keys, err := b.List(ctx, prefix)
	for _, key := range keys {
		if err == nil {
			err = b.Delete(ctx, key)
		}
		if err == nil {
			removed++
		}
	}
	return removed, err
}

// removeVersions is RemoveVersions in a bucket of S3. A page of versions is listed before any of it is removed.
func (b *Bucket) removeVersions(ctx context.Context, client *s3.Client, prefix string) (removed int, err error) {
	list := &s3.ListObjectVersionsInput{Bucket: aws.String(b.name), Prefix: aws.String(b.prefix + prefix)}
	kept, refusal := 0, error(nil)
	for {
		page, err := client.ListObjectVersions(ctx, list)
		if err != nil {
			return removed, fmt.Errorf("list versions of files %s: %w", prefix, answered(err))
		}
		for _, one := range versionsOf(page) {
			input := &s3.DeleteObjectInput{Bucket: list.Bucket, Key: aws.String(one.key), VersionId: aws.String(one.id)}
			if _, err := client.DeleteObject(ctx, input); err != nil {
				if ctx.Err() != nil {
					return removed, ctx.Err()
				}
				kept, refusal = kept+1, answered(err)
				continue
			}
			removed++
		}
		if !aws.ToBool(page.IsTruncated) {
			break
		}
		list.KeyMarker, list.VersionIdMarker = page.NextKeyMarker, page.NextVersionIdMarker
	}
	if kept > 0 {
		return removed, fmt.Errorf("%w: %d below %s: %w", errVersionsKept, kept, prefix, refusal)
	}
	return removed, nil
}

// versionsOf returns the versions and the marks of deletion in a page of a list.
func versionsOf(page *s3.ListObjectVersionsOutput) []version {
	var all []version
	for _, one := range page.Versions {
		all = append(all, version{aws.ToString(one.Key), aws.ToString(one.VersionId)})
	}
	for _, one := range page.DeleteMarkers {
		all = append(all, version{aws.ToString(one.Key), aws.ToString(one.VersionId)})
	}
	for i := range all {
		if all[i].id == "" { // the file was stored before the bucket had versions, or the bucket has none
			all[i].id = "null"
		}
	}
	return all
}

// answered returns an error with the code of S3's answer only: the error of the AWS client has the whole request. An
// error without such a code is returned unchanged.
func answered(err error) error {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) && coded.ErrorCode() != "" {
		return fmt.Errorf("the storage answered %s", coded.ErrorCode())
	}
	return err
}
