package blobkey_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/preload"
	"moviola/domain/template"
)

// TestParse: a key that was built is read back. The keys themselves are stored in events and must never change.
func TestParse(t *testing.T) {
	t.Parallel()
	const account, project = domain.AccountID("alice"), domain.ProjectID("p1")
	for _, row := range []struct {
		key, want string
		owner     blobkey.Owner
	}{
		{blobkey.Document(account, project), "movies/alice/p1.json", blobkey.Owner{Kind: blobkey.Documents, Account: account, Project: project}},
		{blobkey.RendersOf(project) + "2.mp4", "renders/p1/2.mp4", blobkey.Owner{Kind: blobkey.Renders, Project: project}},
		{blobkey.Body(template.ID("t"), "00ff"), "templates/t/00ff.json", blobkey.Owner{Kind: blobkey.Bodies, Template: "t"}},
		{blobkey.ExamplesOf(template.ID("t")) + "1.jpg", "library/t/1.jpg", blobkey.Owner{Kind: blobkey.Examples, Template: "t"}},
		{blobkey.MediaFile(account, "e", "u"), "media/alice/e-u", blobkey.Owner{Kind: blobkey.Media, Account: account}},
		{blobkey.Upload(account, "e"), "staging/alice/e", blobkey.Owner{Kind: blobkey.Uploads, Account: account}},
		{blobkey.Request(account, preload.ID("b")), "batches/alice/b.json", blobkey.Owner{Kind: blobkey.Requests, Account: account, Preload: "b"}},
		{
			blobkey.PreparedStem(account, preload.ID("b"), 3, "r") + "-web.webm", "preloads/alice/b/3-r-web.webm",
			blobkey.Owner{Kind: blobkey.Prepared, Account: account, Preload: "b"},
		},
	} {
		if row.key != row.want {
			t.Errorf("%s, want %s", row.key, row.want)
		}
		owner, ok := blobkey.Parse(row.key)
		if diff := cmp.Diff(row.owner, owner); diff != "" || !ok || !row.owner.Kind.Is(row.key) {
			t.Errorf("%s: %v %s", row.key, ok, diff)
		}
	}
}

// TestParse_others: Parse returns false for a key that names no owner.
func TestParse_others(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"", "movies", "movies/alice", "movies//p.json", "movies/alice/", "movies/alice/p.mp4", "movies/alice/p/q.json", "renders/p1", "renders/p1/a/b",
		"preloads/alice/b", "batches/alice/b", "sources/alice/files/h.1", "fonts/files/h.1", "other/a/b.json",
	} {
		if owner, ok := blobkey.Parse(key); ok {
			t.Errorf("%q: %+v", key, owner)
		}
	}
}

// TestIsDocument: documents are the JSON of movies and templates.
func TestIsDocument(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{"movies/a/p.json": true, "templates/t/h.json": true, "renders/p/1.mp4": false, "moviesx/a": false, "": false} {
		if blobkey.IsDocument(key) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
}

// TestContent: the hash and the size of a file stand in its key.
func TestContent(t *testing.T) {
	t.Parallel()
	for _, key := range []string{blobkey.SourceFile("alice", "00ff", 7), blobkey.FontFile("00ff", 7)} {
		if hash, size, ok := blobkey.Content(key); hash != "00ff" || size != 7 || !ok {
			t.Errorf("%s: %s %d %v", key, hash, size, ok)
		}
	}
	for _, key := range []string{
		"", blobkey.SourceVisit("alice", "00ff"), blobkey.FontFamily("00ff"), "media/alice/files/00ff.7", "sources/a/files/00ff.x", "sources/a/files/00ff.-1", "sources/a/files/00ff",
	} {
		if _, _, ok := blobkey.Content(key); ok {
			t.Errorf("%q is taken for a file", key)
		}
	}
}
