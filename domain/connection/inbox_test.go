package connection_test

import (
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"moviola/domain/connection"
)

// TestInboxAt: only an inbox's own address names it; whatever else is written for its host is never dialled either.
func TestInboxAt(t *testing.T) {
	t.Parallel()
	id, err := connection.NewInboxID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := connection.ParseInboxID(string(id)); !ok {
		t.Fatalf("%q is no id", id)
	}
	own, rest := id.Address(), strings.TrimPrefix(id.Address(), "https://")
	for address, want := range map[string]struct {
		id   connection.InboxID
		ours bool
	}{
		own:                         {id, true},
		"http://" + rest:            {"", true},
		"https://user:pass@" + rest: {"", true},
		own + "?a=b":                {"", true},
		own + "/":                   {"", true},
		own + "#x":                  {"", true},
		strings.ToUpper(own):        {"", true},
		"https://inbox.moviola.invalid./" + string(id):        {"", true},
		"https://inbox.moviola.invalid:8443/" + string(id):    {"", true},
		"https://inbox.moviola.invalid":                       {"", true},
		"https://inbox.moviola.invalid/../" + string(id):      {"", true},
		"https://moviola.invalid/" + string(id):               {"", false},
		"https://inbox.moviola.invalid.example/" + string(id): {"", false},
		"https://receiver.example/inbox.moviola.invalid":      {"", false},
	} {
		parsed, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got, ours := connection.InboxAt(parsed); got != want.id || ours != want.ours {
			t.Errorf("%s: %q %t, want %q %t", address, got, ours, want.id, want.ours)
		}
	}
	if _, err := connection.NewInboxID(strings.NewReader("")); err == nil {
		t.Error("an id of nothing")
	}
}
