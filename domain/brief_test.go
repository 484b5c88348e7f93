package domain_test

import (
	"strings"
	"testing"

	"moviola/domain"
)

// TestBriefs bounds the texts of an event in their length and their number.
func TestBriefs(t *testing.T) {
	t.Parallel()
	texts := []string{strings.Repeat("é", 2000)}
	for range 200 {
		texts = append(texts, "short")
	}
	got := domain.Briefs(texts)
	if len(got) != 50 || len(got[0]) > 2010 || !strings.HasSuffix(got[0], "é…") || got[1] != "short" {
		t.Errorf("%d texts, the first with %d bytes", len(got), len(got[0]))
	}
	if domain.Briefs(nil) != nil {
		t.Error("no texts became some")
	}
}
