package commands_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/commands/mediafiles"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/domain/plan"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// library is a world with the handlers of media libraries, and an account with credits.
type library struct {
	*world
	register mediafiles.RegisterMediaHandler
	upload   mediafiles.UploadMediaHandler
	move     mediafiles.MoveMediaHandler
	remove   mediafiles.DeleteMediaHandler
	keep     mediafiles.KeepMediaHandler
	storage  *mediafiles.Storage
}

const ttl, kept = 2 * time.Minute, 72 * time.Hour

func newLibrary(t *testing.T) *library {
	t.Helper()
	w := newWorld(t)
	if _, err := w.ledgers.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "some", Amount: 10}); err != nil {
		t.Fatal(err)
	}
	storage := mediafiles.NewStorage(commands.NewStandings(w.log, w.ledgers, plan.Plans{}, w.clock), w.ledgers)
	return &library{
		world: w, register: mediafiles.NewRegisterMediaHandler(w.log, storage, w.clock, ttl), upload: mediafiles.NewUploadMediaHandler(w.log, w.files, storage, w.clock),
		move: mediafiles.NewMoveMediaHandler(w.log, w.clock), remove: mediafiles.NewDeleteMediaHandler(w.log, w.files, w.clock, kept),
		keep: mediafiles.NewKeepMediaHandler(w.log, w.files, storage, w.clock), storage: storage,
	}
}

// put registers and uploads a file.
func (l *library) put(folder, name, content string) {
	l.t.Helper()
	file, err := l.register.Handle(l.t.Context(), mediafiles.RegisterMedia{Account: alice, Folder: folder, Name: name, ContentType: "a/b", Size: int64(len(content))})
	if err == nil {
		_, err = l.upload.Handle(l.t.Context(), mediafiles.UploadMedia{
			Place: place(folder, name), Entry: file.Entry, Size: file.Size, Body: strings.NewReader(content),
		})
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

func place(folder, name string) string {
	return media.StreamID(alice, media.Path{Folder: folder, Name: name})
}

// at returns the content of the file at a path, followed by " (moving)" while the file is being moved; empty: there is no
// file. "(lost)": the bytes of the file are missing.
func (l *library) at(folder, name string) string {
	l.t.Helper()
	p := media.NewPlace()
	if _, err := l.log.Fold(l.t.Context(), "mediapath-"+place(folder, name), p.Apply); err != nil {
		l.t.Fatal(err)
	}
	_, blob, ok := p.Uploaded()
	if !ok {
		return ""
	}
	f, err := l.files.Open(l.t.Context(), blob)
	if err != nil {
		return "(lost)"
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		l.t.Fatal(err)
	}
	if p.Moving() != nil {
		return string(content) + " (moving)"
	}
	return string(content)
}

// stored counts the stored files.
func (l *library) stored() int {
	l.t.Helper()
	keys, err := l.files.List(l.t.Context(), blobkey.Media.Prefix())
	if err != nil {
		l.t.Fatal(err)
	}
	return len(keys)
}

// killAfter lets the given number of appends pass, and fails all later ones, as if the process had ended.
func (l *library) killAfter(appends int) {
	l.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
		if appends--; appends < 0 {
			return errKilled
		}
		return nil
	}})
}

// TestMoveMedia_killed ends the process after each append of a move: CompleteMove takes the remaining steps, and the file is
// at one path only. Design §6.
func TestMoveMedia_killed(t *testing.T) {
	t.Parallel()
	for step := range 4 {
		t.Run(fmt.Sprintf("after %d steps", step), func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			l.put("a", "x", "content")
			l.killAfter(step)
			_, err := l.move.Handle(t.Context(), mediafiles.MoveMedia{Account: alice, From: media.Path{Folder: "a", Name: "x"}, Folder: "b"})
			if killed := step < 3; errors.Is(err, errKilled) != killed {
				t.Fatalf("the move ended with %v", err)
			}
			l.store.Inject(memory.Faults{})
			for range 2 { // the second call changes nothing
				if err := l.move.Complete(t.Context(), mediafiles.CompleteMove{Place: place("a", "x")}); err != nil && !errors.Is(err, commands.ErrNothingToDo) {
					t.Fatal(err)
				}
			}
			want := [2]string{"", "content"}
			if step == 0 { // the start of the move was not recorded: the file stays
				want = [2]string{"content", ""}
			}
			if got := [2]string{l.at("a", "x"), l.at("b", "x")}; got != want {
				t.Errorf("the file is at %q", got)
			}
		})
	}
}

// TestMoveMedia_arrivedAndDeleted: a file that has arrived and was deleted at its new path does not come back when the move
// is completed.
func TestMoveMedia_arrivedAndDeleted(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.put("a", "x", "content")
	l.killAfter(2)
	if _, err := l.move.Handle(t.Context(), mediafiles.MoveMedia{Account: alice, From: media.Path{Folder: "a", Name: "x"}, Folder: "b"}); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	l.store.Inject(memory.Faults{})
	if _, err := l.remove.Handle(t.Context(), mediafiles.DeleteMedia{Account: alice, Path: media.Path{Folder: "a", Name: "x"}}); !errors.Is(err, media.ErrMoving) {
		t.Errorf("deleting what is on its way: %v", err)
	}
	if _, err := l.remove.Handle(t.Context(), mediafiles.DeleteMedia{Account: alice, Path: media.Path{Folder: "b", Name: "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := l.move.Complete(t.Context(), mediafiles.CompleteMove{Place: place("a", "x")}); err != nil {
		t.Fatal(err)
	}
	if got := [2]string{l.at("a", "x"), l.at("b", "x")}; got != [2]string{} || l.stored() != 0 {
		t.Errorf("at %q, %d files are stored", got, l.stored())
	}
}

// TestMoveMedia_oneWins: of several files that are moved to the same path at once, and one that is registered there, only
// one gets the path, and no file is lost.
func TestMoveMedia_oneWins(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	won := 0
	count := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		var refusal *domain.Error
		switch {
		case err == nil:
			won++
		case !errors.As(err, &refusal) || refusal.Kind != domain.Conflict:
			t.Error(err)
		}
	}
	for n := range 6 {
		folder := fmt.Sprint("from", n)
		l.put(folder, "x", folder)
		group.Go(func() {
			_, err := l.move.Handle(t.Context(), mediafiles.MoveMedia{Account: alice, From: media.Path{Folder: folder, Name: "x"}, Folder: "to"})
			count(err)
		})
	}
	group.Go(func() {
		_, err := l.register.Handle(t.Context(), mediafiles.RegisterMedia{Account: alice, Folder: "to", Name: "x", ContentType: "a/b", Size: 1})
		count(err)
	})
	group.Wait()
	there := 0
	for n := range 6 {
		if l.at(fmt.Sprint("from", n), "x") != "" {
			there++
		}
	}
	if l.at("to", "x") != "" {
		there++
	}
	if won != 1 || there != 6 || l.stored() != 6 {
		t.Errorf("%d won, %d files are there, %d are stored", won, there, l.stored())
	}
}

// TestUploadMedia_bodies: an upload with fewer or more bytes than were registered stores nothing, and the upload can be
// repeated.
func TestUploadMedia_bodies(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	file, err := l.register.Handle(t.Context(), mediafiles.RegisterMedia{Account: alice, Name: "x", ContentType: "a/b", Size: 5})
	if err != nil {
		t.Fatal(err)
	}
	send := func(body io.Reader) error {
		_, err := l.upload.Handle(t.Context(), mediafiles.UploadMedia{Place: place("", "x"), Entry: file.Entry, Size: 5, Body: body})
		return err
	}
	for _, body := range []string{"", "1234", "123456"} {
		if err := send(strings.NewReader(body)); !errors.Is(err, mediafiles.ErrBodyLength) {
			t.Errorf("%q: %v", body, err)
		}
	}
	broken := errors.New("broken")
	if err := send(io.MultiReader(strings.NewReader("123"), failingReader{broken})); !errors.Is(err, broken) {
		t.Errorf("a broken body: %v", err)
	}
	if l.stored() != 0 {
		t.Errorf("%d files are stored", l.stored())
	}
	if err := send(strings.NewReader("12345")); err != nil {
		t.Fatal(err)
	}
	if err := send(strings.NewReader("abcde")); !errors.Is(err, media.ErrUsed) || l.at("", "x") != "12345" || l.stored() != 1 {
		t.Errorf("the second: %v, the file is %s, %d are stored", err, l.at("", "x"), l.stored())
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// TestUploadMedia_beganInTime: an upload that began in time may end long after its registration has expired, unless the path
// was registered again. Decision 44.
func TestUploadMedia_beganInTime(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	register := func() string {
		t.Helper()
		file, err := l.register.Handle(t.Context(), mediafiles.RegisterMedia{Account: alice, Name: "x", ContentType: "a/b", Size: 1})
		if err != nil {
			t.Fatal(err)
		}
		return file.Entry
	}
	first := register()
	l.wait(ttl - time.Millisecond)
	if _, err := l.upload.Begin(t.Context(), place("", "x"), first); err != nil {
		t.Errorf("in time: %v", err)
	}
	l.wait(time.Hour)
	if _, err := l.upload.Begin(t.Context(), place("", "x"), first); !errors.Is(err, media.ErrLate) {
		t.Errorf("late: %v", err)
	}
	second := register()
	finish := func(entry string) error {
		_, err := l.upload.Handle(t.Context(), mediafiles.UploadMedia{Place: place("", "x"), Entry: entry, Size: 1, Body: strings.NewReader("1")})
		return err
	}
	if err := finish(first); !errors.Is(err, media.ErrGone) || l.stored() != 0 {
		t.Errorf("the first: %v, %d files are stored", err, l.stored())
	}
	l.wait(time.Hour)
	if err := finish(second); err != nil {
		t.Errorf("the second: %v", err)
	}
}

// TestKeepMedia: a kept asset gets a free name, and is stored once for the same Once. Decision 47.
func TestKeepMedia(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	keep := func(once, content string) string {
		t.Helper()
		got, err := l.keep.Handle(t.Context(), mediafiles.KeepMedia{
			Account: alice, Name: "p-1.png", ContentType: "image/png", Size: int64(len(content)), Once: once,
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return got.Name
	}
	got := []string{keep("", "a"), keep("", "b"), keep("p", "c"), keep("p", "c again"), keep("", "d")}
	if diff := cmp.Diff([]string{"p-1.png", "p-1-2.png", "p-1-3.png", "p-1-3.png", "p-1-4.png"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if l.at("generated", "p-1-3.png") != "c" || l.stored() != 4 {
		t.Errorf("the third is %s, %d are stored", l.at("generated", "p-1-3.png"), l.stored())
	}
	// A name before it that has become free does not make it another file; without the file itself it is stored again.
	drop := func(name string) {
		t.Helper()
		_, err := l.remove.Handle(t.Context(), mediafiles.DeleteMedia{Account: alice, Path: media.Path{Folder: "generated", Name: name}})
		l.must(err)
	}
	drop("p-1-2.png")
	if got := keep("p", "c again"); got != "p-1-3.png" || l.stored() != 3 {
		t.Errorf("kept again as %s, %d are stored", got, l.stored())
	}
	drop("p-1-3.png")
	if got := keep("p", "c again"); got != "p-1-2.png" || l.at("generated", got) != "c again" {
		t.Errorf("kept again as %s", got)
	}
	_, err := l.keep.Handle(t.Context(), mediafiles.KeepMedia{Account: mallory, Name: "x", Size: 1})
	if !errors.Is(err, storage.ErrStorageBlocked) {
		t.Errorf("without credits: %v", err)
	}
}

// TestExpireMedia: expired temporary files and their bytes are removed, and registrations whose upload can no longer come.
func TestExpireMedia(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.put("temp", "x", "1")
	l.put("kept", "x", "2")
	expire := func(folder string) error {
		return l.remove.Expire(t.Context(), mediafiles.ExpireMedia{Place: place(folder, "x")})
	}
	if err := expire("temp"); !errors.Is(err, commands.ErrNothingToDo) {
		t.Errorf("too early: %v", err)
	}
	l.wait(kept)
	if err := expire("temp"); err != nil || l.at("temp", "x") != "" || l.stored() != 1 {
		t.Errorf("%v, %d files are stored", err, l.stored())
	}
	if err := expire("kept"); !errors.Is(err, commands.ErrNothingToDo) || l.at("kept", "x") != "2" {
		t.Errorf("a file that stays: %v", err)
	}
	if err := l.remove.Clear(t.Context(), mediafiles.ClearMedia{Place: place("kept", "x"), Why: media.Closed}); err != nil || l.stored() != 0 {
		t.Errorf("cleared: %v, %d files are stored", err, l.stored())
	}
}
