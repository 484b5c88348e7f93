package check_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/batch"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/media"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/background/check"
	"moviola/projections"
)

const alice, bob = domain.AccountID("alice"), domain.AccountID("bob")

var t0 = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// world is an installation in memory whose files are two days old.
type world struct {
	t     *testing.T
	log   *eventstore.Log
	files *commandstest.Files
}

func newWorld(t *testing.T) *world {
	t.Helper()
	files := commandstest.NewFiles(func() time.Time { return t0 })
	return &world{t: t, log: eventstore.NewLog(memory.New(), eventstore.NewCodec()), files: files}
}

func (w *world) append(stream string, owner domain.AccountID, events ...domain.Event) {
	w.t.Helper()
	last, err := w.log.Last(w.t.Context(), stream)
	if err == nil {
		_, err = w.log.Append(w.t.Context(), stream, last.Revision, eventstore.Meta{Account: owner, Time: t0}, events...)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) put(keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		if err := w.files.Put(w.t.Context(), key, strings.NewReader(key)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// hash is that of what put stores under a key.
func hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// movie adds a finished movie with all its files. copied is the movie whose file was copied for it; empty: it was rendered.
func (w *world) movie(owner domain.AccountID, id domain.ProjectID, copied domain.ProjectID) movie.File {
	w.t.Helper()
	key := blobkey.Document(owner, id)
	file := movie.File{
		Key: blobkey.RendersOf(id) + "1.mp4", Thumbnail: blobkey.RendersOf(id) + "1.jpg", Subtitles: blobkey.RendersOf(id) + "1.ass",
	}
	first := id
	if copied != "" {
		first = copied
	}
	content := "movie of " + string(first)
	file.Size, file.Hash = int64(len(content)), hash(content)
	w.append(movie.Stream(id), owner, movie.Submitted{Account: owner, At: t0, DocumentHash: hash(key)},
		movie.RenderStarted{Attempt: 1, Worker: "w", At: t0},
		movie.RenderFinished{Attempt: 1, Worker: "w", At: t0, Success: true, File: &file, CachedFrom: copied})
	w.put(key, file.Thumbnail, file.Subtitles)
	if err := w.files.Put(w.t.Context(), file.Key, strings.NewReader(content)); err != nil {
		w.t.Fatal(err)
	}
	return file
}

func (w *world) config() check.Config {
	return check.Config{Log: w.log, Files: w.files, Walk: w.files.Walk, Now: func() time.Time { return t0.Add(48 * time.Hour) }}
}

// run checks and returns the findings as "kind name", sorted, those that were repaired with a mark.
func (w *world) run(config check.Config) []string {
	w.t.Helper()
	report, err := check.Run(w.t.Context(), config)
	if err != nil {
		w.t.Fatal(err)
	}
	var found []string
	for _, f := range report.Findings {
		line := f.Kind + " " + f.Name
		if f.Repaired {
			line += " (repaired)"
		}
		found = append(found, line)
	}
	slices.Sort(found)
	return found
}

func (w *world) wantFindings(config check.Config, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.run(config)); diff != "" {
		w.t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// everything is an installation with files of all kinds.
func everything(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.movie(alice, "finished", "")
	w.append(movie.Stream("waiting"), alice, movie.Submitted{Account: alice, At: t0, DocumentHash: hash("movies/alice/waiting.json")})
	w.put("movies/alice/waiting.json", "renders/waiting/1.mp4")
	w.movie(alice, "deleted", "")
	w.append(movie.Stream("deleted"), alice, movie.FileDeleted{Reason: movie.ByUser, At: t0})
	for _, ending := range []string{"mp4", "jpg", "ass"} {
		if err := w.files.Delete(t.Context(), "renders/deleted/1."+ending); err != nil {
			t.Fatal(err)
		}
	}
	path := media.Path{Name: "photo.jpg"}
	blob := blobkey.MediaFile(alice, "entry", "upload")
	w.append(media.StreamCategory+"-"+media.StreamID(alice, path), alice, media.FileUploaded{
		File: media.File{Name: "photo.jpg", Entry: "entry", Size: int64(len(blob))}, Blob: blob, At: t0,
	})
	w.put(blob, "staging/alice/upload", blobkey.Sources.Prefix()+"alice/files/h.1", blobkey.Sources.Prefix()+"alice/visits/a.json")
	body := blobkey.Body("t1", hash("x"))
	w.append(template.Stream("t1"), alice, template.Created{Account: alice, Name: "t", Body: template.Body{Hash: hash("x")}, At: t0},
		template.Published{Change: 1, Example: template.Example{Video: "library/t1/1.mp4", Thumbnail: "library/t1/1.jpg"}, At: t0})
	if err := w.files.Put(t.Context(), body, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	w.put("library/t1/1.mp4", "library/t1/1.jpg")
	expires := t0.Add(72 * time.Hour)
	w.append(preload.Stream("p1"), alice, preload.Requested{Account: alice, Items: []preload.Item{{ID: "a"}}, DocumentHash: hash("batches/alice/p1.json"), At: t0},
		preload.ItemFinished{Index: 0, Attempt: 1, Worker: "w", Result: preload.Result{Key: "preloads/alice/p1/0/a.png", ExpiresAt: &expires}, At: t0})
	w.put("batches/alice/p1.json", "preloads/alice/p1/0/a.png")
	return w
}

// TestRun finds every class of damage, and nothing where there is none.
func TestRun(t *testing.T) {
	t.Parallel()
	everything(t).wantFindings(everything(t).config())
	w := everything(t)
	w.wantFindings(w.config())
	blob := blobkey.MediaFile(alice, "entry", "upload")
	body := blobkey.Body("t1", hash("x"))
	required := []string{
		"movies/alice/finished.json", "movies/alice/waiting.json", "renders/finished/1.mp4", "renders/finished/1.jpg", "renders/finished/1.ass", blob, body,
		"library/t1/1.mp4", "library/t1/1.jpg", "batches/alice/p1.json", "preloads/alice/p1/0/a.png",
	}
	for _, key := range required {
		w := everything(t)
		if err := w.files.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		w.wantFindings(w.config(), "missing "+key)
	}
	for _, key := range []string{"movies/alice/finished.json", "renders/finished/1.mp4", blob, body, "batches/alice/p1.json"} {
		w := everything(t)
		if err := w.files.Put(t.Context(), key, strings.NewReader("cut")); err != nil {
			t.Fatal(err)
		}
		w.wantFindings(w.config(), "damaged "+key)
	}
	w.movie(alice, "another", "") // changed in place, of the same size
	if err := w.files.Put(t.Context(), "renders/another/1.mp4", strings.NewReader("movie of Another")); err != nil {
		t.Fatal(err)
	}
	w.wantFindings(w.config(), "damaged renders/another/1.mp4")
	quick := w.config()
	quick.Quick = true
	w.wantFindings(quick)
	for _, key := range []string{
		"movies/alice/other.json", "renders/other/1.mp4", "renders/finished/2.mp4", "renders/deleted/1.mp4", "media/alice/other-upload", "templates/t2/x.json",
		"library/t2/1.mp4", "batches/alice/p2.json", "preloads/alice/p2/0/a.png", "unheard/of",
	} {
		w := everything(t)
		w.put(key)
		w.wantFindings(w.config(), "orphaned "+key)
		young := w.config()
		young.Now = func() time.Time { return t0.Add(23 * time.Hour) }
		w.wantFindings(young)
	}
}

// TestRun_departed: of a closed account nothing is missing.
func TestRun_departed(t *testing.T) {
	t.Parallel()
	w := everything(t)
	w.append(account.Stream(alice), alice, account.Opened{Name: "a", At: t0}, account.Closed{At: t0})
	for _, prefix := range []string{"movies/", "renders/", "media/", "preloads/", "batches/"} {
		keys, err := w.files.List(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if err := w.files.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.wantFindings(w.config())
}

// TestRun_deletedMeanwhile: what is deleted, or stored, while the check runs is no finding.
func TestRun_deletedMeanwhile(t *testing.T) {
	t.Parallel()
	w := everything(t)
	config := w.config()
	opened := false
	config.Files = opening{w.files, func(key string) {
		if opened {
			return
		}
		opened = true // the log has been read
		w.append(movie.Stream("finished"), alice, movie.FileDeleted{Reason: movie.ByUser, At: t0})
		for _, ending := range []string{"mp4", "jpg", "ass"} {
			if err := w.files.Delete(t.Context(), "renders/finished/1."+ending); err != nil {
				t.Error(err)
			}
		}
		w.movie(bob, "late", "")
	}}
	w.wantFindings(config)
}

// TestRun_closedMeanwhile: what is removed because its account is closed, or purged, while the check runs is no finding.
func TestRun_closedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prefixes []string
		stream   string
		events   []domain.Event
		early    bool // the log has the events before the check begins
	}{
		"closed":        {[]string{""}, account.Stream(alice), []domain.Event{account.Opened{Name: "a", At: t0}, account.Closed{At: t0}}, false},
		"closed before": {[]string{""}, account.Stream(alice), []domain.Event{account.Opened{Name: "a", At: t0}, account.Closed{At: t0}}, true},
		"purged":        {[]string{"preloads/"}, ledger.Stream(alice), []domain.Event{ledger.ZeroBalancePurged{Since: t0, At: t0}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := everything(t)
			rows := blobkey.BatchRows(alice, "b1")
			w.append(batch.Stream("b1"), alice, batch.Requested{Account: alice, RowsHash: hash(rows), Rows: []batch.Row{{}}, At: t0})
			w.put(rows)
			w.wantFindings(w.config())
			end := sync.OnceFunc(func() {
				w.append(tt.stream, alice, tt.events...)
				for _, prefix := range tt.prefixes {
					keys, err := w.files.List(t.Context(), prefix)
					for _, key := range keys {
						err = errors.Join(err, w.files.Delete(t.Context(), key))
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
			if tt.early {
				end()
			}
			config := w.config()
			config.Files = opening{w.files, func(string) { end() }} // the log has been read
			w.wantFindings(config)
		})
	}
}

// TestRun_manyUnreadable: events that cannot be read are counted, and the first of them are listed.
func TestRun_manyUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := make([]eventstore.Proposed, 10_003)
	for i := range events {
		events[i] = eventstore.Proposed{ID: uuid.New(), Type: movie.Submitted{}.EventType(), Data: []byte("{"), Metadata: []byte("{")}
	}
	if _, err := w.log.Store().Append(t.Context(), movie.Stream("broken"), eventstore.NoStream, events...); err != nil {
		t.Fatal(err)
	}
	report, err := check.Run(t.Context(), w.config())
	if err != nil || report.Events != 10_003 || len(report.Findings) != 10_000 || report.Unlisted != 3 || report.Left() != 10_003 {
		t.Errorf("%d events, %d findings, %d not listed, %d left, %v", report.Events, len(report.Findings), report.Unlisted, report.Left(), err)
	}
}

type opening struct {
	commands.Files
	before func(key string)
}

func (o opening) Open(ctx context.Context, key string) (commands.File, error) {
	o.before(key)
	return o.Files.Open(ctx, key)
}

// TestRun_unread: an event that a newer version has written is a finding, and the files of its stream are neither missing
// nor orphans.
func TestRun_unread(t *testing.T) {
	t.Parallel()
	w := everything(t)
	config := w.config()
	config.Log = eventstore.NewLog(w.log.Store(), eventstore.NewCodec().Without("RenderFinished"))
	config.Repair = true
	found := w.run(config)
	if len(found) != 2 || !strings.HasPrefix(found[0], "unread RenderFinished, event 2 of movie-") {
		t.Errorf("found %q", found)
	}
	w.wantFindings(w.config())
}

// TestRun_repair removes orphans, restores a movie from a copy of its file, and rebuilds the read models once.
func TestRun_repair(t *testing.T) {
	t.Parallel()
	w := everything(t)
	first := w.movie(alice, "first0", "")
	second := w.movie(alice, "second", "first0")
	if first.Size != second.Size {
		t.Fatal("a copy must be as long as its original")
	}
	if err := errors.Join(
		w.files.Delete(t.Context(), first.Key), w.files.Delete(t.Context(), "renders/finished/1.mp4"),
	); err != nil {
		t.Fatal(err)
	}
	w.put("renders/other/1.mp4")
	config := w.config()
	rebuilt := 0
	config.Verify = func(context.Context) ([]projections.Difference, error) {
		if rebuilt > 0 {
			return nil, nil
		}
		return []projections.Difference{{Model: "movies", ID: "first0", What: "missing"}, {Model: "balances", ID: "alice", What: "other"}}, nil
	}
	config.Rebuild = func(context.Context) error { rebuilt++; return nil }
	config.Repair = true
	w.wantFindings(config, "damaged balances/alice (repaired)", "missing movies/first0 (repaired)", "missing renders/finished/1.mp4",
		"missing renders/first0/1.mp4 (repaired)", "orphaned renders/other/1.mp4 (repaired)")
	w.wantFindings(config, "missing renders/finished/1.mp4")
	if rebuilt != 1 {
		t.Errorf("the read models were made again %d times", rebuilt)
	}
}

// TestRun_otherLog: beside a log that knows nearly nothing of the files, nothing is removed, also when the report cannot
// list all orphans.
func TestRun_otherLog(t *testing.T) {
	t.Parallel()
	for _, files := range []int{101, 20_100} {
		w := newWorld(t)
		for n := range files {
			w.put(fmt.Sprintf("renders/m%d/1.mp4", n))
		}
		config := w.config()
		config.Repair = true
		if _, err := check.Run(t.Context(), config); err == nil {
			t.Errorf("it said nothing of %d files", files)
		}
		if keys, err := w.files.List(t.Context(), ""); err != nil || len(keys) != files {
			t.Errorf("%d of %d files are left, %v", len(keys), files, err)
		}
	}
}

// TestRun_modelsAway: read models that cannot be read are not called damaged, and nothing is made again. Those that cannot be
// compared with the log are a finding.
func TestRun_modelsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := w.config()
	away, rebuilt := errors.New("server selection error"), 0
	config.Repair = true
	config.Rebuild = func(context.Context) error { rebuilt++; return nil }
	config.Verify = func(context.Context) ([]projections.Difference, error) { return nil, away }
	if report, err := check.Run(t.Context(), config); !errors.Is(err, away) || len(report.Findings) > 0 || rebuilt > 0 {
		t.Errorf("away: %+v, %v, made again %d times", report.Findings, err, rebuilt)
	}
	config.Verify = func(context.Context) ([]projections.Difference, error) {
		return nil, fmt.Errorf("%w: there are none", projections.ErrUnlike)
	}
	w.wantFindings(config, "damaged all (repaired)")
}
