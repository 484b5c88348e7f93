package projections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/media"
	"moviola/domain/preload"
	"moviola/projections"
)

// file is a file of a library; stay tells one stay at its path from another.
func file(folder, name, contentType string, size int64, stay string) media.File {
	return media.File{Folder: folder, Name: name, Entry: stay, ContentType: contentType, Size: size}
}

// arrive registers and uploads a file.
func (w *world) arrive(t *testing.T, f media.File) {
	t.Helper()
	w.append(t, pathStream(f.Path()), media.FileRegistered{File: f, ExpiresAt: minute(2), At: minute(0)},
		media.FileUploaded{File: f, Blob: "media/" + f.Entry, At: minute(1)})
}

// tree is what is in every folder, as it is counted.
func tree(t *testing.T, models *projections.ReadModels) map[string]string {
	t.Helper()
	folders, err := models.Library.Tree(t.Context(), alice, "", projections.MaxPage)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range folders {
		out[f.Path] = fmt.Sprintf("%d files, %d bytes; below %d, %d", f.Files, f.Size, f.Below, f.BelowSize)
		if f.Marker {
			out[f.Path] += " marked"
		}
	}
	return out
}

// pathStream names the stream of a path of alice's library.
func pathStream(p media.Path) string { return media.StreamCategory + "-" + media.StreamID(alice, p) }

// TestLibrary_counts: folders know what is in them and below, whatever comes and goes, and vanish with the last of it.
func TestLibrary_counts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	picture, film, waiting := file("a/b", "p.png", "image/png", 5, "e1"), file("a", "f.mp4", "video/mp4", 7, "e2"), file("", "w", "x/y", 9, "e3")
	w.arrive(t, picture)
	w.arrive(t, film)
	w.append(t, pathStream(media.Path{Folder: "c"}), media.FolderCreated{Folder: "c", Number: 1, At: minute(0)})
	last := w.append(t, pathStream(waiting.Path()), media.FileRegistered{File: waiting, ExpiresAt: minute(2), At: minute(0)})
	waitFor(t, models, last)
	want := map[string]string{
		"/": "0 files, 0 bytes; below 4, 12", "a": "1 files, 7 bytes; below 2, 12", "a/b": "1 files, 5 bytes; below 1, 5", "c": "0 files, 0 bytes; below 1, 0 marked",
	}
	if diff := cmp.Diff(want, tree(t, models)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}

	moved := picture
	moved.Folder, moved.Entry = "c", "m1"
	w.append(t, pathStream(moved.Path()), media.FileMovedIn{File: moved, Blob: "media/e1", FromFolder: "a/b", FromName: "p.png", UploadedAt: minute(1), At: minute(3)})
	w.append(t, pathStream(picture.Path()), media.FileMovedOut{File: picture, Move: "m1", At: minute(3)})
	w.append(t, pathStream(film.Path()), media.FileDeleted{File: film, Blob: "media/e2", Reason: media.ByUser, At: minute(3)})
	w.append(t, pathStream(waiting.Path()), media.FileDeleted{File: waiting, Reason: media.Lapsed, At: minute(3)})
	last = w.append(t, pathStream(media.Path{Folder: "c"}), media.FolderDeleted{Folder: "c", Number: 1, At: minute(3)})
	waitFor(t, models, last)
	want = map[string]string{"/": "0 files, 0 bytes; below 1, 5", "c": "1 files, 5 bytes; below 1, 5"}
	if diff := cmp.Diff(want, tree(t, models)); diff != "" {
		t.Errorf("folders after moves and deletions (-want +got):\n%s", diff)
	}
	for blob, named := range map[string]bool{"media/e1": true, "media/e2": false, "media/none": false} {
		if got, err := models.Library.Names(t.Context(), blob); err != nil || got != named {
			t.Errorf("%s is named: %v, %v", blob, got, err)
		}
	}
}

// TestLibrary_usedAgain: a path that was empty for so long that its tombstone was swept can be used again.
func TestLibrary_usedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	first := file("a", "x", "image/png", 5, "e1")
	w.arrive(t, first)
	waitFor(t, models, w.append(t, pathStream(first.Path()), media.FileDeleted{File: first, Blob: "media/e1", Reason: media.ByUser, At: minute(3)}))
	for _, name := range []string{"media_1", "media_folders_1"} {
		if _, err := docs.Sweep(t.Context(), name, time.Now().Add(1000*time.Hour), 100); err != nil {
			t.Fatal(err)
		}
	}
	again := file("a", "x", "image/png", 6, "e2")
	w.arrive(t, again)
	waitFor(t, models, w.append(t, pathStream(media.Path{Folder: "z"}), media.FolderCreated{Folder: "z", Number: 1, At: minute(4)}))
	files, err := models.Library.Files(t.Context(), alice, "a", "", "", 10)
	if err != nil || len(files) != 1 || files[0].Size != 6 || files[0].Entry != "e2" {
		t.Errorf("%+v, %v", files, err)
	}
}

// TestLibrary_File never runs the reader: what is missing is folded from the path's stream.
func TestLibrary_File(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	f := file("a", "x.png", "image/png", 5, "e1")
	if _, ok, err := models.Library.File(t.Context(), alice, f.Path()); ok || err != nil {
		t.Errorf("nothing is there: %v, %v", ok, err)
	}
	w.arrive(t, f)
	got, ok, err := models.Library.File(t.Context(), alice, f.Path())
	if err != nil || !ok || got.Status != projections.MediaUploaded || got.Type != "image" || got.Blob != "media/e1" || !got.Live(minute(999)) {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if _, ok, _ := models.Library.File(t.Context(), bob, f.Path()); ok {
		t.Error("another account has it too")
	}
	w.append(t, pathStream(f.Path()), media.FileDeleted{File: f, Blob: "media/e1", Reason: media.ByUser, At: minute(3)})
	if _, ok, err := models.Library.File(t.Context(), alice, f.Path()); ok || err != nil {
		t.Errorf("deleted: %v, %v", ok, err)
	}
}

// TestLibrary_work: what libraries and preloads leave to do.
func TestLibrary_work(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	waiting, temporary, stays := file("", "w", "x/y", 1, "e1"), file("temp", "t", "x/y", 1, "e2"), file("", "s", "x/y", 1, "e3")
	w.append(t, pathStream(waiting.Path()), media.FileRegistered{File: waiting, ExpiresAt: minute(2), At: minute(0)})
	w.arrive(t, temporary)
	w.arrive(t, stays)
	w.append(t, pathStream(stays.Path()), media.FileMoveStarted{Move: "m1", ToFolder: "b", ToName: "s", At: minute(3)})
	last := w.append(t, preload.Stream("preload000000001"), preload.Requested{Account: alice, At: minute(0), Items: []preload.Item{
		{ID: "a", Type: preload.Image, Sources: true}, {ID: "b", Type: preload.Voice},
	}})
	waitFor(t, models, last)
	due := func(kind string, at time.Time) (subjects []string) {
		t.Helper()
		items, err := models.Work.Candidates(t.Context(), kind, at, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			subjects = append(subjects, item.Subject)
		}
		return subjects
	}
	id := func(f media.File) string { return media.StreamID(alice, f.Path()) }
	lapse := minute(2).Add(media.UploadTime)
	for _, tt := range []struct {
		kind string
		at   time.Time
		want []string
	}{
		{projections.WorkMedia, lapse.Add(-1), nil},
		{projections.WorkMedia, lapse, []string{id(waiting)}},
		{projections.WorkMedia, minute(1).Add(72 * time.Hour), []string{id(waiting), id(temporary)}},
		{projections.WorkMove, minute(3), nil},
		{projections.WorkMove, minute(4), []string{id(stays)}},
		{projections.WorkConfirm, minute(0), []string{id(waiting)}},
		{projections.WorkFetch, minute(0), []string{"preload000000001/0"}},
		{projections.WorkPreload, minute(0), []string{"preload000000001/1"}},
	} {
		if diff := cmp.Diff(tt.want, due(tt.kind, tt.at)); diff != "" {
			t.Errorf("%s due at %s (-want +got):\n%s", tt.kind, tt.at, diff)
		}
	}
	last = w.append(t, preload.Stream("preload000000001"), preload.ItemFetchStarted{Index: 0, Attempt: 1, Worker: "w", At: minute(1)},
		preload.ItemFetchReleased{Index: 0, Attempt: 1, Worker: "w", At: minute(1)}, preload.ItemFetchStarted{Index: 0, Attempt: 2, Worker: "w", At: minute(1)})
	waitFor(t, models, last)
	if got := due(projections.WorkFetch, minute(99)); got != nil {
		t.Errorf("fetches while one is claimed: %v", got)
	}
	last = w.append(t, preload.Stream("preload000000001"), preload.ItemFetched{Index: 0, Attempt: 2, Worker: "w", At: minute(1)})
	waitFor(t, models, last)
	if diff := cmp.Diff([]string{"preload000000001/0", "preload000000001/1"}, due(projections.WorkPreload, minute(0))); diff != "" {
		t.Errorf("items once one is fetched (-want +got):\n%s", diff)
	}
	w.append(t, pathStream(stays.Path()), media.FileMoveAborted{Move: "m1", At: minute(4)})
	last = w.append(t, preload.Stream("preload000000001"), preload.ItemStarted{Index: 0, Attempt: 1, Worker: "w", At: minute(1)},
		preload.ItemFinished{Index: 0, Attempt: 1, Worker: "w", At: minute(2), Result: preload.Result{Key: "k", Width: 3, Height: 2}})
	waitFor(t, models, last)
	if got := due(projections.WorkMove, minute(99)); got != nil {
		t.Errorf("moves: %v", got)
	}
	if diff := cmp.Diff([]string{"preload000000001/1"}, due(projections.WorkPreload, minute(99))); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	batch, ok, err := models.Preloads.Get(t.Context(), "preload000000001")
	if err != nil || !ok || batch.Status != projections.PreloadRunning || batch.Items[0].Status != projections.PreloadReady || batch.Items[1].Status != projections.PreloadPending {
		t.Errorf("%+v, %v, %v", batch, ok, err)
	}
}
