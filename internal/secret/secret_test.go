package secret

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestLoadSecret(t *testing.T) {
	t.Setenv(Env, "")
	first := t.TempDir()
	made := mustKey(t, first, "cursors")
	if again := mustKey(t, first, "cursors"); !bytes.Equal(made, again) {
		t.Error("the generated secret did not last")
	}
	if other := mustKey(t, first, "uploads"); bytes.Equal(made, other) {
		t.Error("two purposes share a key")
	}
	if other := mustKey(t, t.TempDir(), "cursors"); bytes.Equal(made, other) {
		t.Error("two installations share a secret")
	}
	info, err := os.Stat(filepath.Join(first, "secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret's file: %v, %v", info, err)
	}
	t.Setenv(Env, "a secret of the operator's own")
	if set := mustKey(t, first, "cursors"); bytes.Equal(made, set) {
		t.Error("the variable was not used")
	}
}

// Processes that start together find one secret.
func TestLoadSecret_together(t *testing.T) {
	t.Setenv(Env, "")
	data := t.TempDir()
	var all sync.WaitGroup
	secrets := make([]Secret, 16)
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = Load(data, false); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, s := range secrets {
		if len(s.master) != 64 || !bytes.Equal(s.master, secrets[0].master) {
			t.Fatalf("%d bytes, or not the same", len(s.master))
		}
	}
}

// What reaches beyond this host needs a secret that is set.
func TestLoadSecret_shared(t *testing.T) {
	t.Setenv(Env, "")
	if _, err := Load(t.TempDir(), true); err == nil || !strings.Contains(err.Error(), Env) {
		t.Errorf("without a secret: %v", err)
	}
}

func mustKey(t *testing.T, data string, purpose string) []byte {
	t.Helper()
	s, err := Load(data, false)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Key(purpose)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestKnown reads the secret that is there, and makes none.
func TestKnown(t *testing.T) {
	data := t.TempDir()
	t.Setenv(Env, "")
	want := func(when string, shared, want bool) {
		t.Helper()
		if _, known, err := Known(data, shared); err != nil || known != want {
			t.Errorf("%s: %t, %v", when, known, err)
		}
	}
	want("without a secret", false, false)
	if _, err := Load(data, false); err != nil {
		t.Fatal(err)
	}
	want("with a file", false, true)
	want("with a file, shared", true, false)
	t.Setenv(Env, "a long random text")
	want("with the variable, shared", true, true)
}

// TestLoadSecret_empty: keys are not derived from a file that has lost its content.
func TestLoadSecret_empty(t *testing.T) {
	t.Setenv(Env, "")
	for _, content := range []string{"", " \n"} {
		data := t.TempDir()
		if err := os.WriteFile(filepath.Join(data, File), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(data, false); err == nil || !strings.Contains(err.Error(), "which is empty") {
			t.Errorf("%q: %v", content, err)
		}
	}
}
