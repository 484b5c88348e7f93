package s3_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"moviola/adapters/outbound"
	"moviola/adapters/s3"
	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
)

// video is an open file in memory.
type video struct{ *strings.Reader }

func (video) Close() error       { return nil }
func (video) ModTime() time.Time { return time.Time{} }

// A storage that refuses an upload without reading its body closes the connection, which may lose the answer: the reason is asked for.
func TestSender_Send_closed(t *testing.T) {
	const none = "the connection was closed without an answer"
	for name, row := range map[string]struct {
		status int
		answer string
		want   string
	}{
		"a bucket that is not there":        {http.StatusNotFound, "<Error><Code>NoSuchBucket</Code></Error>", "the storage answered NoSuchBucket"},
		"a wrong secret":                    {http.StatusForbidden, "<Error><Code>SignatureDoesNotMatch</Code></Error>", "the storage answered SignatureDoesNotMatch"},
		"a key that may not list":           {http.StatusForbidden, "<Error><Code>AccessDenied</Code></Error>", none},
		"nothing is wrong with the bucket":  {http.StatusOK, "<ListBucketResult></ListBucketResult>", none},
		"a code that is none: not repeated": {http.StatusBadRequest, "<Error><Code>canary &amp; more</Code></Error>", none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					reset(t, w)
					return
				}
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.answer)
			}))
			defer server.Close()
			sender := s3.New(s3.Config{Client: server.Client(), Explain: outbound.Explain})
			settings := connection.Settings{
				"bucket": "bucket", "region": "eu-test-1", "access-key-id": "key", "secret-access-key": "secret",
				"endpoint": server.URL, "path-style": "true", "file": "a.mp4",
			}
			_, err := sender.Send(t.Context(), deliveries.Parcel{Settings: settings, Size: 5, Open: func(context.Context) (commands.File, error) {
				return video{strings.NewReader("video")}, nil
			}})
			if err == nil || err.Error() != "Not delivered to "+server.URL+": "+row.want {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}

// broken is a video whose storage fails in the middle.
type broken struct{ video }

var errDisk = errors.New("the disk is broken")

func (b broken) Read(p []byte) (int, error) {
	if b.Len() < 5 {
		return 0, errDisk
	}
	return b.video.Read(p[:1])
}

// TestSender_Send_contentType: the object has the media type of the output that is sent.
func TestSender_Send_contentType(t *testing.T) {
	t.Parallel()
	types := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		types <- r.Header.Get("Content-Type")
	}))
	defer server.Close()
	_, err := s3.New(s3.Config{Client: server.Client(), Explain: outbound.Explain}).Send(t.Context(), deliveries.Parcel{
		Size: 3, ContentType: "image/gif", Settings: connection.Settings{
			"bucket": "bucket", "region": "eu-test-1", "access-key-id": "key", "secret-access-key": "secret",
			"endpoint": server.URL, "path-style": "true", "file": "a.gif",
		},
		Open: func(context.Context) (commands.File, error) { return video{strings.NewReader("gif")}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-types; got != "image/gif" {
		t.Errorf("a GIF is stored as %s", got)
	}
}

// TestSender_Send_broken: a destination is not blamed for a video that cannot be read.
func TestSender_Send_broken(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer server.Close()
	sender := s3.New(s3.Config{Client: server.Client(), Explain: outbound.Explain})
	_, err := sender.Send(t.Context(), deliveries.Parcel{
		Size: 9, Settings: connection.Settings{
			"bucket": "bucket", "region": "eu-test-1", "access-key-id": "key", "secret-access-key": "secret",
			"endpoint": server.URL, "path-style": "true", "file": "a.mp4",
		},
		Open: func(context.Context) (commands.File, error) {
			return broken{video{strings.NewReader("the video")}}, nil
		},
	})
	if blamed := new(domain.Error); !errors.Is(err, errDisk) || errors.As(err, &blamed) {
		t.Errorf("error %v", err)
	}
}

// reset ends the connection of a request as a server does that has not read all of it.
func reset(t *testing.T, w http.ResponseWriter) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_ = connection.(*net.TCPConn).SetLinger(0)
	_ = connection.Close()
}
