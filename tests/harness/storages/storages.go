// Package storages starts the buckets in which an installation of a test keeps its files.
package storages

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"moviola/tests/harness/servers"
)

// All are the kinds of buckets by name.
var All = map[string]func(testing.TB) Bucket{"s3": S3, "gcs": GCS, "azure": Azure}

// Bucket is a bucket without files.
type Bucket struct {
	Address     string   // value of --blobs
	Key         string   // value of --blobs-key; empty: none
	Environment []string // variables with the credentials, the key among them
	Host        string   // host:port of the server
}

// Beside returns the place of backups, beside the files in a bucket of a cloud.
func (b Bucket) Beside() string {
	return strings.Replace(b.Address, "prefix=moviola", "prefix=backups", 1)
}

// S3 starts a bucket of an S3 server.
func S3(t testing.TB) Bucket {
	t.Helper()
	address, environment := servers.StartS3Bucket(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := url.Parse(u.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	return Bucket{Address: address, Environment: environment, Host: endpoint.Host}
}

// GCS starts a bucket of a server for Google Cloud Storage.
func GCS(t testing.TB) Bucket {
	t.Helper()
	s := servers.StartGCS(t)
	_, key := StartSignIn(t)
	return Bucket{
		Address: "gs://" + s.Bucket + "?" + url.Values{"endpoint": {s.URL}, "prefix": {"moviola/"}}.Encode(),
		Key:     key, Environment: []string{"MOVIOLA_BLOBS_KEY=" + key}, Host: s.Address,
	}
}

// Azure starts a container of a server for Azure Blob Storage. It skips the test where npm is not there.
func Azure(t testing.TB) Bucket {
	t.Helper()
	s := servers.StartAzure(t)
	NewContainer(t, s, "box")
	return Bucket{
		Address: "azblob://box?" + url.Values{
			"storage_account": {s.Account}, "domain": {s.Address}, "protocol": {"http"}, "prefix": {"moviola/"},
		}.Encode(),
		Key: s.Key, Environment: []string{"MOVIOLA_BLOBS_KEY=" + s.Key}, Host: s.Address,
	}
}

// NewContainer makes a container.
func NewContainer(t testing.TB, s servers.Azure, name string) *container.Client {
	t.Helper()
	key, err := container.NewSharedKeyCredential(s.Account, s.Key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := container.NewClientWithSharedKeyCredential(s.URL+"/"+name, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.Create(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return made
}

// StartSignIn runs a server that signs service accounts of Google in, and returns its address and the key of one service account.
func StartSignIn(t testing.TB) (address, key string) {
	t.Helper()
	signIn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.FormValue("assertion") == "" || r.URL.Path != "/token" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"canary"}`))
			return
		}
		_, _ = w.Write([]byte(`{"access_token":"canary","token_type":"Bearer","expires_in":3600}`))
	}))
	t.Cleanup(signIn.Close)
	return signIn.Listener.Addr().String(), NewServiceAccount(t, signIn.URL+"/token")
}

// NewServiceAccount returns the key of a service account that signs in at an address.
func NewServiceAccount(t testing.TB, address string) string {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	key, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "movies@test.example", "private_key_id": "canary-id", "token_uri": address,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(key)
}
