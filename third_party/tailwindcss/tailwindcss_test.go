package tailwindcss_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"moviola/third_party/tailwindcss"
)

// The script is the published one, to the byte, and of the version that README.md names.
func TestScript_IsUnchanged(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(tailwindcss.Script))
	if want := hex.EncodeToString(sum[:]); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not name the sum %s", want)
	}
	if strings.Contains(tailwindcss.Script, "</script") {
		t.Error("the script ends the element it is put into")
	}
	_, rest, _ := strings.Cut(string(readme), "version ")
	version, _, _ := strings.Cut(rest, " ")
	if !strings.Contains(tailwindcss.Script, `"`+version+`"`) {
		t.Errorf("the script is not of version %q", version)
	}
}
