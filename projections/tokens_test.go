package projections_test

import (
	"bytes"
	"strings"
	"testing"

	"moviola/adapters/vault"
	"moviola/domain/movie"
	"moviola/projections"
	"moviola/projections/documentstest"
)

// TestSealTokens: of an event of an earlier version, which carries the token of its file, the read models keep it encrypted only, those that
// an earlier version has built are built anew, and who asks for the movie gets the token that its address was made of.
func TestSealTokens(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef0123456789abcdef"
	w := newWorld(t)
	id := project(1)
	w.append(t, movie.Stream(id), submitted(alice, t0), movie.RenderStarted{Attempt: 1, Worker: "w", At: minute(1)})
	last := w.append(t, movie.Stream(id), movie.RenderFinished{
		Attempt: 1, Worker: "w", At: minute(2), Success: true, Plan: &movie.Dimensions{Frames: 25, FPSNum: 25, FPSDen: 1},
		File: &movie.File{Key: "renders/" + string(id) + "/1.mp4", Token: token},
	})
	plain := w.documents(t)
	told := func() bool {
		for _, document := range documentstest.Dump(t, plain) {
			if strings.Contains(document, token) {
				return true
			}
		}
		return false
	}

	before := mustOpen(t, w.config(plain))
	stop := start(t, before)
	waitFor(t, before, last)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if !told() {
		t.Fatal("this test would not see a token")
	}
	reshape(t, plain, "movies", -1)

	keys, err := vault.New(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	models := mustOpen(t, w.config(projections.SealTokens(plain, keys)))
	start(t, models)
	waitFor(t, models, w.append(t, movie.Stream(project(2)), submitted(alice, minute(3))))
	eventually(t, "the token stands nowhere any more", func() bool { return !told() })
	list, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
	if err != nil || len(list.Movies) != 2 || list.Movies[1].File.Token != token {
		t.Errorf("the list: %+v, %v", list, err)
	}
	if m, ok, err := models.Movies.Get(t.Context(), id); err != nil || !ok || m.File.Token != token {
		t.Errorf("the movie: %+v, %v, %v", m, ok, err)
	}

	other, err := vault.New(bytes.Repeat([]byte{2}, 32))
	if err != nil {
		t.Fatal(err)
	}
	stranger := mustOpen(t, w.config(projections.SealTokens(plain, other)))
	if m, _, err := stranger.Movies.Get(t.Context(), id); err == nil {
		t.Errorf("another installation reads %+v", m)
	}
}
