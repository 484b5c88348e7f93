package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/handlers/background/check"
)

// TestRun_caches: faulty files of caches are found, and a repair removes them. A young orphan is no finding, because its
// note may be about to be written. The folder of a closed account is an orphan.
func TestRun_caches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(account.Stream(bob), bob, account.Opened{Plan: "paid", At: t0}, account.Closed{At: t0})
	dir := t.TempDir()
	path := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, name := range []string{path("alice", "well"), path("alice", "damaged"), path("alice", "damaged.json"), path("alice", "orphaned"), path("bob", "well")} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{path("alice", "orphaned"), path("bob")} {
		if err := os.Chtimes(name, t0, t0); err != nil {
			t.Fatal(err)
		}
	}
	config := w.config()
	examined := 0
	config.Caches = []check.Cache{
		{What: "part", Dir: dir, Folder: func(a domain.AccountID) string { return path(string(a)) }, Examine: func(file string, _ bool) (storage.Flaw, error) {
			examined++
			if name := filepath.Base(file); name == "damaged" || name == "orphaned" {
				return storage.Flaw{Kind: name, Remove: []string{file, file + ".json"}}, nil
			}
			return storage.Flaw{}, nil
		}},
		{What: "none", Dir: path("none"), Folder: func(domain.AccountID) string { return "" }},
	}
	config.Grace = 1 << 62
	w.wantFindings(config, "damaged "+path("alice", "damaged"))
	config.Grace = 0
	config.Repair = true
	w.wantFindings(config, "damaged "+path("alice", "damaged")+" (repaired)", "orphaned "+path("alice", "orphaned")+" (repaired)",
		"orphaned "+path("bob")+" (repaired)")
	left, err := filepath.Glob(path("*", "*"))
	if err != nil || strings.Join(left, " ") != path("alice", "well") {
		t.Errorf("left: %q, %v", left, err)
	}
	w.wantFindings(config)
	if examined != 4+4+1 {
		t.Errorf("%d files were examined", examined)
	}
}

// TestRun_cachesWithNotes: in a cache with notes, an old file that no note in its folder names is an orphan.
func TestRun_cachesWithNotes(t *testing.T) {
	t.Parallel()
	w, dir := newWorld(t), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, "alice", name) }
	if err := os.MkdirAll(path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"note.json", "named.wav", "nobodys.wav", "young.wav", filepath.Join("folder", "note.json")} {
		if err := os.WriteFile(path(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		written := t0
		if name == "young.wav" {
			written = t0.Add(47 * time.Hour)
		}
		if err := os.Chtimes(path(name), written, written); err != nil {
			t.Fatal(err)
		}
	}
	config := w.config()
	config.Caches = []check.Cache{{
		What: "voice", Dir: dir, Folder: func(domain.AccountID) string { return "" },
		Examine: func(string, bool) (storage.Flaw, error) { return storage.Flaw{}, nil },
		Named: func(folder string) (map[string]bool, error) {
			return map[string]bool{"named.wav": folder == filepath.Join(dir, "alice")}, nil
		},
	}}
	w.wantFindings(config, "orphaned "+path("nobodys.wav"))
	config.Repair = true
	w.wantFindings(config, "orphaned "+path("nobodys.wav")+" (repaired)")
	w.wantFindings(config)
}

// TestRun_shared: a file that hosts share is an orphan when its account is closed, or when it has lapsed and was not
// removed.
func TestRun_shared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(account.Stream(bob), bob, account.Opened{Plan: "paid", At: t0}, account.Closed{At: t0})
	w.put("sources/of-alice/files/1.1", "sources/of-bob/visits/1.json")
	config := w.config()
	w.wantFindings(config)
	config.Holder, config.Lapse = func(a domain.AccountID) string { return "of-" + string(a) }, 30*time.Hour
	w.wantFindings(config, "orphaned sources/of-bob/visits/1.json")
	config.Lapse, config.Repair = 20*time.Hour, true
	w.wantFindings(config, "orphaned sources/of-alice/files/1.1 (repaired)", "orphaned sources/of-bob/visits/1.json (repaired)")
	w.wantFindings(config)
}
