package operator_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/operator"
)

func TestStream(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*60*60)
	if got := operator.Stream(time.Date(2026, 12, 1, 1, 0, 0, 0, east)); got != "operator-202611" {
		t.Errorf("stream %s", got) // the month is that of UTC
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"  anna ":                "anna",
		"a\nb\x00c\u200b":        "a b c\u200b",
		"\xff":                   " ",
		"":                       "",
		strings.Repeat("é", 200): strings.Repeat("é", 200),
		strings.Repeat("é", 201): strings.Repeat("é", 200) + "…",
	}
	for text, want := range tests {
		if got := operator.Plain(text); got != want {
			t.Errorf("%q is kept as %q, want %q", text, got, want)
		}
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	id, err := operator.NewID(rand.Reader)
	if err != nil || len(id) != 16 || !domain.IsBase62(id) {
		t.Errorf("id %q, %v", id, err)
	}
	if got := (operator.Acted{ID: id}).EventKey(); got != id {
		t.Errorf("key %q", got)
	}
}
