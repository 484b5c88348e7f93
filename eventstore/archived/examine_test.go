package archived_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
)

// Examine names the files that are not as they were written, and those alone, whichever byte of a file it is.
func TestExamine(t *testing.T) {
	t.Parallel()
	log, files := memory.New(), newFolder()
	fillLog(t, log, 200, 20_000)
	if _, err := archived.New(log, files, "movie").Archive(t.Context(), later()); err != nil {
		t.Fatal(err)
	}
	if len(files.files) < 2 {
		t.Fatalf("there are %d archive files", len(files.files))
	}
	examine := func() (whole int, flaws map[string]error) {
		t.Helper()
		flaws = map[string]error{}
		err := archived.New(log, files, "movie").Examine(t.Context(), func(key string, flaw error) error {
			if flaw != nil {
				flaws[key] = flaw
			} else {
				whole++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return whole, flaws
	}
	if whole, flaws := examine(); whole != len(files.files) || len(flaws) != 0 {
		t.Fatalf("of %d files %d are whole, %v", len(files.files), whole, flaws)
	}
	key := slices.Sorted(maps.Keys(files.files))[0]
	content := files.files[key]
	damaged := map[string][]byte{"cut": content[:len(content)-1], "empty": {}, "longer": append(slices.Clone(content), 0)}
	for name, at := range map[string]int{"first byte": 0, "middle": len(content) / 2, "last byte": len(content) - 1} {
		damaged[name] = slices.Clone(content)
		damaged[name][at] ^= 1
	}
	for name, other := range damaged {
		files.files[key] = other
		if _, flaws := examine(); len(flaws) != 1 || !errors.Is(flaws[key], archived.ErrDamaged) {
			t.Errorf("%s: %v", name, flaws)
		}
	}
	delete(files.files, key)
	if _, flaws := examine(); len(flaws) != 1 || flaws[key] == nil || errors.Is(flaws[key], archived.ErrDamaged) {
		t.Errorf("a missing file: %v", flaws)
	}
	var read error
	for _, read = range archived.New(log, files, "movie").ReadAll(t.Context(), eventstore.Forwards, eventstore.Position{}) {
	}
	if !errors.Is(read, eventstore.ErrIncomplete) || !strings.Contains(fmt.Sprint(read), key) {
		t.Errorf("the log was read with %v", read)
	}
	files.files[key] = content
	stop := errors.New("stop")
	if err := archived.New(log, files, "movie").Examine(t.Context(), func(string, error) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("visit ended it with %v", err)
	}
}

// A decoder that knows nothing of archive files prints the events of one, one JSON object a line, as `zstd -dc` does.
func TestFile_decoded(t *testing.T) {
	t.Parallel()
	log, files := memory.New(), newFolder()
	streams := fillLog(t, log, 60, 20_000)
	store := archived.New(log, files, "movie")
	before := ask(t, store, streams)
	done, err := store.Archive(t.Context(), later())
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string][]string{} // data of the events by stream
	events := 0
	for key, content := range files.files {
		decoder, err := zstd.NewReader(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		lines := json.NewDecoder(decoder)
		for lines.More() {
			var line struct {
				Stream, Data string
				Revision     int
			}
			if err := lines.Decode(&line); err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			if line.Revision != len(printed[line.Stream]) {
				t.Fatalf("%s: event %d of %s comes after %d others", key, line.Revision, line.Stream, len(printed[line.Stream]))
			}
			printed[line.Stream] = append(printed[line.Stream], line.Data)
			events++
		}
		decoder.Close()
	}
	if events != done.Events || len(printed) != done.Streams {
		t.Errorf("printed %d events of %d streams, archived %+v", events, len(printed), done)
	}
	for stream, data := range printed {
		for i, event := range before[stream+" from 0"] {
			if i >= len(data) || data[i] != string(event.Data) {
				t.Fatalf("event %d of %s is printed otherwise", i, stream)
			}
		}
	}
}
