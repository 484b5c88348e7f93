package domain_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"moviola/domain"
)

// TestParseProjectID. Decision 7.
func TestParseProjectID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want bool
	}{
		{"letters and digits", "Abcd1234Efgh5678", true},
		{"other characters", "../../etc/passwd", true},
		{"16 code points of two bytes", strings.Repeat("é", 16), true},
		{"15", "Abcd1234Efgh567", false},
		{"17", "Abcd1234Efgh56789", false},
		{"empty", "", false},
		{"16 bytes, 8 code points", strings.Repeat("é", 8), false},
	}
	for _, tt := range tests {
		if id, ok := domain.ParseProjectID(tt.text); ok != tt.want || id != domain.ProjectID(tt.text) {
			t.Errorf("%s: %q, %v", tt.name, id, ok)
		}
	}
}

func TestNewProjectID(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var last domain.ProjectID
	for _, after := range []time.Duration{0, time.Second, 62 * time.Second, 24 * time.Hour, 365 * 24 * time.Hour, 29 * 365 * 24 * time.Hour} {
		id, err := domain.NewProjectID(rand.Reader, at.Add(after))
		again, errAgain := domain.NewProjectID(rand.Reader, at.Add(after+time.Second-1))
		if err != nil || errAgain != nil || len(id) != 16 || !domain.IsBase62(string(id)) || id <= last {
			t.Errorf("id %q after %q, %v, %v", id, last, err, errAgain)
		}
		if id[:5] != again[:5] || id[5:] == again[5:] {
			t.Errorf("ids %q and %q of one second", id, again)
		}
		last = max(id, again)
	}
	if id, err := domain.NewProjectID(bytes.NewReader(nil), at); err == nil {
		t.Errorf("id %q without a source", id)
	}
}

// TestRandomText_rejects: bytes from 248 on would make some characters likelier and are drawn again.
func TestRandomText_rejects(t *testing.T) {
	t.Parallel()
	random := bytes.NewReader([]byte{0, 248, 61, 255, 62, 247, 10})
	got, err := domain.RandomText(random, 5)
	if err != nil || got != "0z0zA" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestBase62(t *testing.T) {
	t.Parallel()
	tests := []struct {
		number uint64
		digits int
		want   string
	}{
		{0, 6, "000000"},
		{61, 6, "00000z"},
		{62, 6, "000010"},
		{1<<32 - 1, 6, "4gfFC3"},
		{62 * 62, 2, "00"},
	}
	for _, tt := range tests {
		if got := domain.Base62(tt.number, tt.digits); got != tt.want {
			t.Errorf("%d is %s, want %s", tt.number, got, tt.want)
		}
	}
	for text, want := range map[string]bool{"": true, "az09AZ": true, "a-b": false, "é": false, "a\n": false} {
		if domain.IsBase62(text) != want {
			t.Errorf("%q is base 62: %v", text, !want)
		}
	}
}
