package blobs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"moviola/adapters/blobs"
	"moviola/commands"
	"moviola/tests/harness/storages"
)

// openBucket opens a bucket as its environment says.
func openBucket(t *testing.T, b storages.Bucket) *blobs.Bucket {
	t.Helper()
	for _, variable := range b.Environment {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	bucket, err := blobs.OpenWithKey(t.Context(), b.Address, b.Key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bucket.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return bucket
}

// TestFiles_buckets holds S3, Google Cloud Storage and Azure Blob Storage against the contract that folders keep.
func TestFiles_buckets(t *testing.T) {
	for kind, start := range storages.All {
		t.Run(kind, func(t *testing.T) {
			bucket := openBucket(t, start(t))
			for name, rule := range rules {
				t.Run(name, func(t *testing.T) {
					if name == "an open file outlives Delete" {
						return // readers of a bucket ask for its parts as they go: those who delete a file say so before
					}
					rule(t, bucket)
					empty(t, bucket)
				})
			}
		})
	}
}

// empty removes all files of a bucket.
func empty(t *testing.T, bucket *blobs.Bucket) {
	t.Helper()
	keys, err := bucket.List(context.Background(), "")
	for _, key := range keys {
		err = errors.Join(err, bucket.Delete(context.Background(), key))
	}
	if err != nil {
		t.Errorf("empty the bucket: %v", err)
	}
}

// Decision 45: the address of the storage is bound to length and type, and what comes later changes nothing.
func TestBucket_Presign(t *testing.T) {
	bucket := openBucket(t, storages.S3(t))
	if !bucket.Presigns() {
		t.Fatal("a bucket has addresses of its own")
	}
	address, err := bucket.Presign(t.Context(), "staging/a/e1", "image/png", 5, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	put := func(body, contentType string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		return response.StatusCode
	}
	for body, contentType := range map[string]string{"hell": "image/png", "hello!": "image/png", "hello": "text/html", "HELLO": ""} {
		if status := put(body, contentType); status < 400 {
			t.Errorf("%q as %s: %d", body, contentType, status)
		}
	}
	if _, err := bucket.Stat(t.Context(), "staging/a/e1"); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("nothing was stored: %v", err)
	}
	if status := put("hello", "image/png"); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	staged, err := bucket.Stat(t.Context(), "staging/a/e1")
	if err != nil || staged.Size != 5 || staged.ContentType != "image/png" || time.Since(staged.At) > time.Hour {
		t.Errorf("%+v, %v", staged, err)
	}
	if err := bucket.Copy(t.Context(), "staging/a/e1", "media/a/e1-1"); err != nil {
		t.Fatal(err)
	}
	put("HELLO", "image/png")
	if got := mustRead(t, bucket, "media/a/e1-1"); got != "hello" {
		t.Errorf("the file is %q", got)
	}
	if _, err := os.Stat("staging"); err == nil {
		t.Error("a file was left here")
	}
}

// TestBucket_Limit_buckets holds buckets against the contract of bounds.
func TestBucket_Limit_buckets(t *testing.T) {
	for kind, start := range storages.All {
		t.Run(kind, func(t *testing.T) {
			b := start(t)
			bounded(t, func() *blobs.Bucket { return openBucket(t, b) })
		})
	}
}
