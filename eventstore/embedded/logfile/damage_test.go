package logfile_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moviola/eventstore/embedded/logfile"
)

// crashImage is what a crash leaves: the file, its write-ahead log, and the events that were committed.
type crashImage struct {
	file, wal []byte
	events    []string
}

func newCrashImage(t *testing.T, commits int) crashImage {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.db")
	var image crashImage
	var err error
	if image.file, image.wal, err = logfile.CommitFile(path, commits); err != nil {
		t.Fatal(err)
	}
	if image.events, err = logfile.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return image
}

// restore writes an image to a new folder and reads what is there.
func (i crashImage) restore(t *testing.T) ([]string, error) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "events.db")
	for name, content := range map[string][]byte{path: i.file, path + "-wal": i.wal} {
		if content == nil {
			continue
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	events, err := logfile.ReadFile(path)
	if rm := os.RemoveAll(dir); rm != nil {
		t.Fatal(rm)
	}
	return events, err
}

// closed is an image of the same log after it was closed: everything is in the file.
func (i crashImage) closed(t *testing.T) crashImage {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.db")
	for name, content := range map[string][]byte{path: i.file, path + "-wal": i.wal} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := logfile.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	closed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return crashImage{file: closed, events: i.events}
}

func flipped(content []byte, bit int) []byte {
	damaged := append([]byte{}, content...)
	damaged[bit/8] ^= 1 << (bit % 8)
	return damaged
}

// rounds is how often a test with random choices makes one.
func rounds(normal, long int) int {
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		return long
	}
	return normal
}

// wantNamed checks that an error says that something is damaged, and where.
func wantNamed(t *testing.T, err error, file string) {
	t.Helper()
	var corrupt *logfile.CorruptError
	if !errors.As(err, &corrupt) || !strings.HasSuffix(corrupt.File, file) || !strings.Contains(err.Error(), file+" is damaged") {
		t.Errorf("the error is %v, want one that says that %s is damaged", err, file)
	}
}

// TestDamage_file flips bits of a closed log, header, tables and indexes alike: none goes unnoticed.
func TestDamage_file(t *testing.T) {
	t.Parallel()
	image := newCrashImage(t, 200)
	whole := image.closed(t)
	closed := whole.file
	if events, err := whole.restore(t); err != nil || !slices.Equal(events, image.events) {
		t.Fatalf("the undamaged file gives %d events, %v", len(events), err)
	}
	unused := 0
	for range rounds(60, 10_000) {
		damaged := whole
		bit := rand.IntN(8 * len(closed))
		damaged.file = flipped(closed, bit)
		events, err := damaged.restore(t)
		if err == nil && slices.Equal(events, image.events) {
			unused++ // a page that no read needs, such as one that is free
			continue
		}
		if err == nil {
			t.Errorf("bit %d: %d events were read as if they were all, want %d or an error", bit, len(events), len(image.events))
			continue
		}
		wantNamed(t, err, "events.db")
	}
	t.Logf("%d of the flips hit nothing that is read", unused)
}

// TestDamage_wal flips bits of a write-ahead log that a crash left. What stands in the last two commits may be taken for a write that
// never ended, which is what a crash in that moment looks like; everything before is there, or the damage is named.
func TestDamage_wal(t *testing.T) {
	t.Parallel()
	image := newCrashImage(t, 60)
	const lastTwo = 6 // events at most
	for range rounds(60, 10_000) {
		damaged := image
		bit := rand.IntN(8 * len(image.wal))
		damaged.wal = flipped(image.wal, bit)
		events, err := damaged.restore(t)
		if err != nil {
			wantNamed(t, err, "events.db-wal")
			continue
		}
		if len(events) < len(image.events)-lastTwo || !slices.Equal(events, image.events[:len(events)]) {
			t.Errorf("bit %d of %d: %d of %d events were read as if they were all", bit, 8*len(image.wal), len(events), len(image.events))
		}
	}
}

// TestDamage_torn cuts a write-ahead log off at any place, as a crash does: the log opens, and holds a beginning of what was written.
func TestDamage_torn(t *testing.T) {
	t.Parallel()
	image := newCrashImage(t, 60)
	for range rounds(60, 4096) {
		torn := image
		torn.wal = image.wal[:rand.IntN(len(image.wal)+1)]
		events, err := torn.restore(t)
		if err != nil {
			t.Errorf("cut at %d of %d: %v", len(torn.wal), len(image.wal), err)
		} else if !slices.Equal(events, image.events[:len(events)]) {
			t.Errorf("cut at %d of %d: the events are not the first that were written", len(torn.wal), len(image.wal))
		}
	}
}

// TestDamage_truncated cuts the closed file off: a shorter file is not a shorter log.
func TestDamage_truncated(t *testing.T) {
	t.Parallel()
	image := newCrashImage(t, 200).closed(t)
	for page := range len(image.file) / 4096 {
		cut := image
		cut.file = image.file[:page*4096+page%3]
		if events, err := cut.restore(t); err == nil {
			t.Errorf("cut at page %d of %d: %d events were read", page, len(image.file)/4096, len(events))
		} else {
			wantNamed(t, err, "events.db")
		}
	}
}
