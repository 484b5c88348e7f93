package servers

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"moviola/tests/harness"
)

// GCS is a server that speaks the protocol of Google Cloud Storage, with one bucket. It checks no tokens.
type GCS struct{ URL, Bucket, Address string }

// StartGCS builds and runs fake-gcs-server, whose objects are in memory.
func StartGCS(t testing.TB) GCS {
	t.Helper()
	path, err := buildServer("gcsserver", "github.com/fsouza/fake-gcs-server")
	if err != nil {
		t.Fatal(err)
	}
	address := harness.FreeAddr(t)
	host, port := split(t, address)
	s := GCS{URL: "http://" + address, Bucket: "bucket", Address: address}
	p := harness.Start(t, "fake-gcs-server", path, nil, "-backend", "memory", "-scheme", "http", "-host", host, "-port", port,
		"-public-host", address, "-external-url", s.URL)
	listening(t, p, address)
	body, err := json.Marshal(map[string]string{"name": s.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, http.MethodPost, "/storage/v1/b?project=test", string(body))
	return s
}

// Objects are the objects of the bucket by name.
func (s GCS) Objects(t testing.TB) map[string]string {
	t.Helper()
	var list struct{ Items []struct{ Name string } }
	if err := json.Unmarshal(s.must(t, http.MethodGet, "/storage/v1/b/"+s.Bucket+"/o", ""), &list); err != nil {
		t.Fatal(err)
	}
	objects := map[string]string{}
	for _, o := range list.Items {
		objects[o.Name] = string(s.must(t, http.MethodGet, "/storage/v1/b/"+s.Bucket+"/o/"+url.PathEscape(o.Name)+"?alt=media", ""))
	}
	return objects
}

// must sends a request that has to succeed, and returns the body of the answer.
func (s GCS) must(t testing.TB, method, path, body string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s, %v", method, path, response.Status, err)
	}
	return content
}

// Azure is a server that speaks the protocol of Azure Blob Storage and checks signatures. It has no containers yet.
type Azure struct{ URL, Account, Key, Address string }

// StartAzure installs and runs Azurite, whose blobs are in memory. It skips the test where npm is not there.
func StartAzure(t testing.TB) Azure {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not there: Azurite, the server for Azure Blob Storage, cannot be installed")
	}
	program, err := installAzurite()
	if err != nil {
		t.Fatal(err)
	}
	address := harness.FreeAddr(t)
	host, port := split(t, address)
	s := Azure{Account: "moviola", Key: base64.StdEncoding.EncodeToString([]byte(rand.Text())), Address: address}
	s.URL = "http://" + address + "/" + s.Account
	p := harness.Start(t, "azurite", program, []string{"AZURITE_ACCOUNTS=" + s.Account + ":" + s.Key}, "--silent",
		"--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--blobHost", host, "--blobPort", port)
	listening(t, p, address)
	return s
}

// installAzurite installs the packages of tests/azurite once for all packages of tests, and returns the program.
var installAzurite = sync.OnceValues(func() (string, error) {
	from, err := moduleOf("azurite")
	if err != nil {
		return "", err
	}
	to, err := cachePath("azurite")
	if err != nil {
		return "", err
	}
	return filepath.Join(to, "node_modules", ".bin", "azurite-blob"), harness.Locked(to, func() error {
		want, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(filepath.Join(to, "installed")); err == nil && bytes.Equal(have, want) {
			return nil
		}
		list, err := os.ReadFile(filepath.Join(from, "package.json"))
		if err != nil {
			return err
		}
		err = errors.Join(os.MkdirAll(to, 0o750), os.WriteFile(filepath.Join(to, "package.json"), list, 0o600),
			os.WriteFile(filepath.Join(to, "package-lock.json"), want, 0o600))
		if err != nil {
			return err
		}
		err = harness.Run(to, os.Environ(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, "installed"), want, 0o600)
	})
})
