package blobs_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"moviola/adapters/blobs"
	"moviola/commands"
	"moviola/tests/harness/storages"
)

// TestCheckAddress: what is wrong with an address is told without showing it, and a key is asked for where one is needed.
func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ where, key, want string }{
		{"", "", ""},
		{"/srv/files", "", ""},
		{"s3://bucket?region=eu-central-1", "", ""},
		{"s3://bucket?region=eu-central-1", "canary", "s3:// takes AWS_ACCESS_KEY_ID"},
		{"gs://bucket_1.example?prefix=moviola/", "default", ""},
		{"gs://bucket?endpoint=https%3A%2F%2Fstorage.example", "{}", ""},
		{"gs://bucket", "", "a key is missing: give the file that holds it with --blobs-key-file"},
		{"gs://bucket/folder", "{}", "as ?prefix=folder/"},
		{"gs://canary@bucket", "{}", "give the name of the bucket alone"},
		{"gs://?prefix=a", "{}", "give the name of the bucket alone"},
		{"gs://bucket?private_key_path=canary", "{}", "give each of endpoint, prefix once"},
		{"gs://bucket?prefix=canary&prefix=b", "{}", "give each of endpoint, prefix once"},
		{"gs://bucket?prefix=%zz", "{}", "cannot be read"},
		{"azblob://box?storage_account=acme&domain=blob.core.chinacloudapi.cn", "a2V5", ""},
		{"azblob://box?storage_account=acme&protocol=canary", "a2V5", "protocol is https or http"},
		{"azblob://box?account_key=canary", "a2V5", "give each of storage_account"},
		{"azblob://box", "a2V5", "name the account, ?storage_account=…"},
		{"azblob://box?storage_account=acme", "", "a key is missing"},
	} {
		err := blobs.CheckAddress(tt.where, tt.key)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.where, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the error shows what was given: %v", tt.where, err)
		}
	}
}

// TestOpen_badKeys: a key that cannot be used is refused, and not shown.
func TestOpen_badKeys(t *testing.T) {
	t.Parallel()
	for where, key := range map[string]string{
		"gs://bucket":                       `{"type":"service_account","client_email":"a","private_key":canary}`,
		"gs://other-bucket":                 `{"type":"authorized_user","client_secret":"canary"}`,
		"azblob://box?storage_account=acme": "not Base64: canary",
	} {
		if _, err := blobs.OpenWithKey(t.Context(), where, key); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// TestBucket_refused: a storage that refuses a request for lack of a permission does not say that a file is not there. The library takes one for
// the other: files would count as removed.
func TestBucket_refused(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"access_token":"canary","token_type":"Bearer","expires_in":3600}`))
			return
		}
		w.Header().Set("x-ms-error-code", "AuthorizationPermissionMismatch")
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	azure := url.Values{"storage_account": {"acme"}, "protocol": {"http"}, "domain": {server.Listener.Addr().String()}}
	for where, key := range map[string]string{
		"gs://bucket?endpoint=" + url.QueryEscape(server.URL): storages.NewServiceAccount(t, server.URL+"/token"),
		"azblob://box?" + azure.Encode():                      "a2V5",
	} {
		bucket, err := blobs.OpenWithKey(t.Context(), where, key)
		if err != nil {
			t.Fatal(err)
		}
		_, opened := bucket.Open(t.Context(), "movies/a")
		_, listed := bucket.List(t.Context(), "movies/")
		for what, err := range map[string]error{
			"open": opened, "list": listed, "put": bucket.Put(t.Context(), "movies/a", strings.NewReader("x")),
			"delete": bucket.Delete(t.Context(), "movies/a"), "ping": bucket.Ping(t.Context()),
		} {
			if err == nil || errors.Is(err, commands.ErrFileNotFound) {
				t.Errorf("%s: %s: %v", where, what, err)
			}
		}
		if err := bucket.Close(); err != nil {
			t.Error(err)
		}
	}
}
