package observing

import (
	"bytes"
	"strings"
	"testing"

	"moviola/tests/harness/identity"
)

// TestPrintProvider: the line says whether a provider answers, and whether it is the one that is asked for.
func TestPrintProvider(t *testing.T) {
	t.Parallel()
	provider, err := identity.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	gone, err := identity.New()
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for issuer, want := range map[string]string{
		"": "off:", provider.URL: "answers", provider.URL + "/": "did not match", gone.URL: "does not answer",
	} {
		var out bytes.Buffer
		if err := PrintProvider(t.Context(), &out, issuer); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %q %v", issuer, out.String(), err)
		}
	}
}
