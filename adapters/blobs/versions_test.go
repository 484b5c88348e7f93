package blobs_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"moviola/adapters/blobs"
	"moviola/tests/harness/servers"
	"moviola/tests/harness/storages"
)

// ownerOf returns a client for the server of a bucket.
func ownerOf(t *testing.T, b storages.Bucket) *s3.Client {
	t.Helper()
	_, query, _ := strings.Cut(b.Address, "?")
	where, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	_, id, _ := strings.Cut(b.Environment[0], "=")
	_, secret, _ := strings.Cut(b.Environment[1], "=")
	return s3.New(s3.Options{
		Region: where.Get("region"), BaseEndpoint: aws.String(where.Get("endpoint")), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
	})
}

// keptIn returns how many versions and marks of deletion a bucket has.
func keptIn(t *testing.T, owner *s3.Client, bucket string) int {
	t.Helper()
	page, err := owner.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: aws.String(bucket)})
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Versions) + len(page.DeleteMarkers)
}

// write stores two versions of a file and removes it.
func write(t *testing.T, files *blobs.Bucket, key string) {
	t.Helper()
	for _, content := range []string{"canary", "canary"} {
		if err := files.Put(t.Context(), key, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
}

// TestRemoveVersions: in a bucket with versions all that is below a prefix is removed, and nothing else; also where the address has
// a prefix.
func TestRemoveVersions(t *testing.T) {
	address, environment := servers.StartS3Versions(t)
	b := storages.Bucket{Address: address, Environment: environment}
	owner := ownerOf(t, b)
	enabled := &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}
	if _, err := owner.PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{Bucket: aws.String("bucket"), VersioningConfiguration: enabled}); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "&prefix=moviola/"} {
		files := openBucket(t, storages.Bucket{Address: address + prefix, Environment: environment})
		write(t, files, "media/ada/one")
		write(t, files, "media/ada/two")
		write(t, files, "media/adam/one")
		before := keptIn(t, owner, "bucket")
		removed, err := files.RemoveVersions(t.Context(), "media/ada/")
		if err != nil || removed != 6 || keptIn(t, owner, "bucket") != before-6 {
			t.Errorf("with prefix %q %d of %d were removed, %d are left, %v", prefix, removed, before, keptIn(t, owner, "bucket"), err)
		}
		if files.KeepsVersions() {
			t.Error("it is said that versions are not found")
		}
	}
}

// TestRemoveVersions_locked: what a bucket refuses to remove is told, and the rest is removed.
func TestRemoveVersions_locked(t *testing.T) {
	address, environment := servers.StartS3Versions(t)
	b := storages.Bucket{Address: strings.Replace(address, "s3://bucket", "s3://locked", 1), Environment: environment}
	owner := ownerOf(t, b)
	if _, err := owner.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("locked"), ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	files := openBucket(t, b)
	write(t, files, "media/ada/one")
	_, err := owner.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("locked"), Key: aws.String("media/ada/two"), Body: strings.NewReader("canary"),
		ObjectLockMode: types.ObjectLockModeCompliance, ObjectLockRetainUntilDate: aws.Time(time.Now().Add(time.Hour)),
	})
	if err != nil {
		t.Fatal(err)
	}
	removed, err := files.RemoveVersions(t.Context(), "media/ada/")
	if err == nil || !strings.Contains(err.Error(), "versions of files are still there: 1 below media/ada/: the storage answered ") || removed != 3 {
		t.Errorf("%d were removed, %v", removed, err)
	}
}

// TestRemoveVersions_without: in a storage that keeps no versions, the files are removed.
func TestRemoveVersions_without(t *testing.T) {
	for kind, start := range storages.All {
		t.Run(kind, func(t *testing.T) {
			files := openBucket(t, start(t))
			for _, key := range []string{"media/ada/one", "media/bob/one"} {
				if err := files.Put(t.Context(), key, strings.NewReader("x")); err != nil {
					t.Fatal(err)
				}
			}
			removed, err := files.RemoveVersions(t.Context(), "media/ada/")
			left, listed := files.List(t.Context(), "")
			if err != nil || listed != nil || removed != 1 || len(left) != 1 || files.KeepsVersions() != (kind != "s3") {
				t.Errorf("%d were removed, %q are left, %v, %v", removed, left, err, listed)
			}
			if _, err := files.RemoveVersions(t.Context(), "media/ada"); err == nil {
				t.Error("a prefix that is no folder is taken")
			}
		})
	}
}
