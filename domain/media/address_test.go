package media_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/media"
)

func mustAddresses(t *testing.T, key string) *media.Addresses {
	t.Helper()
	a, err := media.NewAddresses("https://video.test", []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Decision 45: an address names the file for ever, and cannot be guessed.
func TestAddresses(t *testing.T) {
	t.Parallel()
	a, other := mustAddresses(t, strings.Repeat("k", 32)), mustAddresses(t, strings.Repeat("l", 16))
	seen := map[string]bool{}
	for _, account := range []domain.AccountID{"default", "Abcd1234Efgh5678", "Abcd1234Efgh5679"} {
		path := media.Path{Folder: "a/b", Name: "c.png"}
		address := a.File(account, path)
		if address != a.File(account, path) || seen[address] || strings.Contains(address, string(account)) || len(a.Token(account)) < 22 {
			t.Errorf("the address %s of %s", address, account)
		}
		seen[address] = true
		got, ok := a.Find(strings.TrimPrefix(address, "https://video.test"))
		if diff := cmp.Diff(media.Address{Account: account, Path: path}, got); !ok || diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
		got, ok = a.Find(strings.TrimPrefix(a.Cached(account, "p/1.mp4"), "https://video.test"))
		if diff := cmp.Diff(media.Address{Account: account, Cached: "p/1.mp4"}, got); !ok || diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
		if _, ok := other.Find(strings.TrimPrefix(address, "https://video.test")); ok {
			t.Error("another installation reads the address")
		}
	}
	if a.Token("a name that is too long for an account") != "" {
		t.Error("a token for no account")
	}
	if _, err := media.NewAddresses("", []byte("short")); err == nil {
		t.Error("a short key was taken")
	}
}

// TestAddresses_Find_refuses: every change of any one character, and every other way to write the same, is no address.
func TestAddresses_Find_refuses(t *testing.T) {
	t.Parallel()
	a := mustAddresses(t, strings.Repeat("k", 16))
	good := strings.TrimPrefix(a.File("default", media.Path{Folder: "a", Name: "b.png"}), "https://video.test")
	token := a.Token("default")
	end := strings.Index(good, token) + len(token)
	for i := range end {
		changed := []byte(good)
		changed[i] ^= 1
		if found, ok := a.Find(string(changed)); ok {
			t.Errorf("%s is %v", changed, found)
		}
	}
	for _, path := range []string{
		"", "/", "/v2/media/", "/v2/media/" + token, "/v2/media/" + token + "/files/", "/v2/media/" + token + "/files/a/",
		"/v2/media/" + token + "/files//a", "/v2/media/" + token + "/files/a//b", "/v2/media/" + token + "/files/a/../b",
		"/v2/media/" + token + "/files/a b", "/v2/media/" + token + "=/files/a", "/v2/media/" + token + "/other/a",
		"/v2/media/" + token + "/cache/", "/v2/media/" + token + "/cache/../../x", "/v2/media/AAAAAAAAAAAAAAAAAAAAAA/files/a",
	} {
		if found, ok := a.Find(path); ok {
			t.Errorf("%s is %v", path, found)
		}
	}
}
