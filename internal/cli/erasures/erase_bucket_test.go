package erasures_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/sirupsen/logrus"

	"moviola/internal/cli/exit"
	"moviola/internal/config"
	"moviola/internal/stores"
	"moviola/tests/harness/servers"
)

// adasFiles are files of ada, one of each kind by whose name it is found that they are hers.
var adasFiles = []string{"media/" + string(ada) + "/e1-u", "movies/" + string(ada) + "/movieada00000000.json", "renders/movieada00000000/1.mp4",
	"templates/templateada/ab.json", "library/templateada/1.mp4"}

// TestEraseAccount_bucket: former versions of the files of an account are removed from a bucket, and those of others stay. What the
// bucket does not give up is told.
func TestEraseAccount_bucket(t *testing.T) {
	address, environment := servers.StartS3Versions(t)
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	_, query, _ := strings.Cut(address, "?")
	where, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	_, id, _ := strings.Cut(environment[0], "=")
	_, secret, _ := strings.Cut(environment[1], "=")
	owner := s3.New(s3.Options{
		Region: where.Get("region"), BaseEndpoint: aws.String(where.Get("endpoint")), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
	})
	locked := aws.String("locked")
	if _, err := owner.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: locked, ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	address = strings.Replace(address, "s3://bucket", "s3://locked", 1)
	data := t.TempDir()
	fill(t, data, true)
	s, err := stores.Open(t.Context(), config.Config{Data: data, Blobs: address}, logrus.New())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range append(adasFiles, "media/"+string(bob)+"/e1-u") {
		err := s.Files.Put(t.Context(), key, strings.NewReader("canary-file"))
		if err = errors.Join(err, s.Files.Delete(t.Context(), key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	rebuildAll(t, data)
	if out, err := erase(t, data, string(ada), "--yes", "--blobs", address); err != nil || !strings.Contains(out, "10 versions of its files were removed") {
		t.Errorf("it says %q, %v", out, err)
	}
	page, err := owner.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: locked})
	if err != nil || len(page.Versions)+len(page.DeleteMarkers) != 2 {
		t.Errorf("the bucket has %d versions and %d marks, %v", len(page.Versions), len(page.DeleteMarkers), err)
	}
	_, err = owner.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: locked, Key: aws.String(adasFiles[0]), Body: strings.NewReader("canary-file"),
		ObjectLockMode: types.ObjectLockModeCompliance, ObjectLockRetainUntilDate: aws.Time(time.Now().Add(time.Hour)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := owner.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: locked, Key: aws.String(adasFiles[0])}); err != nil {
		t.Fatal(err)
	}
	_, err = erase(t, data, string(ada), "--yes", "--blobs", address)
	var code exit.Error
	if !errors.As(err, &code) || code.Code != exit.Findings || !strings.Contains(err.Error(), "its files: versions of files are still there: 1 below media/") {
		t.Errorf("of a locked file it says %v", err)
	}
}
