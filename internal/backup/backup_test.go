package backup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"moviola/internal/backup"
)

// memory is a place in memory.
type memory map[string][]byte

func (m memory) Put(_ context.Context, name string, content io.Reader) error {
	data, err := io.ReadAll(content)
	m[name] = data
	return err
}

func (m memory) Open(_ context.Context, name string) (io.ReadCloser, error) {
	data, ok := m[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (m memory) List(_ context.Context, prefix string) ([]string, error) {
	var names []string
	for name := range m {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, nil
}

// below are the names in a place that begin with a prefix.
func (m memory) below(prefix string) []string {
	names, _ := m.List(context.Background(), prefix) // never fails
	slices.Sort(names)
	return names
}

var start = time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)

// content is what the items of these tests hold: many small ones, one that is as large as the limit, and one of several chunks.
func content(items int) map[string]string {
	all := map[string]string{"empty": "", "limit": strings.Repeat("l", 1<<20), "large": strings.Repeat("0123456789abcdef", 9<<20/16)}
	for i := range items {
		all[fmt.Sprintf("item %04d", i)] = strings.Repeat(fmt.Sprint(i, " "), 800)
	}
	return all
}

// save makes a backup of documents and one secret.
func save(t *testing.T, cfg backup.Config, at time.Time, items map[string]string) (backup.Summary, error) {
	t.Helper()
	a, err := backup.Create(t.Context(), cfg)
	if err != nil {
		return backup.Summary{}, err
	}
	w, err := a.Begin(t.Context(), at, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(items)) {
		if err := w.Add(t.Context(), backup.Documents, name, at, strings.NewReader(items[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(t.Context(), backup.Secrets, "secret", at, strings.NewReader("canary")); err != nil {
		t.Fatal(err)
	}
	return w.Finish(t.Context())
}

// mustSave is save for a backup that succeeds.
func mustSave(t *testing.T, cfg backup.Config, at time.Time, items map[string]string) backup.Summary {
	t.Helper()
	done, err := save(t, cfg, at, items)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// load reads a backup, and its secret.
func load(t *testing.T, cfg backup.Config, id string) (map[string]string, error) {
	t.Helper()
	a, err := backup.Open(t.Context(), cfg)
	if err != nil {
		return nil, err
	}
	s, err := a.Snapshot(t.Context(), id)
	if err != nil {
		return nil, err
	}
	got := map[string]string{}
	for _, part := range []string{backup.Documents, backup.Secrets} {
		err = errors.Join(err, s.Walk(t.Context(), part, func(item backup.Item, r io.Reader) error {
			data, err := io.ReadAll(r)
			if int64(len(data)) != item.Size && err == nil {
				t.Errorf("%s has %d bytes, listed with %d", item.Name, len(data), item.Size)
			}
			got[item.Name] = string(data)
			return err
		}))
	}
	return got, err
}

// want checks that a backup holds items and the secret.
func want(t *testing.T, cfg backup.Config, id string, items map[string]string) {
	t.Helper()
	got, err := load(t, cfg, id)
	items = maps.Clone(items)
	items["secret"] = "canary"
	if err != nil || !maps.Equal(got, items) {
		t.Errorf("%d items, want %d; %v", len(got), len(items), err)
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	place := memory{}
	cfg := backup.Config{Place: place}
	before, after := content(2000), content(2000)
	for i := range 100 {
		after[fmt.Sprintf("item 9%04d", i)] = "new"
	}
	delete(after, "item 0100")
	first := mustSave(t, cfg, start, before)
	second := mustSave(t, cfg, start.Add(time.Hour), after)
	if second.Written > first.Written/2 {
		t.Errorf("%d bytes were written by the first backup, %d by the second", first.Written, second.Written)
	}
	want(t, cfg, first.ID, before)
	want(t, cfg, second.ID, after)
	want(t, cfg, "", after)
	if _, err := load(t, cfg, "never"); err == nil {
		t.Error("a backup that is not there was read")
	}
	if !second.Verified || second.Items[backup.Documents] != len(after) || second.Items[backup.Secrets] != 1 {
		t.Errorf("summary %+v", second)
	}
}

// A backup that was cut short is not there, and what it left is used by the next.
func TestBackup_cutShort(t *testing.T) {
	t.Parallel()
	cfg := backup.Config{Place: memory{}}
	a, err := backup.Create(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w, err := a.Begin(t.Context(), start, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.Context(), backup.Documents, "large", start, strings.NewReader(content(0)["large"])); err != nil {
		t.Fatal(err)
	}
	if _, err := load(t, cfg, ""); !errors.Is(err, backup.ErrNone) {
		t.Errorf("a part of a backup: %v", err)
	}
	done := mustSave(t, cfg, start, content(3))
	if done.Written > 3<<20 {
		t.Errorf("%d bytes were written again", done.Written)
	}
	want(t, cfg, "", content(3))
}

// Damage at the place is noticed by who reads, and by the next backup that would rely on it.
func TestBackup_damaged(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]func(memory, string){
		"changed": func(m memory, name string) { m[name] = append([]byte("x"), m[name][1:]...) },
		"cut":     func(m memory, name string) { m[name] = m[name][:len(m[name])-1] },
		"gone":    func(m memory, name string) { delete(m, name) },
	} {
		place := memory{}
		cfg := backup.Config{Place: place}
		mustSave(t, cfg, start, content(3))
		name := place.below("documents/")[0]
		damage(place, name)
		if _, err := load(t, cfg, ""); err == nil {
			t.Errorf("%s: it was read", what)
		}
		_, err := save(t, cfg, start.Add(time.Hour), content(3))
		if what == "gone" && err != nil || what != "gone" && (err == nil || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: the next backup says %v", what, err)
		}
	}
}

// A list that names bytes beyond the end of a chunk is an error, also with numbers that no chunk can have.
func TestBackup_damagedList(t *testing.T) {
	t.Parallel()
	const most = math.MaxInt
	for _, piece := range []backup.Piece{{Offset: most, Size: 1}, {Offset: 1, Size: most}, {Offset: -1, Size: 1}} {
		place := memory{}
		cfg := backup.Config{Place: place}
		mustSave(t, cfg, start, content(3))
		name := place.below("backups/")[0]
		var m backup.Manifest
		if err := json.Unmarshal(place[name], &m); err != nil {
			t.Fatal(err)
		}
		of := &m.Parts[backup.Documents][0].Pieces[0]
		of.Offset, of.Size = piece.Offset, piece.Size
		var err error
		if place[name], err = json.Marshal(m); err != nil {
			t.Fatal(err)
		}
		if _, err := load(t, cfg, ""); err == nil || !strings.Contains(err.Error(), "does not have") {
			t.Errorf("%+v: %v", piece, err)
		}
	}
}

// The secrets can lie elsewhere; without them nothing is read, and their chunk's name is another one each time.
func TestBackup_apart(t *testing.T) {
	t.Parallel()
	place, apart := memory{}, memory{}
	cfg := backup.Config{Place: place, Apart: map[string]backup.Place{backup.Secrets: apart}}
	mustSave(t, cfg, start, content(3))
	mustSave(t, cfg, start.Add(time.Hour), content(3))
	if len(place.below("secrets/")) > 0 || len(apart.below("secrets/")) != 2 {
		t.Errorf("the secrets lie in %v and %v", place.below("secrets/"), apart.below(""))
	}
	want(t, cfg, "", content(3))
	if _, err := load(t, backup.Config{Place: place}, ""); err == nil {
		t.Error("the secret was read without its part")
	}
}

func TestBackup_encrypted(t *testing.T) {
	t.Parallel()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	to := []string{identity.Recipient().String()}
	for name, row := range map[string]struct{ write, read, wrong, other backup.Config }{
		"passphrase": {
			backup.Config{Passphrase: "correct horse", WorkFactor: 4}, backup.Config{Passphrase: "correct horse"},
			backup.Config{Passphrase: "battery"}, backup.Config{},
		},
		"recipient": {
			backup.Config{Recipients: to}, backup.Config{Identities: identity.String()},
			backup.Config{Identities: stranger.String()}, backup.Config{Recipients: []string{stranger.Recipient().String()}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := memory{}
			row.write.Place, row.read.Place, row.wrong.Place, row.other.Place = place, place, place, place
			first := mustSave(t, row.write, start, content(300))
			second := mustSave(t, row.write, start.Add(time.Hour), content(300))
			if second.Written > first.Written/10 || !first.Verified || second.Verified != (name == "passphrase") {
				t.Errorf("first %+v, second %+v", first, second)
			}
			want(t, row.read, first.ID, content(300))
			want(t, row.read, "", content(300))
			for _, cfg := range []backup.Config{row.wrong, {Place: place}} {
				if _, err := load(t, cfg, ""); err == nil {
					t.Error("it was read without the key")
				}
			}
			if _, err := save(t, row.other, start.Add(2*time.Hour), content(1)); err == nil {
				t.Error("another encryption was mixed in")
			}
			for file, data := range place {
				if bytes.Contains(data, []byte("canary")) || bytes.Contains(data, []byte("item 0001")) || bytes.Contains(data, []byte(identity.String())) {
					t.Errorf("%s tells what is in it", file)
				}
			}
		})
	}
	for _, wrong := range []backup.Config{
		{Passphrase: "a", Recipients: to}, {Recipients: []string{"age1nobody"}},
	} {
		wrong.Place = memory{}
		if _, err := backup.Create(t.Context(), wrong); err == nil || len(wrong.Place.(memory)) > 0 {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// TestAddSealed: a backup with items that are encrypted under keys of accounts says which they are, and has a format that earlier
// versions refuse. Other backups keep the format that they read.
func TestAddSealed(t *testing.T) {
	t.Parallel()
	cfg := backup.Config{Place: memory{}}
	mustSave(t, cfg, start, content(1))
	a, err := backup.Create(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w, err := a.Begin(t.Context(), start.Add(time.Hour), "test")
	if err != nil {
		t.Fatal(err)
	}
	err = w.AddSealed(t.Context(), backup.Files, "a", start, "ada", strings.NewReader("sealed"))
	if err := errors.Join(err, w.Add(t.Context(), backup.Files, "b", start, strings.NewReader("clear"))); err != nil {
		t.Fatal(err)
	}
	done, err := w.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{start.Format("20060102T150405.000Z"): 1, done.ID: 2} {
		s, err := a.Snapshot(t.Context(), id)
		if err != nil || s.Manifest.Format != want || s.Manifest.Sealed()["ada"] != want-1 {
			t.Errorf("backup %s: format %d, %v, %v; want %d", id, s.Manifest.Format, s.Manifest.Sealed(), err, want)
		}
	}
}
