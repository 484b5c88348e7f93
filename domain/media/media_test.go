package media_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/media"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return t0.Add(d) }

var (
	logo       = media.File{Folder: "brand", Name: "logo.png", Entry: "e1", ContentType: "image/png", Size: 7}
	again      = media.File{Folder: "brand", Name: "logo.png", Entry: "e2", ContentType: "image/png", Size: 9}
	registered = media.FileRegistered{File: logo, ExpiresAt: after(2 * time.Minute), At: t0}
	uploaded   = media.FileUploaded{File: logo, Blob: "b1", At: after(time.Minute)}
	moving     = media.FileMoveStarted{Move: "m1", ToFolder: "old", ToName: "logo.png", At: after(2 * time.Minute)}
	arrived    = media.FileMovedIn{
		File: media.File{Folder: "old", Name: "logo.png", Entry: "m1", ContentType: "image/png", Size: 7}, Blob: "b1",
		FromFolder: "brand", FromName: "logo.png", UploadedAt: after(time.Minute), At: after(3 * time.Minute),
	}
	left = media.FileMovedOut{File: logo, Move: "m1", At: after(3 * time.Minute)}
	stay = media.FileMoveAborted{Move: "m1", At: after(3 * time.Minute)}
)

func given(events ...domain.Event) *media.Place {
	p := media.NewPlace()
	for _, e := range events {
		p.Apply(e)
	}
	return p
}

func deleted(why media.Reason, f media.File, blob string, at time.Time) media.FileDeleted {
	return media.FileDeleted{File: f, Blob: blob, Reason: why, At: at}
}

// step is one decision on a history.
type step struct {
	name   string
	given  []domain.Event
	decide func(*media.Place) ([]domain.Event, error)
	want   []domain.Event
	err    error
}

func run(t *testing.T, steps []step) {
	t.Helper()
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.decide(given(s.given...))
			if diff := cmp.Diff(s.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if !errors.Is(err, s.err) {
				t.Errorf("error %v, want %v", err, s.err)
			}
		})
	}
}

func events(e ...domain.Event) []domain.Event { return e }

// Decision 44: a registration holds its name until its address expires, and then vanishes.
func TestPlace_Register(t *testing.T) {
	t.Parallel()
	register := func(now time.Time) func(*media.Place) ([]domain.Event, error) {
		return func(p *media.Place) ([]domain.Event, error) { return p.Register(again, now.Add(time.Hour), now) }
	}
	fresh := func(now time.Time) media.FileRegistered {
		return media.FileRegistered{File: again, ExpiresAt: now.Add(time.Hour), At: now}
	}
	soon, due := after(2*time.Minute-1), after(2*time.Minute)
	run(t, []step{
		{name: "a free name", decide: register(t0), want: events(fresh(t0))},
		{name: "reserved", given: events(registered), decide: register(soon), err: media.ErrExists},
		{name: "reserved, but expired", given: events(registered), decide: register(due),
			want: events(deleted(media.Lapsed, logo, "", due), fresh(due))},
		{name: "there", given: events(registered, uploaded), decide: register(due), err: media.ErrExists},
		{name: "being moved", given: events(registered, uploaded, moving), decide: register(due), err: media.ErrExists},
		{name: "moved away", given: events(registered, uploaded, moving, left), decide: register(due), want: events(fresh(due))},
		{name: "deleted", given: events(registered, uploaded, deleted(media.ByUser, logo, "b1", t0)), decide: register(due), want: events(fresh(due))},
		{name: "put over a lapsed one", given: events(registered),
			decide: func(p *media.Place) ([]domain.Event, error) { return p.Put(again, "b2", due) },
			want: events(deleted(media.Lapsed, logo, "", due), media.FileRegistered{File: again, ExpiresAt: due, At: due},
				media.FileUploaded{File: again, Blob: "b2", At: due})},
		{name: "put over a file", given: events(registered, uploaded),
			decide: func(p *media.Place) ([]domain.Event, error) { return p.Put(again, "b2", due) }, err: media.ErrExists},
	})
}

// Decision 44: an upload succeeds if its registration is still the last event of the name, and only the first.
func TestPlace_Upload(t *testing.T) {
	t.Parallel()
	late := after(time.Hour) // it began in time
	upload := func(entry string) func(*media.Place) ([]domain.Event, error) {
		return func(p *media.Place) ([]domain.Event, error) { return p.Upload(entry, "b2", late) }
	}
	run(t, []step{
		{name: "registered", given: events(registered), decide: upload("e1"), want: events(media.FileUploaded{File: logo, Blob: "b2", At: late})},
		{name: "nothing there", decide: upload("e1"), err: media.ErrGone},
		{name: "registered anew", given: events(registered), decide: upload("e0"), err: media.ErrGone},
		{name: "done before", given: events(registered, uploaded), decide: upload("e1"), err: media.ErrUsed},
		{name: "deleted meanwhile", given: events(registered, deleted(media.ByUser, logo, "", t0)), decide: upload("e1"), err: media.ErrGone},
		{name: "moved meanwhile", given: events(registered, uploaded, moving, left), decide: upload("e1"), err: media.ErrGone},
	})
	begin := func(now time.Time) error {
		_, err := given(registered).Expects("e1", func(until time.Time) bool { return !now.Before(until) })
		return err
	}
	if err := begin(after(2*time.Minute - 1)); err != nil {
		t.Errorf("in time: %v", err)
	}
	if err := begin(after(2 * time.Minute)); !errors.Is(err, media.ErrLate) {
		t.Errorf("too late: %v", err)
	}
}

func TestPlace_moves(t *testing.T) {
	t.Parallel()
	now := after(3 * time.Minute)
	here := events(registered, uploaded)
	onTheWay := events(registered, uploaded, moving)
	start := func(to media.Path) func(*media.Place) ([]domain.Event, error) {
		return func(p *media.Place) ([]domain.Event, error) { return p.StartMove("m1", to, moving.At) }
	}
	in := func(source *media.Place) func(*media.Place) ([]domain.Event, error) {
		return func(p *media.Place) ([]domain.Event, error) { return p.MoveIn(source, now) }
	}
	end := func(move string, gone bool) func(*media.Place) ([]domain.Event, error) {
		return func(p *media.Place) ([]domain.Event, error) { return p.EndMove(move, gone, now) }
	}
	elsewhere := media.Path{Folder: "old", Name: "logo.png"}
	taken := media.FileRegistered{File: media.File{Folder: "old", Name: "logo.png", Entry: "x"}, ExpiresAt: after(time.Hour)}
	run(t, []step{
		{name: "start", given: here, decide: start(elsewhere), want: events(moving)},
		{name: "start without file", decide: start(elsewhere), err: media.ErrNotFound},
		{name: "start while only registered", given: events(registered), decide: start(elsewhere), err: media.ErrNotFound},
		{name: "start twice", given: onTheWay, decide: start(elsewhere), err: media.ErrMoving},
		{name: "to where it lies", given: here, decide: start(logo.Path()), err: media.ErrTaken},
		{name: "arrive", decide: in(given(onTheWay...)), want: events(arrived)},
		{name: "arrive at a taken name", given: events(taken), decide: in(given(onTheWay...)), err: media.ErrTaken},
		{name: "arrive twice", given: events(arrived), decide: in(given(onTheWay...))},
		{name: "arrived and deleted since", given: events(arrived, deleted(media.ByUser, arrived.File, "b1", now)), decide: in(given(onTheWay...))},
		{name: "arrive without a move", decide: in(given(here...)), err: media.ErrNoMove},
		{name: "leave", given: onTheWay, decide: end("m1", true), want: events(left)},
		{name: "stay", given: onTheWay, decide: end("m1", false), want: events(stay)},
		{name: "end another move", given: onTheWay, decide: end("m2", true), err: media.ErrNoMove},
		{name: "end what has ended", given: append(onTheWay, stay), decide: end("m1", true), err: media.ErrNoMove},
	})
}

func TestPlace_Delete(t *testing.T) {
	t.Parallel()
	now := after(time.Minute)
	remove := func(at time.Time) func(*media.Place) ([]domain.Event, error) {
		return func(p *media.Place) ([]domain.Event, error) { return p.Delete(at) }
	}
	run(t, []step{
		{name: "a file", given: events(registered, uploaded), decide: remove(now), want: events(deleted(media.ByUser, logo, "b1", now))},
		{name: "a registration", given: events(registered), decide: remove(now), want: events(deleted(media.ByUser, logo, "", now))},
		{name: "an expired registration", given: events(registered), decide: remove(after(time.Hour)), err: media.ErrNotFound},
		{name: "nothing", decide: remove(now), err: media.ErrNotFound},
		{name: "on the way", given: events(registered, uploaded, moving), decide: remove(now), err: media.ErrMoving},
		{name: "twice", given: events(registered, uploaded, deleted(media.ByUser, logo, "b1", now)), decide: remove(now), err: media.ErrNotFound},
		{name: "clear a file", given: events(registered, uploaded),
			decide: func(p *media.Place) ([]domain.Event, error) { return p.Clear(media.Purged, now) },
			want:   events(deleted(media.Purged, logo, "b1", now))},
		{name: "clear what moves", given: events(registered, uploaded, moving),
			decide: func(p *media.Place) ([]domain.Event, error) { return p.Clear(media.Purged, now) }, err: media.ErrMoving},
		{name: "clear a marker", given: events(media.FolderCreated{Folder: "a", Number: 3}),
			decide: func(p *media.Place) ([]domain.Event, error) { return p.Clear(media.Closed, now) },
			want:   events(media.FolderDeleted{Folder: "a", Number: 3, At: now})},
		{name: "clear nothing", decide: func(p *media.Place) ([]domain.Event, error) { return p.Clear(media.Closed, now) }},
	})
}

// Spec: Media file, folder. A registration is kept for an upload that began in time.
func TestPlace_Expire(t *testing.T) {
	t.Parallel()
	const kept = 72 * time.Hour
	temporary := logo
	temporary.Folder = "temp"
	inTemp := media.FileUploaded{File: temporary, Blob: "b1", At: t0}
	expire := func(at time.Time) func(*media.Place) ([]domain.Event, error) {
		return func(p *media.Place) ([]domain.Event, error) { return p.Expire(at, kept), nil }
	}
	lapse := registered.ExpiresAt.Add(media.UploadTime)
	run(t, []step{
		{name: "a registration", given: events(registered), decide: expire(lapse), want: events(deleted(media.Lapsed, logo, "", lapse))},
		{name: "an upload may be under way", given: events(registered), decide: expire(lapse.Add(-1))},
		{name: "a file", given: events(registered, uploaded), decide: expire(after(10 * kept))},
		{name: "a temporary file", given: events(inTemp), decide: expire(after(kept)), want: events(deleted(media.Expired, temporary, "b1", after(kept)))},
		{name: "a young temporary file", given: events(inTemp), decide: expire(after(kept - 1))},
		{name: "a temporary file on the way", given: events(inTemp, moving), decide: expire(after(kept))},
		{name: "nothing", decide: expire(after(kept))},
	})
}

func TestPlace_folders(t *testing.T) {
	t.Parallel()
	made := func(n int) media.FolderCreated { return media.FolderCreated{Folder: "a/b", Number: n, At: t0} }
	gone := func(n int) media.FolderDeleted { return media.FolderDeleted{Folder: "a/b", Number: n, At: t0} }
	create := func(p *media.Place) ([]domain.Event, error) { return p.CreateFolder("a/b", t0), nil }
	remove := func(p *media.Place) ([]domain.Event, error) { return p.DeleteFolder(t0), nil }
	run(t, []step{
		{name: "create", decide: create, want: events(made(1))},
		{name: "create what is there", given: events(made(1)), decide: create},
		{name: "create again", given: events(made(1), gone(1)), decide: create, want: events(made(2))},
		{name: "delete", given: events(made(1)), decide: remove, want: events(gone(1))},
		{name: "delete nothing", given: events(made(1), gone(1)), decide: remove},
	})
}

func TestFilePath(t *testing.T) {
	t.Parallel()
	tests := []struct{ folder, name, want, err string }{
		{"", "logo.png", "logo.png", ""},
		{"/", "logo.png", "logo.png", ""},
		{"/a//b/", "my file (1).png", "a/b/my_file__1_.png", ""},
		{"a", "é.png", "a/_.png", ""},        // one character
		{"a", "e\u0301.png", "a/e_.png", ""}, // two: an e and an accent
		{"a", "A.png", "a/A.png", ""},        // not a.png
		{"a", "b/c.png", "a/b_c.png", ""},
		{"a", "..\\..\\x", "a/.._.._x", ""},
		{"../x", "y", "x/y", ""},
		{"a/../../b c", "y", "a/bc/y", ""},
		{"a", "x\x00y\r\n", "a/x_y__", ""},
		{"a", "\xff\xfe", "a/__", ""},
		{"a", "", "", "name is required"},
		{"a", ".", "", "Invalid name"},
		{"a", "..", "", "Invalid name"},
		{"a", strings.Repeat("x", 256), "", "Invalid name"},
		{"a", strings.Repeat("x", 255), "a/" + strings.Repeat("x", 255), ""},
		{"...", "y", "", "Invalid folder name"},
		{"é", "y", "", "Invalid folder name"},
		{strings.Repeat("a/", 17), "y", "", "Invalid folder name"},
		{strings.Repeat("a", 513), "y", "", "Invalid folder name"},
	}
	for _, tt := range tests {
		got, err := media.FilePath(tt.folder, tt.name)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != tt.err || tt.err == "" && got.String() != tt.want {
			t.Errorf("%q in %q is %q (%q), want %q (%q)", tt.name, tt.folder, got, text, tt.want, tt.err)
		}
	}
}

func TestParsePath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "path is required", "a/": "Invalid path: no filename", "/": "Invalid path: no filename", "a/..": "Invalid name"} {
		if _, err := media.ParsePath(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]media.Path{"x": {Name: "x"}, "/x": {Name: "x"}, "a/b/x": {Folder: "a/b", Name: "x"}} {
		if got, err := media.ParsePath(text); err != nil || got != want {
			t.Errorf("%q is %v (%v)", text, got, err)
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, p := range []media.Path{{Name: "a"}, {Name: "A"}, {Folder: "a"}, {Folder: "a", Name: "b"}, {Folder: "a/b"}, {Folder: "a/b", Name: "c"}} {
		stream := media.StreamCategory + "-" + media.StreamID("acct", p)
		if !strings.HasPrefix(stream, "mediapath-acct.") || seen[stream] != "" {
			t.Errorf("%v has the stream %s of %s", p, stream, seen[stream])
		}
		seen[stream] = p.String()
	}
	if got := media.AccountOf(media.StreamID("acct", media.Path{Name: "a"})); got != "acct" {
		t.Errorf("account %s", got)
	}
	if diff := cmp.Diff([]string{"a/b", "a", ""}, media.Path{Folder: "a/b", Name: "x"}.Parents()); diff != "" {
		t.Errorf("parents (-want +got):\n%s", diff)
	}
	for path, want := range map[string]bool{"temp": true, "temp/x": true, "temporary": false, "a/temp": false, "": false} {
		if got := (media.Path{Folder: path}).Temporary(); got != want {
			t.Errorf("%q is temporary: %v", path, got)
		}
	}
	for contentType, want := range map[string]media.Kind{"image/png": media.Image, "VIDEO/mp4": media.Video, "audio/x": media.Audio, "text/html": media.Other, "": media.Other} {
		if got := media.KindOf(contentType); got != want {
			t.Errorf("%q is %s", contentType, got)
		}
	}
}
