package buckets

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"moviola/domain/connection"
	"moviola/internal/clouds"
)

// NewGCS returns a sender to Google Cloud Storage.
func NewGCS(cfg Config) *Sender {
	return &Sender{cfg: cfg, kind: connection.GCS, open: openGCS, answer: answerOfGCS}
}

// openGCS opens a bucket with the key of a service account. Tokens are requested with the same client, at the address that the
// key names.
func openGCS(ctx context.Context, client *http.Client, settings connection.Settings) (*bucket, error) {
	if settings["credentials"] == clouds.FromEnvironment { // the credentials of the operator's environment are not for users
		return nil, errors.New("the credentials are no key of a service account")
	}
	opened, end, err := clouds.GCS{
		Client: client, Endpoint: connection.GCS.Storage(settings), Bucket: settings["bucket"], Key: settings["credentials"],
		Tries: tries,
	}.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &bucket{Bucket: opened, close: func() error { return errors.Join(opened.Close(), end()) }}, nil
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
