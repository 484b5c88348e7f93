// Package clouds opens buckets of Google Cloud Storage and containers of Azure Blob Storage, with the client and the credentials
// that the caller gives. Unlike the drivers of gocloud.dev/blob, it looks for credentials in the environment only when the caller
// asks for that. ADR 045.
package clouds

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

// FromEnvironment takes the place of a service account's key. It selects the credentials of the process's environment: Google's
// application default credentials.
const FromEnvironment = "default"

// GCS is a bucket of Google Cloud Storage.
type GCS struct {
	Client   *http.Client // sends all requests, with a JSON key also those for tokens
	Endpoint string       // base address of the storage, such as https://storage.googleapis.com
	Bucket   string
	Key      string // the JSON key of a service account, or FromEnvironment where the caller allows that
	Tries    int    // maximum number of times that one request is sent
}

// Open opens the bucket. The caller closes the bucket and then calls the returned function. Tokens are requested until ctx ends.
// An error may show parts of the key.
func (g GCS) Open(ctx context.Context) (*blob.Bucket, func() error, error) {
	tokens, err := g.tokens(context.WithValue(ctx, oauth2.HTTPClient, g.Client))
	if err != nil {
		return nil, nil, err
	}
	signed := *g.Client
	signed.Transport = &oauth2.Transport{Source: tokens, Base: g.Client.Transport}
	// Client and credentials are passed explicitly: otherwise Google's client would look for credentials in the environment.
	cloud, err := storage.NewClient(ctx, option.WithHTTPClient(&signed), option.WithoutAuthentication(),
		option.WithEndpoint(strings.TrimRight(g.Endpoint, "/")+"/storage/v1/"))
	if err != nil {
		return nil, nil, err
	}
	// Without a limit Google's client would repeat requests as long as their context allows. Every request may be repeated, because
	// files are written as wholes.
	cloud.SetRetry(storage.WithMaxAttempts(g.Tries), storage.WithPolicy(storage.RetryAlways))
	opened, err := gcsblob.OpenBucket(ctx, nil, g.Bucket, &gcsblob.Options{Client: cloud})
	if err != nil {
		return nil, nil, errors.Join(err, cloud.Close())
	}
	return opened, cloud.Close, nil
}

func (g GCS) tokens(ctx context.Context) (oauth2.TokenSource, error) {
	if g.Key == FromEnvironment {
		return google.DefaultTokenSource(ctx, storage.ScopeReadWrite)
	}
	key, err := google.JWTConfigFromJSON([]byte(g.Key), storage.ScopeReadWrite)
	if err != nil {
		return nil, err
	}
	return key.TokenSource(ctx), nil
}

// Azure is a container of Azure Blob Storage.
type Azure struct {
	Client  *http.Client
	Address string // address of the container, such as https://acme.blob.core.windows.net/movies
	Account string
	Key     string // key of the Azure storage account; requests are signed with it, and no address holds a credential
	Tries   int    // maximum number of times that one request is sent, at least 2
}

// Open opens the container. The caller closes it. An error may show parts of the key.
func (a Azure) Open(ctx context.Context) (*blob.Bucket, error) {
	key, err := container.NewSharedKeyCredential(a.Account, a.Key)
	if err != nil {
		return nil, err
	}
	azure, err := container.NewClientWithSharedKeyCredential(a.Address, key, &container.ClientOptions{
		ClientOptions: azcore.ClientOptions{
			Transport: copying{a.Client},
			Retry:     policy.RetryOptions{MaxRetries: int32(a.Tries - 1)},
			Telemetry: policy.TelemetryOptions{Disabled: true},
		},
	})
	if err != nil {
		return nil, err
	}
	return azureblob.OpenBucket(ctx, azure, nil)
}

// Refused reports whether Google Cloud Storage has refused a request for lack of a permission. gocloud.dev/blob reports such a
// refusal as a missing object.
func Refused(err error) bool {
	var answer *googleapi.Error
	return errors.As(err, &answer) && answer.Code == http.StatusForbidden
}

// Answer returns the error code of an answer of Azure Blob Storage, or an empty text.
func Answer(err error) string {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return answer.ErrorCode
	}
	return ""
}
