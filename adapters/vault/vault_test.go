package vault_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"moviola/adapters/vault"
	"moviola/commands"
	"moviola/domain/connection"
	_ "moviola/tests/property"
)

func key(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func mustNew(t testing.TB, current []byte, older ...[]byte) *vault.Vault {
	t.Helper()
	v, err := vault.New(current, older...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What was sealed for a place opens there, and nowhere else, unchanged.
func TestVault(t *testing.T) {
	t.Parallel()
	v := mustNew(t, key(1))
	rapid.Check(t, func(t *rapid.T) {
		place, other := rapid.String().Draw(t, "place"), rapid.String().Draw(t, "other")
		content := rapid.SliceOf(rapid.Byte()).Draw(t, "content")
		sealed, err := v.Seal(place, content)
		if err != nil || sealed.Key != v.Key() || len(content) > 3 && bytes.Contains(sealed.Data, content) {
			t.Fatalf("sealed %+v, %v", sealed, err)
		}
		if got, err := v.Open(place, sealed); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("opened %x, %v", got, err)
		}
		if _, err := v.Open(other, sealed); err == nil && other != place {
			t.Fatal("it opens in another place")
		}
		at := rapid.IntRange(0, len(sealed.Data)-1).Draw(t, "at")
		sealed.Data[at] ^= 1
		if _, err := v.Open(place, sealed); err == nil {
			t.Fatalf("byte %d can be changed", at)
		}
	})
}

func TestVault_Keys(t *testing.T) {
	t.Parallel()
	first := mustNew(t, key(1))
	sealed, err := first.Seal("here", []byte("hush"))
	if err != nil {
		t.Fatal(err)
	}
	second := mustNew(t, key(2), key(1))
	if got, err := second.Open("here", sealed); err != nil || string(got) != "hush" || second.Key() == first.Key() {
		t.Errorf("under an older key: %s, %v", got, err)
	}
	if _, err := mustNew(t, key(2)).Open("here", sealed); !errors.Is(err, commands.ErrKeyRetired) {
		t.Errorf("under a retired key: %v", err)
	}
	for _, cut := range []connection.Sealed{{}, {Key: first.Key()}, {Key: first.Key(), Data: sealed.Data[:12]}} {
		if _, err := first.Open("here", cut); err == nil {
			t.Errorf("%+v opens", cut)
		}
	}
	if _, err := vault.New(key(1)[:16]); err == nil {
		t.Error("a short key is accepted")
	}
}
