package delivery_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"moviola/adapters/anchorage"
	"moviola/adapters/mail"
	"moviola/adapters/outbound"
	"moviola/projections/audit"
	"moviola/tests/harness/servers"
)

func anchorPlace(t *testing.T, address string, cfg anchorage.Config) *anchorage.Place {
	t.Helper()
	a, err := anchorage.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	place, err := anchorage.Open(t.Context(), a, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// TestAnchors_S3: in a bucket with object lock nobody can remove an anchor, not even the owner of the bucket.
func TestAnchors_S3(t *testing.T) {
	address, environment := servers.StartS3Bucket(t)
	_, query, _ := strings.Cut(address, "?")
	where, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	_, id, _ := strings.Cut(environment[0], "=")
	_, secret, _ := strings.Cut(environment[1], "=")
	credential := filepath.Join(t.TempDir(), "credentials")
	content := "[auditor]\naws_access_key_id = " + id + "\naws_secret_access_key = " + secret + "\n"
	if err := os.WriteFile(credential, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", credential)
	t.Setenv("AWS_ACCESS_KEY_ID", "other") // of --blobs: the profile goes before it
	t.Setenv("AWS_SECRET_ACCESS_KEY", "other")
	owner := awss3.New(awss3.Options{
		Region: where.Get("region"), BaseEndpoint: aws.String(where.Get("endpoint")), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
	})
	if _, err := owner.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("anchors"), ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	sheet := audit.Sheet{Name: "moviola-1", TakenAt: time.Now().UTC(), Content: []byte("{}\n"), List: []byte("digests")}
	place := anchorPlace(t, "s3://anchors?"+query+"&prefix=prod/&lock-days=10&profile=auditor",
		anchorage.Config{Client: http.DefaultClient})
	if err := place.Put(t.Context(), sheet); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int64{"prod/moviola-1.anchor": 3, "prod/moviola-1.anchor.list": 7} {
		head, err := owner.HeadObject(t.Context(), &awss3.HeadObjectInput{Bucket: aws.String("anchors"), Key: aws.String(key)})
		if err != nil || aws.ToInt64(head.ContentLength) != want {
			t.Fatalf("%s: %+v, %v", key, head, err)
		}
		until := sheet.TakenAt.Add(10 * 24 * time.Hour).Truncate(time.Second)
		if head.ObjectLockMode != "COMPLIANCE" || !aws.ToTime(head.ObjectLockRetainUntilDate).Equal(until) {
			t.Errorf("%s is locked as %s until %v, want %v", key, head.ObjectLockMode, head.ObjectLockRetainUntilDate, until)
		}
		_, err = owner.DeleteObject(t.Context(), &awss3.DeleteObjectInput{Bucket: aws.String("anchors"), Key: aws.String(key), VersionId: head.VersionId})
		if err == nil {
			t.Errorf("%s was removed", key)
		}
	}
}

// TestAnchors_Mail: the operator's mail server takes the anchor as an attachment.
func TestAnchors_Mail(t *testing.T) {
	t.Parallel()
	server := servers.NewMailServer(t, nil, false)
	sender, err := mail.New(mail.Config{
		Dial: road(t, server.Address), Explain: outbound.Explain, From: "movies@example.com",
		Server: "smtp://" + server.Username + ":" + server.Password + "@" + server.Address + "?security=none",
	})
	if err != nil {
		t.Fatal(err)
	}
	place := anchorPlace(t, "mailto:auditor@example.com", anchorage.Config{Mail: func(ctx context.Context, to, subject, text, name string, content []byte) error {
		return sender.SendFile(ctx, to, subject, text, name, content)
	}})
	if err := place.Put(t.Context(), audit.Sheet{Name: "moviola-1", Content: []byte(`{"anchor":1}`), Digest: "abcd"}); err != nil {
		t.Fatal(err)
	}
	letter := server.Letters()[0]
	for _, want := range []string{"Subject: Anchor moviola-1", `filename="moviola-1.anchor"`, "eyJhbmNob3IiOjF9", "abcd"} {
		if !strings.Contains(letter.Body, want) {
			t.Errorf("the e-mail lacks %q:\n%s", want, letter.Body)
		}
	}
	if letter.To[0] != "auditor@example.com" || strings.Contains(letter.Body, "X-Moviola-Account") {
		t.Errorf("the e-mail %+v", letter)
	}
}
