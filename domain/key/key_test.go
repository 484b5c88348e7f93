package key_test

import (
	"crypto/rand"
	"errors"
	"math"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/key"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// drawn is a key that was drawn once: keys in use must stay valid for ever.
const drawn = "mv_xI7bMKJcwpS7dUkAn012vn2pUAlYsvz4PQtBeuJh4al0nP"

// seeded is a source of random bytes that always yields the same.
func seeded() *mathrand.ChaCha8 { return mathrand.NewChaCha8([32]byte{1, 2, 3}) }

func mustGenerate(t *testing.T) string {
	t.Helper()
	value, err := key.Generate(seeded())
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestGenerate. Decision 49.
func TestGenerate(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^mv_[0-9A-Za-z]{46}$`)
	seen := make(map[string]bool)
	for range 1000 {
		value, err := key.Generate(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if !form.MatchString(value) || !key.Check(value) || seen[value] {
			t.Fatalf("key %q", value)
		}
		seen[value] = true
	}
	if got := mustGenerate(t); got != drawn {
		t.Errorf("key %s, want %s", got, drawn)
	}
}

func TestGenerate_noRandomness(t *testing.T) {
	t.Parallel()
	if value, err := key.Generate(strings.NewReader("too short")); err == nil || value != "" {
		t.Errorf("%q, %v", value, err)
	}
}

// TestGenerate_even draws many characters: each is as likely as the others.
func TestGenerate_even(t *testing.T) {
	t.Parallel()
	const characters = 62_000
	text, err := domain.RandomText(seeded(), characters)
	if err != nil || len(text) != characters {
		t.Fatalf("%d characters, %v", len(text), err)
	}
	counts := make(map[rune]float64)
	for _, r := range text {
		counts[r]++
	}
	if len(counts) != 62 {
		t.Errorf("%d different characters", len(counts))
	}
	for r, n := range counts {
		if math.Abs(n-1000) > 160 { // five standard deviations
			t.Errorf("%q occurs %v times of 1000 expected", r, n)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		value string
		want  bool
	}{
		{"a key", drawn, true},
		{"empty", "", false},
		{"another prefix", "mw_" + drawn[3:], false},
		{"no prefix", drawn[3:], false},
		{"a character less", drawn[:len(drawn)-1], false},
		{"a character more", drawn + "0", false},
		{"a space around it", " " + drawn, false},
		{"lower case", strings.ToLower(drawn), false},
		{"two characters swapped", drawn[:10] + drawn[11:12] + drawn[10:11] + drawn[12:], false},
		{"another first character", "mv_" + other(drawn[3]) + drawn[4:], false},
		{"another last character", drawn[:len(drawn)-1] + other(drawn[len(drawn)-1]), false},
		{"characters of other alphabets", "mv_" + strings.Repeat("é", 23), false},
	}
	for _, tt := range tests {
		if got := key.Check(tt.value); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func other(b byte) string {
	if b == '0' {
		return "1"
	}
	return "0"
}

func TestHash(t *testing.T) {
	t.Parallel()
	hash := key.Hash("abc")
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; hash != want {
		t.Errorf("hash %s, want %s", hash, want)
	}
	if got, want := key.Stream(key.ID(hash)), "key-ba7816bf8f01cfea414140de5dae2223"; got != want {
		t.Errorf("stream %s, want %s", got, want)
	}
	if got := key.ID("short"); got != "short" {
		t.Errorf("id of a short text: %s", got)
	}
}

func issued() key.Issued {
	return key.Issued{Account: "alice", Name: "admin", Role: key.Admin, Hash: key.Hash(drawn), At: t0}
}

func TestKey_Issue(t *testing.T) {
	t.Parallel()
	later, now := t0.Add(time.Millisecond), t0
	tests := []struct {
		name   string
		given  []domain.Event
		change func(*key.Issued)
		code   string
	}{
		{name: "without end", change: func(*key.Issued) {}},
		{name: "with an end", change: func(i *key.Issued) { i.ExpiresAt = &later }},
		{name: "ends now", change: func(i *key.Issued) { i.ExpiresAt = &now }, code: "expires_at_invalid"},
		{name: "no name", change: func(i *key.Issued) { i.Name = " " }, code: "name_required"},
		{name: "long name", change: func(i *key.Issued) { i.Name = strings.Repeat("é", 101) }, code: "name_too_long"},
		{name: "name just short enough", change: func(i *key.Issued) { i.Name = strings.Repeat("é", 100) }},
		{name: "legacy", change: func(i *key.Issued) { i.Legacy, i.Role = key.Primary, key.Admin }},
		{name: "unknown legacy kind", change: func(i *key.Issued) { i.Legacy = "tertiary" }, code: "legacy_invalid"},
		{name: "unknown role", change: func(i *key.Issued) { i.Role = "owner" }, code: "role_invalid"},
		{name: "issued before", given: []domain.Event{issued()}, change: func(*key.Issued) {}, code: "key_exists"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := key.New()
			for _, event := range tt.given {
				k.Apply(event)
			}
			i := issued()
			tt.change(&i)
			got, err := k.Issue(i)
			want := []domain.Event{i}
			if tt.code != "" {
				want = nil
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			requireCode(t, err, tt.code)
		})
	}
}

// requireCode checks the code of a refusal; "" stands for no error.
func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	var refusal *domain.Error
	if err == nil && code == "" || errors.As(err, &refusal) && refusal.Code == code {
		return
	}
	t.Errorf("error %v, want code %q", err, code)
}

// TestKey_Issue_legacy: the role follows from the kind. Decision "Roles".
func TestKey_Issue_legacy(t *testing.T) {
	t.Parallel()
	for kind, role := range map[key.Legacy]key.Role{key.Primary: key.Admin, key.Secondary: key.Render} {
		i := issued()
		i.Legacy, i.Role = kind, ""
		events, err := key.New().Issue(i)
		i.Role = role
		if diff := cmp.Diff([]domain.Event{i}, events); diff != "" || err != nil {
			t.Errorf("%s: %v, events (-want +got):\n%s", kind, err, diff)
		}
	}
}

func TestKey_Revoke(t *testing.T) {
	t.Parallel()
	revoked := key.Revoked{At: t0}
	tests := []struct {
		name    string
		account domain.AccountID
		given   []domain.Event
		want    []domain.Event
		code    string
	}{
		{name: "issued", account: "alice", given: []domain.Event{issued()}, want: []domain.Event{revoked}},
		{name: "by the operator", given: []domain.Event{issued()}, want: []domain.Event{revoked}},
		{name: "by another account", account: "mallory", given: []domain.Event{issued()}, code: "key_not_found"},
		{name: "revoked before", account: "alice", given: []domain.Event{issued(), revoked}},
		{name: "revoked before, by another account", account: "mallory", given: []domain.Event{issued(), revoked}, code: "key_not_found"},
		{name: "never issued", account: "alice", code: "key_not_found"},
		{name: "never issued, by the operator", code: "key_not_found"},
	}
	for _, tt := range tests {
		k := key.New()
		for _, event := range tt.given {
			k.Apply(event)
		}
		got, err := k.Revoke("the-id", tt.account, t0)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		requireCode(t, err, tt.code)
		if err != nil && err.Error() != "Key the-id not found" {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestKey_Opens. Decision 49: revocation and expiry.
func TestKey_Opens(t *testing.T) {
	t.Parallel()
	ending := issued()
	ending.ExpiresAt = &t0
	tests := []struct {
		name  string
		given []domain.Event
		hash  string
		now   time.Time
		want  bool
	}{
		{"issued", []domain.Event{issued()}, key.Hash(drawn), t0, true},
		{"years later", []domain.Event{issued()}, key.Hash(drawn), t0.AddDate(50, 0, 0), true},
		{"another key with the same id", []domain.Event{issued()}, key.Hash(drawn)[:63] + "x", t0, false},
		{"a part of the hash", []domain.Event{issued()}, key.Hash(drawn)[:32], t0, false},
		{"a moment before its end", []domain.Event{ending}, key.Hash(drawn), t0.Add(-1), true},
		{"at its end", []domain.Event{ending}, key.Hash(drawn), t0, false},
		{"after its end", []domain.Event{ending}, key.Hash(drawn), t0.Add(time.Hour), false},
		{"revoked", []domain.Event{issued(), key.Revoked{At: t0}}, key.Hash(drawn), t0, false},
		{"revoked by a clock that is ahead", []domain.Event{issued(), key.Revoked{At: t0.Add(time.Hour)}}, key.Hash(drawn), t0, false},
		{"never issued", nil, key.Hash(drawn), t0, false},
		{"never issued, no hash", nil, "", t0, false},
	}
	for _, tt := range tests {
		k := key.New()
		for _, event := range tt.given {
			k.Apply(event)
		}
		if got := k.Opens(tt.hash, tt.now); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestIsID(t *testing.T) {
	t.Parallel()
	id := key.ID(key.Hash(drawn))
	for text, want := range map[string]bool{
		id: true, "": false, id[1:]: false, id + "0": false, strings.ToUpper(id): false, strings.Repeat("g", 32): false,
		strings.Repeat("é", 16): false, key.Hash(drawn): false,
	} {
		if got := key.IsID(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestRole_AtLeast. Spec: Authentication 3.
func TestRole_AtLeast(t *testing.T) {
	t.Parallel()
	roles := []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin}
	for i, role := range roles {
		for j, needed := range roles {
			if got := role.AtLeast(needed); got != (i >= j) {
				t.Errorf("%s is at least %s: %v", role, needed, got)
			}
		}
		if got, err := key.ParseRole(string(role)); err != nil || got != role {
			t.Errorf("parse %s: %s, %v", role, got, err)
		}
		if key.Role("owner").AtLeast(role) {
			t.Errorf("an unknown role is at least %s", role)
		}
	}
	if key.Role("").AtLeast("") {
		t.Error("no role is at least no role")
	}
	_, err := key.ParseRole("Admin")
	requireCode(t, err, "role_invalid")
}
