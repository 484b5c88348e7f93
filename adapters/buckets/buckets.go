// Package buckets uploads files to Google Cloud Storage and to Azure Blob Storage, with the same library that can keep the files
// of an installation there. All requests, including those for tokens, go through a client that the caller provides. No
// credentials, endpoints or proxies are taken from the environment. Files are streamed and not interpreted. Decision 80.
package buckets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"gocloud.dev/blob"

	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/internal/clouds"
)

var _ deliveries.Sender = (*Sender)(nil)

const (
	// buffer is the number of bytes of a file that are held in memory while it is sent.
	buffer = 8 << 20
	// tries is the largest number of times that a request is sent.
	tries = 2
	// testName and testContent describe the object that Test uploads and removes.
	testName    = "moviola-connection-test.txt"
	testContent = "A test of a connection. It can be removed.\n"
)

const theStorage = "the storage"

// code matches error codes of storages: nothing else of their responses is shown.
var code = regexp.MustCompile(`^[A-Za-z0-9_]{1,60}$`)

// Config is the configuration of a Sender.
type Config struct {
	// Client sends requests. It must not follow redirects, and must refuse forbidden addresses.
	Client *http.Client
	// Explain returns the part of a network error that may be shown, without any address. False: it is no network error.
	Explain func(error) (string, bool)
}

// Sender uploads videos to buckets of one kind. It is safe for concurrent use.
type Sender struct {
	cfg  Config
	kind connection.Kind
	open func(context.Context, *http.Client, connection.Settings) (*bucket, error)
	// answer returns who refused a request, and the error code of the response; two empty texts: the error is not a refusal.
	answer func(error) (who, code string)
}

// bucket is an open bucket, and the function that closes it.
type bucket struct {
	*blob.Bucket
	road  *road
	close func() error
}

// Send implements deliveries.Sender.
func (s *Sender) Send(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	file, err := parcel.Open(ctx)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	defer file.Close()
	return deliveries.Receipt{}, s.with(ctx, parcel.Settings, func(to *bucket) error {
		broken, err := to.put(ctx, keyOf(parcel.Settings.RemoteFile()), parcel.ContentType, file)
		if broken != nil {
			return fmt.Errorf("read the video: %w", broken)
		}
		return s.explain(ctx, parcel.Settings, to, err)
	})
}

// Test implements deliveries.Sender: it uploads a small object and removes it. A failed removal is no error.
func (s *Sender) Test(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	return deliveries.Receipt{}, s.with(ctx, parcel.Settings, func(to *bucket) error {
		key := keyOf(parcel.Settings["remote-path"] + "/" + testName)
		_, err := to.put(ctx, key, "text/plain", strings.NewReader(testContent))
		if err == nil {
			_ = to.Delete(ctx, key)
		}
		return s.explain(ctx, parcel.Settings, to, err)
	})
}

// with opens the bucket of a destination and calls do with it.
func (s *Sender) with(ctx context.Context, settings connection.Settings, do func(*bucket) error) error {
	client := *s.cfg.Client
	road := &road{base: client.Transport}
	client.Transport = road
	to, err := s.open(ctx, &client, settings)
	if err != nil { // err is not passed on: it may show parts of the credentials
		return s.refuse(settings, "the credentials cannot be read")
	}
	defer func() { _ = to.close() }()
	to.road = road
	return do(to)
}

// put uploads an object. An error of reading the content is returned separately, since the storage did not cause it.
func (b *bucket) put(ctx context.Context, key, contentType string, content io.Reader) (broken, err error) {
	return clouds.Upload(ctx, b.Bucket, key, content, blob.WriterOptions{
		ContentType: contentType, BufferSize: buffer, MaxConcurrency: 1,
	})
}

// keyOf converts a path to the name of an object: every / and ./ at its start is removed.
func keyOf(path string) string {
	for {
		trimmed := strings.TrimPrefix(strings.TrimLeft(path, "/"), "./")
		if trimmed == path {
			return path
		}
		path = trimmed
	}
}

// explain turns an error into a message for the account. Of the storage's response it contains only the error code.
func (s *Sender) explain(ctx context.Context, settings connection.Settings, to *bucket, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("send to %s: %w", s.placeOf(settings), context.Cause(ctx))
	}
	if who, says := s.answer(err); code.MatchString(says) {
		return s.refuse(settings, who+" answered "+says)
	}
	if why, ok := s.cfg.Explain(errors.Join(err, to.road.last())); ok {
		return s.refuse(settings, why)
	}
	return s.refuse(settings, "the upload failed")
}

func (s *Sender) refuse(settings connection.Settings, why string) error {
	return domain.Errorf(domain.Invalid, "not_delivered", "Not delivered to %s: %s", s.placeOf(settings), why)
}

// placeOf returns scheme and host of a bucket, for messages.
func (s *Sender) placeOf(settings connection.Settings) string {
	u, err := url.Parse(s.kind.Storage(settings))
	if err != nil {
		return string(s.kind)
	}
	return u.Scheme + "://" + u.Host
}

// road is the transport of requests. It remembers why the last request got no response, because the libraries convert such errors
// to plain text.
type road struct {
	base http.RoundTripper
	mu   sync.Mutex
	err  error
}

// RoundTrip implements http.RoundTripper.
func (r *road) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.base.RoundTrip(request)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
	return response, err
}

func (r *road) last() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
