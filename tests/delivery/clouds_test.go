package delivery_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"moviola/adapters/buckets"
	"moviola/adapters/outbound"
	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/tests/harness/servers"
	"moviola/tests/harness/storages"
)

// cloud is a storage that the rules of storages are held against.
type cloud struct {
	kind      connection.Kind
	settings  connection.Settings
	addresses []string
	sender    func(buckets.Config) *buckets.Sender
	objects   func(testing.TB) map[string]string
	// refusals are settings that the storage refuses, by what is said of it.
	refusals map[string]connection.Settings
}

func (c cloud) open(t *testing.T, addresses ...string) *buckets.Sender {
	t.Helper()
	return c.sender(buckets.Config{Client: guard(t, addresses...).Client(outbound.Options{}), Explain: outbound.Explain})
}

func (c cloud) with(changes connection.Settings) connection.Settings {
	settings := maps.Clone(c.settings)
	maps.Copy(settings, changes)
	return settings
}

func newGCS(t *testing.T) cloud {
	t.Helper()
	s := servers.StartGCS(t)
	signIn, key := storages.StartSignIn(t)
	return cloud{kind: connection.GCS, sender: buckets.NewGCS, addresses: []string{s.Address, signIn}, objects: s.Objects,
		settings: connection.Settings{"bucket": s.Bucket, "credentials": key, "endpoint": s.URL},
		refusals: map[string]connection.Settings{
			"the storage answered notFound": {"bucket": "canary-other"},
			"the sign-in answered 400":      {"credentials": strings.Replace(key, "/token", "/canary", 1)},
		}}
}

func newAzure(t *testing.T) cloud {
	t.Helper()
	s := servers.StartAzure(t)
	box := storages.NewContainer(t, s, "box")
	return cloud{kind: connection.AzureBlob, sender: buckets.NewAzure, addresses: []string{s.Address},
		objects:  func(t testing.TB) map[string]string { return objectsIn(t, box) },
		settings: connection.Settings{"account": s.Account, "container": "box", "account-key": s.Key, "endpoint": s.URL},
		refusals: map[string]connection.Settings{
			"the storage answered ContainerNotFound":    {"container": "canary-other"},
			"the storage answered AuthorizationFailure": {"account-key": "Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5"},
		}}
}

// TestClouds holds Google Cloud Storage and Azure Blob Storage against one contract. Decision 80.
func TestClouds(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) cloud{"gcs": newGCS, "azure-blob": newAzure} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			sender := c.open(t, c.addresses...)
			settings := c.with(connection.Settings{"remote-path": "/movies/./__yyyy__", "file": "a b+ü.mp4"})
			for range 2 { // the second replaces the first
				if _, err := sender.Send(t.Context(), parcel(c.kind, settings)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := sender.Test(t.Context(), parcel(c.kind, settings)); err != nil {
				t.Errorf("test: %v", err)
			}
			requireObjects(t, c)
			for says, change := range c.refusals {
				_, err := sender.Send(t.Context(), parcel(c.kind, c.with(change)))
				requireRefusal(t, err, "Not delivered to "+c.settings["endpoint"][:len("http://127.0.0.1:")], "canary")
				requireRefusal(t, err, ": "+says, "canary")
			}
			_, err := c.open(t).Send(t.Context(), parcel(c.kind, settings))
			requireRefusal(t, err, "the host is not a public address")
			failsOnThisSide(t, c, sender)
			requireObjects(t, c)
		})
	}
}

// requireObjects checks that the video is the only object.
func requireObjects(t *testing.T, c cloud) {
	t.Helper()
	objects := c.objects(t)
	if got := objects["movies/2026/a b+ü.mp4"]; len(objects) != 1 || got != video {
		t.Errorf("%d objects, a video of %d bytes; sent one of %d", len(objects), len(got), len(video))
	}
}

// failsOnThisSide: a video that cannot be read, and an ended context, are no refusals, and leave no object.
func failsOnThisSide(t *testing.T, c cloud, sender *buckets.Sender) {
	t.Helper()
	broken := errors.New("the disk is broken")
	p := parcel(c.kind, c.settings)
	p.Open = func(context.Context) (commands.File, error) {
		return half{&file{Reader: strings.NewReader(video)}, broken}, nil
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, try := range map[error]func() (deliveries.Receipt, error){
		broken:           func() (deliveries.Receipt, error) { return sender.Send(t.Context(), p) },
		context.Canceled: func() (deliveries.Receipt, error) { return sender.Send(ended, parcel(c.kind, c.settings)) },
	} {
		var refusal *domain.Error
		if _, err := try(); !errors.Is(err, want) || errors.As(err, &refusal) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}

// half is a video whose second half cannot be read.
type half struct {
	*file
	err error
}

func (h half) Read(p []byte) (int, error) {
	if h.Len() < len(video)/2 {
		return 0, h.err
	}
	return io.LimitReader(h.file, 1<<10).Read(p)
}

// TestClouds_Answers: of what a storage answers the error code is shown, and nothing that it could smuggle in; a busy storage is
// not asked for ever.
func TestClouds_Answers(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32

	answers := map[string]string{"gcs": `{"error":{"code":403,"message":"canary","errors":[{"reason":"forbidden","message":"canary"}]}}`,
		"azure-blob": `<?xml version="1.0"?><Error><Code>AuthenticationFailed</Code><Message>canary</Message></Error>`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.URL.Path == "/token":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"access_token":"canary","token_type":"Bearer","expires_in":3600}`))
		case strings.Contains(r.URL.Path, "upload"):
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(answers["gcs"]))
		default:
			w.Header().Set("x-ms-error-code", "AuthenticationFailed")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(answers["azure-blob"]))
		}
		calls.Add(1)
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	for _, c := range []struct {
		cloud
		says string
	}{
		{cloud{kind: connection.GCS, sender: buckets.NewGCS, settings: connection.Settings{"bucket": "b-1", "endpoint": server.URL,
			"credentials": storages.NewServiceAccount(t, server.URL+"/token")}}, "forbidden"},
		{cloud{kind: connection.AzureBlob, sender: buckets.NewAzure, settings: connection.Settings{"account": "acme1",
			"container": "box", "account-key": "Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5", "endpoint": server.URL}}, "AuthenticationFailed"},
	} {
		_, err := c.open(t, address).Send(t.Context(), parcel(c.kind, c.settings))
		requireRefusal(t, err, "Not delivered to "+server.URL+": the storage answered "+c.says, "canary", "Y2FuYXJ5")
		broken := c.with(connection.Settings{"credentials": `{"type":"service_account","client_email":"a","private_key":"canary"}`,
			"account-key": "not Base64: canary"})
		_, err = c.open(t, address).Send(t.Context(), parcel(c.kind, broken))
		requireRefusal(t, err, "Not delivered to "+server.URL, "canary")
	}
	if calls := calls.Load(); calls > 8 {
		t.Errorf("%d requests for two refusals", calls)
	}
}

// objectsIn are the blobs of a container by name.
func objectsIn(t testing.TB, box *container.Client) map[string]string {
	t.Helper()
	objects := map[string]string{}
	for pages := box.NewListBlobsFlatPager(nil); pages.More(); {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Segment.BlobItems {
			response, err := box.NewBlobClient(*item.Name).DownloadStream(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(response.Body)
			if err := errors.Join(err, response.Body.Close()); err != nil {
				t.Fatal(err)
			}
			objects[*item.Name] = string(content)
		}
	}
	return objects
}
