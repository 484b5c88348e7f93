package tenancy_test

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/eventstore"
)

// forms are the ways in which a secret could stand somewhere: as it is, without its prefix, and encoded.
func forms(secret string) []string {
	forms := []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))[:len(secret)]}
	if rest, ok := strings.CutPrefix(secret, "mv_"); ok {
		forms = append(forms, rest, rest[:40])
	}
	return forms
}

// free checks that a text holds no secret.
func (w *world) free(t *testing.T, where string, content []byte) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for secret, what := range w.secrets {
		for _, form := range forms(secret) {
			if bytes.Contains(content, []byte(form)) {
				t.Errorf("%s holds %s", where, what)
			}
		}
	}
}

// logs: what the process has printed, at the level debug, holds neither a secret nor a text of an account.
func (w *world) logs(t *testing.T) {
	t.Helper()
	output := w.service.API.Output()
	if !strings.Contains(output, "level=debug") {
		t.Error("the process does not log everything")
	}
	for line := range strings.Lines(output) {
		if strings.Contains(line, "level=error") {
			t.Errorf("the service has failed: %s", line)
		}
	}
	w.free(t, "the log", []byte(output))
	for _, a := range w.accounts {
		if at := strings.Index(output, a.tag); at >= 0 {
			t.Errorf("the log holds the texts of an account: %.300s", output[max(0, at-200):])
		}
	}
}

// events: no event holds a secret.
func (w *world) events(t *testing.T) {
	t.Helper()
	read := 0
	for recorded, err := range w.store.ReadAll(t.Context(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		read++
		w.free(t, recorded.Type+" of "+recorded.Stream, append(recorded.Data, recorded.Metadata...))
	}
	if read < 100 {
		t.Errorf("%d events only", read)
	}
	t.Logf("%d events, %d secrets", read, len(w.secrets))
}

// files: no file below the data folder holds a secret: event log, read models, documents, caches, working files.
func (w *world) files(t *testing.T) {
	t.Helper()
	read := 0
	err := filepath.WalkDir(w.service.Data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil {
			read++
			w.free(t, path, content)
		}
		return err
	})
	if err != nil || read < 20 {
		t.Errorf("%d files, %v", read, err)
	}
	t.Logf("%d files", read)
}
