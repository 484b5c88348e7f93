// Package s3 uploads files to buckets of Amazon S3 and compatible services, through a client that the caller provides. It takes
// no credentials, regions or proxies from the environment. Files are streamed and not interpreted.
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
	"sync"
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

// maxObject is the maximum size in bytes of an upload in one request.
const maxObject = 5 << 30

// code matches error codes of storage services: nothing else of their responses is shown.
var code = regexp.MustCompile(`^[A-Za-z0-9]{1,40}$`)

// askTimeout limits the request that asks why an upload was refused.
const askTimeout = 10 * time.Second

// testName is the name of the object that Test uploads and removes.
const testName = "moviola-connection-test.txt"

// testContent is the content of the object that Test uploads.
const testContent = "A test of a connection. It can be removed.\n"

// Config is the configuration of a Sender.
type Config struct {
	// Client sends requests. It must not follow redirects, and must refuse forbidden addresses.
	Client *http.Client
	// Explain returns the part of a network error that may be shown, without any address. False: it is no network error.
	Explain func(error) (string, bool)
}

// Sender uploads videos to buckets.
type Sender struct{ cfg Config }

// New returns a sender.
func New(cfg Config) *Sender { return &Sender{cfg} }

// Send implements deliveries.Sender.
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
	source := &source{ReadSeeker: file}
	err = s.put(ctx, parcel.Settings, keyOf(parcel.Settings.RemoteFile()), source, parcel.Size, parcel.ContentType)
	if broken := source.broken(); err != nil && broken != nil {
		return deliveries.Receipt{}, fmt.Errorf("read the video: %w", broken)
	}
	return deliveries.Receipt{}, s.explain(ctx, place, err)
}

// source records read errors of the video, to tell them from errors of the network. The client reads it in a goroutine of
// its own.
type source struct {
	io.ReadSeeker
	mu  sync.Mutex
	err error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.ReadSeeker.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = err
	}
	return n, err
}

// broken returns the last read error of the video; nil: there was none.
func (s *source) broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Test implements deliveries.Sender: it uploads a small object and removes it. A failed removal is no error.
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

// closed reports whether the connection was closed before a response arrived. A service that refuses an upload before it has read
// the body closes the connection, and its response may be lost.
func closed(err error) bool {
	var answer smithy.APIError
	return err != nil && !errors.As(err, &answer) && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed))
}

// refusal asks the service, by a request without body, why it may have refused an upload, and returns the error of the response.
// Nil: there is no known reason. AccessDenied does not count as a reason: the request lists the bucket, and a destination's
// credentials may permit uploads but no listing.
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

// bucket returns the client for one destination. It uses nothing from the environment.
func (s *Sender) bucket(settings connection.Settings) *s3.Client {
	return s3.New(s3.Options{
		Region: settings["region"],
		Credentials: credentials.NewStaticCredentialsProvider(settings["access-key-id"], settings["secret-access-key"],
			settings["session-token"]),
		HTTPClient:       s.cfg.Client,
		BaseEndpoint:     endpointOf(settings),
		UsePathStyle:     settings["path-style"] == "true",
		RetryMaxAttempts: 2,
		// The request asks the service for permission before it sends the video, so that a refusal comes without an upload.
		ContinueHeaderThresholdBytes: 64 << 10,
		// not all compatible services know the newer checksums
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	})
}

func endpointOf(settings connection.Settings) *string {
	if settings["endpoint"] == "" {
		return nil
	}
	return aws.String(settings["endpoint"])
}

// keyOf converts a path to an object key: every / and ./ at its start is removed.
func keyOf(path string) string {
	for {
		trimmed := strings.TrimPrefix(strings.TrimLeft(path, "/"), "./")
		if trimmed == path {
			return path
		}
		path = trimmed
	}
}

// placeOf returns scheme and host of a bucket, for messages.
func placeOf(settings connection.Settings) string {
	if u, err := url.Parse(settings["endpoint"]); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return "https://s3." + settings["region"] + ".amazonaws.com"
}

// explain turns an error into a message for the account. Of the service's response it contains only the error code.
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
