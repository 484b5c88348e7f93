package anchorage_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/anchorage"
	"moviola/projections/audit"
)

var sheet = audit.Sheet{
	Name: "moviola-20261121T090000.000Z", TakenAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Content: []byte("{}\n"),
	List: []byte("digests"), Digest: "abcd", Ledgers: 2, Events: 9,
}

func open(t *testing.T, address string, cfg anchorage.Config) *anchorage.Place {
	t.Helper()
	a, err := anchorage.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	place, err := anchorage.Open(t.Context(), a, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

func TestParse(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/srv/anchors": anchorage.Folder, "file:///srv/anchors": anchorage.Folder, "https://auditor.example/in?token=x": anchorage.Webhook,
		"mailto:auditor@example.com":                                          anchorage.Mail,
		"s3://bucket?region=eu-1&endpoint=https://s3.example&prefix=a/":       anchorage.S3,
		"s3://bucket?region=eu-1&use_path_style=true&lock-days=10&profile=me": anchorage.S3,
	} {
		if got, err := anchorage.Parse(address); err != nil || got.Kind != want {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	for _, address := range []string{
		"", "anchors", "./anchors", "file://host/anchors", "ftp://host/a", "https://", "https://canary:canary@host/", "mailto:canary", "s3://",
		"s3://bucket/folder", "s3://bucket?lock-days=0", "s3://bucket?lock-days=x", "s3://bucket?canary=1", "s3://bucket?endpoint=canary",
	} {
		if got, err := anchorage.Parse(address); err == nil || strings.Contains(err.Error(), "canary:") {
			t.Errorf("%q: %+v, %v", address, got, err)
		}
	}
}

// TestPlace_folder: an anchor and its list are new files, and are never written over.
func TestPlace_folder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	place := open(t, dir, anchorage.Config{})
	if err := place.Put(t.Context(), sheet); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{".anchor": "{}\n", ".anchor.list": "digests"} {
		if got, err := os.ReadFile(filepath.Join(dir, sheet.Name+name)); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := place.Put(t.Context(), sheet); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
}

// TestPlace_webhook: the receiver gets the anchor, and its refusal is told without the address.
func TestPlace_webhook(t *testing.T) {
	t.Parallel()
	answer := http.StatusNoContent
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method, r.URL.String(), r.Header.Get("Moviola-Anchor"), string(body))
		w.WriteHeader(answer)
	}))
	defer server.Close()
	place := open(t, server.URL+"/in?token=canary", anchorage.Config{Client: server.Client(), Agent: "Moviola/1"})
	if err := place.Put(t.Context(), sheet); err != nil {
		t.Fatal(err)
	}
	want := []string{"POST", "/in?token=canary", sheet.Name + ".anchor", "{}\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the receiver got (-want +got):\n%s", diff)
	}
	answer = http.StatusForbidden
	refused := place.Put(t.Context(), sheet)
	server.Close()
	for what, err := range map[string]error{"refused": refused, "gone": place.Put(t.Context(), sheet)} {
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if !strings.Contains(refused.Error(), "403") || strings.Contains(place.Label(), "canary") {
		t.Errorf("%v; the label %s", refused, place.Label())
	}
}

// TestPlace_mail: the anchor is the attachment of an e-mail.
func TestPlace_mail(t *testing.T) {
	t.Parallel()
	var got []string
	place := open(t, "mailto:auditor@example.com", anchorage.Config{Mail: func(_ context.Context, to, subject, text, name string, content []byte) error {
		if !strings.Contains(text, sheet.Digest) {
			t.Errorf("the text lacks the digest: %s", text)
		}
		got = append(got, to, subject, name, string(content))
		return nil
	}})
	if err := place.Put(t.Context(), sheet); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"auditor@example.com", "Anchor " + sheet.Name, sheet.Name + ".anchor", "{}\n"}, got); diff != "" {
		t.Errorf("the e-mail (-want +got):\n%s", diff)
	}
	a, err := anchorage.Parse("mailto:auditor@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := anchorage.Open(t.Context(), a, anchorage.Config{}); err == nil {
		t.Error("without a mail server there is a place")
	}
}

// TestPlace_labels: places that may be different have different labels, since a label says what a place has got already.
func TestPlace_labels(t *testing.T) {
	t.Parallel()
	addresses := map[string]string{}
	for _, address := range []string{
		"s3://b", "s3://b?prefix=a/", "s3://c", "s3://b?region=eu-1", "s3://b?region=eu-2", "s3://b?region=eu-1&endpoint=https://one.example",
		"s3://b?region=eu-1&endpoint=https://two.example", "s3://b?region=eu-1&endpoint=https://two.example:9000", "s3://b?region=eu-1&endpoint=https://two.example/s3",
		"/srv/a", "/srv/b", "https://auditor.example/a", "https://auditor.example/a?b=c", "http://auditor.example/a",
	} {
		label := open(t, address, anchorage.Config{}).Label()
		if other, taken := addresses[label]; taken {
			t.Errorf("%s and %s have the label %s", address, other, label)
		}
		addresses[label] = address
	}
}
