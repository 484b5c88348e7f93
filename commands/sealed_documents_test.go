package commands_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"moviola/adapters/vault"
	"moviola/commands"
	"moviola/commands/commandstest"
)

const secretDocument = `{"scenes":[],"exports":[{"destinations":[{"type":"ftp","password":"hush"}]}]}`

func keyOf(b byte) []byte { return []byte(strings.Repeat(string(b), 32)) }

func mustVault(t *testing.T, current []byte, older ...[]byte) *vault.Vault {
	t.Helper()
	v, err := vault.New(current, older...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustReadFile(t *testing.T, files commands.Files, key string) string {
	t.Helper()
	f, err := files.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil || int64(len(content)) != f.Size() {
		t.Fatalf("read %s: %d bytes of %d, %v", key, len(content), f.Size(), err)
	}
	return string(content)
}

// A document with secrets is encrypted in the store, and reading it returns what was put. Other files are stored as they
// are. Decision 30.
func TestSealDocuments(t *testing.T) {
	t.Parallel()
	stored := commandstest.NewFiles(time.Now)
	files := commands.SealDocuments(stored, mustVault(t, keyOf('a')))
	for key, content := range map[string]string{
		"movies/a/1.json": secretDocument, "movies/a/2.json": `{"scenes":[]}`, "movies/a/3.json": "", "renders/p/1.mp4": secretDocument,
	} {
		if err := files.Put(t.Context(), key, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		if got := mustReadFile(t, files, key); got != content {
			t.Errorf("%s: read %q, put %q", key, got, content)
		}
		at := mustReadFile(t, stored, key)
		if sealed := key == "movies/a/1.json"; sealed == (at == content) || sealed && strings.Contains(at, "hush") {
			t.Errorf("%s lies as %q", key, at)
		}
	}
	if _, err := files.Open(t.Context(), "movies/a/none.json"); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("a document that is not there: %v", err)
	}
}

func TestSealDocuments_renewedKeys(t *testing.T) {
	t.Parallel()
	ctx, stored, key := t.Context(), commandstest.NewFiles(time.Now), "movies/a/1.json"
	if err := commands.SealDocuments(stored, mustVault(t, keyOf('a'))).Put(ctx, key, strings.NewReader(secretDocument)); err != nil {
		t.Fatal(err)
	}
	renewed := mustVault(t, keyOf('b'), keyOf('a'))
	if got := mustReadFile(t, commands.SealDocuments(stored, renewed), key); got != secretDocument {
		t.Errorf("under an older key: %q", got)
	}
	if _, err := commands.SealDocuments(stored, mustVault(t, keyOf('b'))).Open(ctx, key); !errors.Is(err, commands.ErrKeyRetired) || !errors.Is(err, commands.ErrDamaged) {
		t.Errorf("under a retired key: %v", err)
	}
	for _, want := range []bool{true, false} {
		if had, err := commands.ResealDocument(ctx, stored, renewed, key); had != want || err != nil {
			t.Errorf("sealed anew: %v, %v, want %v", had, err, want)
		}
	}
	if got := mustReadFile(t, commands.SealDocuments(stored, mustVault(t, keyOf('b'))), key); got != secretDocument {
		t.Errorf("after that: %q", got)
	}
	if err := stored.Put(ctx, "movies/b/1.json", strings.NewReader(mustReadFile(t, stored, key))); err != nil {
		t.Fatal(err)
	}
	if _, err := commands.SealDocuments(stored, renewed).Open(ctx, "movies/b/1.json"); !errors.Is(err, commands.ErrDamaged) {
		t.Errorf("a document in another place: %v", err)
	}
	cut := mustReadFile(t, stored, key)
	if err := stored.Put(ctx, key, strings.NewReader(cut[:len(cut)-1])); err != nil {
		t.Fatal(err)
	}
	if _, err := commands.SealDocuments(stored, renewed).Open(ctx, key); !errors.Is(err, commands.ErrDamaged) {
		t.Errorf("cut short: %v", err)
	}
}

// TestOpenSealed_broken: a read that fails is that failure: the file is not called damaged or unencrypted.
func TestOpenSealed_broken(t *testing.T) {
	t.Parallel()
	stored := commandstest.NewFiles(time.Now)
	v := mustVault(t, keyOf('a'))
	if err := commands.PutSealed(t.Context(), stored, v, "k", []byte("text")); err != nil {
		t.Fatal(err)
	}
	files := cutFiles{stored}
	if _, err := commands.OpenSealed(t.Context(), files, v, "k"); !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, commands.ErrDamaged) {
		t.Errorf("opened: %v", err)
	}
	if _, err := commands.ResealDocument(t.Context(), files, mustVault(t, keyOf('b'), keyOf('a')), "k"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("encrypted again: %v", err)
	}
}

// cutFiles is a Files of which every file can be read for three bytes only.
type cutFiles struct{ commands.Files }

func (c cutFiles) Open(ctx context.Context, key string) (commands.File, error) {
	file, err := c.Files.Open(ctx, key)
	return cutFile{file}, err
}

type cutFile struct{ commands.File }

func (c cutFile) Read(p []byte) (int, error) {
	n, err := c.File.Read(p[:min(len(p), 3)])
	return n, errors.Join(err, io.ErrClosedPipe)
}
