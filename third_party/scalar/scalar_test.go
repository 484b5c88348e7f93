package scalar_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"

	"moviola/third_party/scalar"
)

// The script is the published one, to the byte, and of the version that README.md names.
func TestPacked_IsUnchanged(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	unpacking, err := gzip.NewReader(bytes.NewReader(scalar.Packed))
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(unpacking)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(script)
	if want := hex.EncodeToString(sum[:]); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not name the sum %s", want)
	}
	_, rest, _ := strings.Cut(string(readme), "version ")
	version, _, _ := strings.Cut(rest, " ")
	if !bytes.Contains(script, []byte("@scalar/api-reference@"+version)) {
		t.Errorf("the script is not of version %q", version)
	}
}
