// Package s3 puts files into buckets of Amazon S3, or of a service that speaks its protocol, through a client that its user
// gives: no credentials, regions or proxies are taken from the environment. Files are streamed. What they are is not known here.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
)

var _ deliveries.Sender = (*Sender)(nil)

// maxObject is the most that one request can store.
const maxObject = 5 << 30

// code is what the error codes of storages look like: nothing else of their answers is passed on.
var code = regexp.MustCompile(`^[A-Za-z0-9]{1,40}$`)

// askTimeout is how long the question may take why an upload was refused.
const askTimeout = 10 * time.Second

// testName is the object that a test puts and removes.
const testName = "moviola-connection-test.txt"

// testContent is what is in it.
const testContent = "A test of a connection. It can be removed.\n"

// Config is what a Sender needs.
type Config struct {
	// Client sends requests, follows no redirect and refuses what may not be called.
	Client *http.Client
	// Explain says what may be told of an error of the network, without any address. False: it is none.
	Explain func(error) (string, bool)
}

// Sender puts videos into buckets.
type Sender struct{ cfg Config }

// New returns a sender.
func New(cfg Config) *Sender { return &Sender{cfg} }

// Send implements commands.Sender.
func (s *Sender) Send(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	place := placeOf(parcel.Settings)
	if parcel.Size > maxObject {
		return deliveries.Receipt{}, s.refuse(place, "the video is larger than 5 GB")
	}
	file, err := parcel.Open(ctx)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	defer file.Close()
	err = s.put(ctx, parcel.Settings, keyOf(parcel.Settings.RemoteFile()), file, parcel.Size, "video/mp4")
	return deliveries.Receipt{}, s.explain(ctx, place, err)
}

// Test implements commands.Sender: it puts a small object and removes it. Removing may be forbidden; that is no failure.
func (s *Sender) Test(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	settings := parcel.Settings
	key := keyOf(settings["remote-path"] + "/" + testName)
	err := s.put(ctx, settings, key, strings.NewReader(testContent), int64(len(testContent)), "text/plain")
	if err == nil {
		_, _ = s.bucket(settings).DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(settings["bucket"]), Key: aws.String(key)})
	}
	return deliveries.Receipt{}, s.explain(ctx, placeOf(settings), err)
}

func (s *Sender) put(
	ctx context.Context, settings connection.Settings, key string, body io.ReadSeeker, size int64, contentType string,
) error {
	bucket := s.bucket(settings)
	_, err := bucket.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(settings["bucket"]), Key: aws.String(key), Body: body,
		ContentLength: aws.Int64(size), ContentType: aws.String(contentType),
	})
	if closed(err) {
		if why := s.refusal(ctx, bucket, settings["bucket"]); why != nil {
			return why
		}
	}
	return err
}

// closed says whether the storage closed the connection without an answer that arrived. A storage that refuses an upload whose
// body it has not read closes the connection, and with it the answer can be lost.
func closed(err error) bool {
	var answer smithy.APIError
	return err != nil && !errors.As(err, &answer) && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed))
}

// refusal asks the storage, by a request without a body, why it may have closed the connection of an upload, and returns the
// error it answers. Nil: it gives no reason. Keys that may only write are not allowed to list: AccessDenied is no reason.
func (s *Sender) refusal(ctx context.Context, bucket *s3.Client, name string) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, err := bucket.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(name), MaxKeys: aws.Int32(1)})
	var answer smithy.APIError
	if errors.As(err, &answer) && answer.ErrorCode() != "AccessDenied" && code.MatchString(answer.ErrorCode()) {
		return err
	}
	return nil
}

// bucket returns the client for one destination. Nothing of it comes from the environment.
func (s *Sender) bucket(settings connection.Settings) *s3.Client {
	return s3.New(s3.Options{
		Region: settings["region"],
		Credentials: credentials.NewStaticCredentialsProvider(settings["access-key-id"], settings["secret-access-key"],
			settings["session-token"]),
		HTTPClient:       s.cfg.Client,
		BaseEndpoint:     endpointOf(settings),
		UsePathStyle:     settings["path-style"] == "true",
		RetryMaxAttempts: 2,
		// A refusal comes before the video is sent, not while.
		ContinueHeaderThresholdBytes: 64 << 10,
		RequestChecksumCalculation:   aws.RequestChecksumCalculationWhenRequired, // others than Amazon do not all know the newer ones
		ResponseChecksumValidation:   aws.ResponseChecksumValidationWhenRequired,
	})
}

func endpointOf(settings connection.Settings) *string {
	if settings["endpoint"] == "" {
		return nil
	}
	return aws.String(settings["endpoint"])
}

// keyOf is a path as the key of an object: without a slash or dots before it.
func keyOf(path string) string {
	for {
		trimmed := strings.TrimPrefix(strings.TrimLeft(path, "/"), "./")
		if trimmed == path {
			return path
		}
		path = trimmed
	}
}

// placeOf shows where a bucket is: scheme and host.
func placeOf(settings connection.Settings) string {
	if u, err := url.Parse(settings["endpoint"]); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return "https://s3." + settings["region"] + ".amazonaws.com"
}

// explain turns an error into one for the owner. Of what the service answers only its error code is told.
func (s *Sender) explain(ctx context.Context, place string, err error) error {
	var answer smithy.APIError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("send to %s: %w", place, context.Cause(ctx))
	case errors.As(err, &answer) && code.MatchString(answer.ErrorCode()):
		return s.refuse(place, "the storage answered "+answer.ErrorCode())
	}
	if why, ok := s.cfg.Explain(err); ok {
		return s.refuse(place, why)
	}
	return s.refuse(place, "the upload failed")
}

func (s *Sender) refuse(place, why string) error {
	return domain.Errorf(domain.Invalid, "not_delivered", "Not delivered to %s: %s", place, why)
}
