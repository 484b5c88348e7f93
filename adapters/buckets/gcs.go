package buckets

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"moviola/domain/connection"
)

// NewGCS returns a sender to Google Cloud Storage.
func NewGCS(cfg Config) *Sender {
	return &Sender{cfg: cfg, kind: connection.GCS, open: openGCS, answer: answerOfGCS}
}

// openGCS opens a bucket with the key of a service account. Tokens are requested with the same client, at the address that the
// key names.
func openGCS(ctx context.Context, client *http.Client, settings connection.Settings) (*bucket, error) {
	key, err := google.JWTConfigFromJSON([]byte(settings["credentials"]), storage.ScopeReadWrite)
	if err != nil {
		return nil, err
	}
	tokens := key.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client))
	signed := *client
	signed.Transport = &oauth2.Transport{Source: tokens, Base: client.Transport}
	// Both are passed explicitly: otherwise the library would look for them in the environment.
	cloud, err := storage.NewClient(ctx, option.WithHTTPClient(&signed), option.WithoutAuthentication(),
		option.WithEndpoint(strings.TrimRight(connection.GCS.Storage(settings), "/")+"/storage/v1/"))
	if err != nil {
		return nil, err
	}
	opened, err := gcsblob.OpenBucket(ctx, nil, settings["bucket"], &gcsblob.Options{Client: cloud})
	if err != nil {
		return nil, errors.Join(err, cloud.Close())
	}
	return &bucket{
		Bucket:  opened,
		options: blob.WriterOptions{BeforeWrite: limitTries},
		close:   func() error { return errors.Join(opened.Close(), cloud.Close()) },
	}, nil
}

// limitTries limits the number of tries of an upload. The library has no limit of its own but its context.
func limitTries(as func(any) bool) error {
	var object **storage.ObjectHandle
	if as(&object) {
		*object = (*object).Retryer(storage.WithMaxAttempts(tries))
	}
	return nil
}

// answerOfGCS returns the reason of a refusal by the storage or by the sign-in.
func answerOfGCS(err error) (who, code string) {
	var answer *googleapi.Error
	var signIn *oauth2.RetrieveError
	switch {
	case errors.As(err, &signIn) && signIn.Response != nil:
		return "the sign-in", strconv.Itoa(signIn.Response.StatusCode)
	case errors.As(err, &answer) && len(answer.Errors) > 0 && answer.Errors[0].Reason != "":
		return theStorage, answer.Errors[0].Reason
	case errors.As(err, &answer):
		return theStorage, strconv.Itoa(answer.Code)
	}
	return "", ""
}
