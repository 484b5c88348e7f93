package blobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"

	"moviola/internal/clouds"
)

// Bounds of requests to the clouds' storages: the largest number of times that a request is sent, and the longest time from the
// end of a request to the header of its answer.
const (
	cloudTries    = 4
	cloudPatience = time.Minute
)

const googleStorage = "https://storage.googleapis.com"

// place is a bucket of Google Cloud Storage, or a container of Azure Blob Storage.
type place struct {
	scheme, name, prefix, key string
	query                     url.Values
}

// cloudParameters are the names that parameters of an address may have, by the scheme of the address.
var cloudParameters = map[string][]string{
	gcsblob.Scheme:   {"endpoint", "prefix"},
	azureblob.Scheme: {"storage_account", "domain", "protocol", "localemu", "prefix"},
}

// CheckAddress refuses an address and a key that do not fit together. Errors show neither.
func CheckAddress(where, key string) error {
	p, isCloud, err := placeOf(where, key)
	switch {
	case err != nil:
		return err
	case isCloud && p.scheme == azureblob.Scheme:
		_, err = p.containerAddress()
		return err
	case !isCloud && key != "":
		return errors.New("only gs:// and azblob:// take a key of their own; s3:// takes AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return nil
}

// placeOf reads an address of one of the clouds; false: it is of another kind.
func placeOf(where, key string) (place, bool, error) {
	scheme, _, _ := strings.Cut(where, "://")
	allowed, isCloud := cloudParameters[scheme]
	if !isCloud {
		return place{}, false, nil
	}
	bad := func(format string, args ...any) (place, bool, error) {
		return place{}, true, fmt.Errorf(scheme+"://…: "+format, args...)
	}
	u, err := url.Parse(where)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.Fragment != "" {
		return bad("give the name of the bucket alone after the slashes, and a folder in it as ?prefix=folder/")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return bad("what follows the question mark cannot be read")
	}
	for name, values := range query {
		if !slices.Contains(allowed, name) || len(values) != 1 {
			return bad("give each of %s once at most, and nothing else", strings.Join(allowed, ", "))
		}
	}
	if key == "" {
		return bad("a key is missing: give the file that holds it with --blobs-key-file")
	}
	return place{scheme: scheme, name: u.Host, prefix: query.Get("prefix"), key: key, query: query}, true, nil
}

// containerAddress returns the address of a container, as gocloud.dev/blob would.
func (p place) containerAddress() (string, error) {
	if p.query.Get("storage_account") == "" {
		return "", errors.New("azblob://…: name the account, ?storage_account=…")
	}
	service, err := azureblob.NewServiceURL(&azureblob.ServiceURLOptions{
		AccountName: p.query.Get("storage_account"), StorageDomain: p.query.Get("domain"), Protocol: p.query.Get("protocol"),
		IsLocalEmulator: p.query.Get("localemu") == "true",
	})
	if err != nil {
		return "", errors.New("azblob://…: protocol is https or http")
	}
	return url.JoinPath(string(service), p.name)
}

// open opens the bucket or container that p describes. The caller must close the returned bucket, and then call the
// returned function, which closes the connections.
func (p place) open(ctx context.Context) (*blob.Bucket, func() error, error) {
	client, idle := newCloudClient()
	bucket, end, err := p.openWith(ctx, client)
	if err != nil {
		idle()
		return nil, nil, err
	}
	if p.prefix != "" {
		bucket = blob.PrefixedBucket(bucket, p.prefix)
	}
	return bucket, func() error { defer idle(); return end() }, nil
}

func (p place) openWith(ctx context.Context, client *http.Client) (*blob.Bucket, func() error, error) {
	if p.scheme == azureblob.Scheme {
		address, err := p.containerAddress()
		if err != nil {
			return nil, nil, err
		}
		bucket, err := clouds.Azure{
			Client: client, Address: address, Account: p.query.Get("storage_account"), Key: p.key, Tries: cloudTries,
		}.Open(ctx)
		if err != nil { // err may show parts of the key
			return nil, nil, errors.New("the key is none of an Azure storage account: it is a text in Base64")
		}
		return bucket, func() error { return nil }, nil
	}
	endpoint := p.query.Get("endpoint")
	if endpoint == "" {
		endpoint = googleStorage
	}
	// GCS requests tokens with this context for as long as the bucket is open, so the end of ctx must not end it.
	bucket, end, err := clouds.GCS{
		Client: client, Endpoint: endpoint, Bucket: p.name, Key: p.key, Tries: cloudTries,
	}.Open(context.WithoutCancel(ctx))
	switch {
	case err != nil && p.key == clouds.FromEnvironment:
		return nil, nil, fmt.Errorf("the credentials of the environment: %w", err)
	case err != nil:
		return nil, nil, errors.New("the key is no JSON key of a service account; the word " + clouds.FromEnvironment +
			" takes the credentials of the environment")
	}
	return bucket, end, nil
}

// newCloudClient returns a client for one storage, and the function that closes its idle connections.
func newCloudClient() (*http.Client, func()) {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 32, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: cloudPatience,
	}
	return &http.Client{Transport: transport}, transport.CloseIdleConnections
}
