package blobs_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"moviola/adapters/blobs"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/internal/quota"
)

// unsized is a body whose length nobody knows beforehand.
type unsized struct{ io.Reader }

// bounded is the contract of bounds, which every store keeps: what was there before counts, what is written counts as it is written, keys without an
// account do not count, and what is refused leaves nothing behind.
func bounded(t *testing.T, open func() *blobs.Bucket) {
	t.Helper()
	ctx := t.Context()
	before := open()
	mustPut(t, before, "media/a/before", strings.Repeat("x", 400))
	mustPut(t, before, "movies/a/before.json", strings.Repeat("x", 200))
	mustPut(t, before, "media/ab/another", strings.Repeat("x", 900))
	b := open()
	room := b.Limit(quota.Limits{Account: quota.Amount{Bytes: 1000}, Total: quota.Amount{Bytes: 2000}}, storage.StorageFull, "media/", "movies/", "staging/")
	put := func(key string, size int, known bool) error {
		var r io.Reader = strings.NewReader(strings.Repeat("x", size))
		if !known {
			r = unsized{r}
		}
		return b.Put(ctx, key, r)
	}
	wantFull := func(what string, err error) {
		t.Helper()
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != "storage_full" || !strings.Contains(refusal.Message, "1000 bytes") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, known := range []bool{true, false} {
		wantFull("a file beyond the bound", put("media/a/more", 401, known))
		if _, err := b.Open(ctx, "media/a/more"); err == nil {
			t.Error("something of a refused file is there")
		}
	}
	wantFull("a document beyond the bound", put("movies/a/more.json", 401, true))
	wantFull("what would not fit", room.Fits(ctx, "a", 401))
	if err := errors.Join(put("media/a/more", 300, false), put("movies/a/more.json", 100, true), put("renders/a/1.mp4", 5000, false), room.Fits(ctx, "b", 1)); err != nil {
		t.Error(err)
	}
	wantFull("one byte more", put("media/a/last", 1, false))
	var full *quota.FullError
	if err := put("media/c/much", 101, false); !errors.As(err, &full) || !full.All {
		t.Errorf("more than all may have: %v", err)
	}
	if err := put("media/c/much", 100, false); err != nil {
		t.Error(err)
	}
	if b.Presigns() {
		wantFull("a copy", b.Copy(ctx, "media/a/before", "media/a/copy"))
	}
	few := open() // what a has stored are four files now, and c one
	few.Limit(quota.Limits{Account: quota.Amount{Files: 5}}, storage.StorageFull, "media/", "movies/", "staging/")
	if err := errors.Join(few.Put(ctx, "media/a/fifth", strings.NewReader("")), few.Put(ctx, "movies/c/second.json", strings.NewReader("x"))); err != nil {
		t.Error(err)
	}
	var refusal *domain.Error
	for _, key := range []string{"media/a/sixth", "movies/a/sixth.json"} {
		if err := few.Put(ctx, key, strings.NewReader("")); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "5 files") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestBucket_Limit holds folders against the contract of bounds, with documents as files of their own and on the shelf.
func TestBucket_Limit(t *testing.T) {
	t.Parallel()
	for name, shelved := range map[string][]string{"files": nil, "documents on the shelf": {"movies/"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bounded(t, func() *blobs.Bucket { return mustOpen(t, dir, shelved...) })
		})
	}
}

// TestBucket_Limit_Delete: what is deleted makes room.
func TestBucket_Limit_Delete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustPut(t, mustOpen(t, dir), "media/a/b", strings.Repeat("x", 900))
	b := mustOpen(t, dir)
	b.Limit(quota.Limits{Account: quota.Amount{Bytes: 1000}}, storage.StorageFull, "media/")
	mustPut(t, b, "media/a/c", strings.Repeat("x", 100))
	if err := b.Delete(t.Context(), "media/a/b"); err != nil {
		t.Fatal(err)
	}
	for err := errors.New("none"); err != nil; { // it is counted again a second later
		if err = b.Put(t.Context(), "media/a/d", strings.NewReader(strings.Repeat("x", 900))); err != nil && t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// TestBucket_LimitOwned: files whose keys name no account count for whom they are stored, and after a start for whom they were.
func TestBucket_LimitOwned(t *testing.T) {
	t.Parallel()
	for name, shelved := range map[string][]string{"files": nil, "documents on the shelf": {"templates/"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			open := func() *blobs.Bucket {
				b := mustOpen(t, dir, shelved...)
				b.Limit(quota.Limits{Account: quota.Amount{Bytes: 1000}}, storage.StorageFull, "media/").LimitOwned("templates/", func(_ context.Context, name string) (string, error) { return strings.TrimSuffix(name, "s"), nil })
				return b
			}
			b := open()
			put := func(account, key string, size int) error {
				return b.Put(storage.StoredFor(t.Context(), domain.AccountID(account)), key, strings.NewReader(strings.Repeat("x", size)))
			}
			if err := errors.Join(put("a", "templates/as/1.json", 600), put("", "media/a/1", 300), put("b", "templates/bs/1.json", 900), put("", "templates/cs/1", 5000)); err != nil {
				t.Fatal(err)
			}
			full := func(err error) bool {
				var refusal *domain.Error
				return errors.As(err, &refusal) && refusal.Code == "storage_full"
			}
			if !full(put("a", "templates/as/2.json", 101)) || !full(put("", "media/a/2", 101)) {
				t.Error("more than the account may was stored")
			}
			b = open()
			if !full(put("a", "templates/as/2.json", 101)) || !full(put("b", "templates/bs/2.json", 101)) {
				t.Error("after a start more than the account may was stored")
			}
			if err := errors.Join(put("a", "templates/as/2.json", 100), put("b", "templates/bs/2.json", 100)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRoom_owned: a second bound counts by itself; what was stored and deleted since the last count makes room for its account, and accounts that are
// counted for the first time share one look through the files.
func TestRoom_owned(t *testing.T) {
	t.Parallel()
	dir, asked := t.TempDir(), map[string]int{}
	for key, size := range map[string]int{"renders/a1/1.mp4": 600, "renders/b1/1.mp4": 200, "renders/c1/1.mp4": 100, "media/a/1": 700} {
		mustPut(t, mustOpen(t, dir), key, strings.Repeat("x", size))
	}
	b := mustOpen(t, dir)
	b.Limit(quota.Limits{Account: quota.Amount{Bytes: 1000}}, storage.StorageFull, "media/")
	room := b.Limit(quota.Limits{Account: quota.Amount{Bytes: 1000, Files: 3}}, storage.RendersFull)
	room.LimitOwned("renders/", func(_ context.Context, name string) (string, error) {
		asked[name]++
		return name[:1], nil
	})
	put := func(key string, size int) error {
		return b.Put(storage.StoredFor(t.Context(), domain.AccountID(strings.Split(key, "/")[1][:1])), key, strings.NewReader(strings.Repeat("x", size)))
	}
	full := func(what string, err error, bound string) {
		t.Helper()
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != "storage_full" || !strings.Contains(refusal.Message, "rendered files of the account come to "+bound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	full("a movie beyond the bound", put("renders/a2/1.mp4", 401), "1000 bytes")
	if err := errors.Join(put("renders/a2/1.mp4", 400), put("renders/b2/1.mp4", 1), put("renders/c2/1.mp4", 1), b.Put(t.Context(), "media/a/2", strings.NewReader(strings.Repeat("x", 300)))); err != nil {
		t.Fatal(err)
	}
	full("one byte more", room.Admit(t.Context(), "a"), "1000 bytes")
	if asked["a1"] != 1 || asked["b1"] != 1 {
		t.Errorf("the owners of files were looked up %v times", asked)
	}
	if err := b.Delete(t.Context(), "renders/a2/1.mp4"); err != nil {
		t.Fatal(err)
	}
	for err := errors.New("none"); err != nil; { // it is counted again a second later
		if err = put("renders/a3/1.mp4", 400); err != nil && t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(put("renders/b3/1.mp4", 1), room.Admit(t.Context(), "nobody")); err != nil {
		t.Error(err)
	}
	full("a fourth file", put("renders/b4/1.mp4", 1), "3 files")
}
