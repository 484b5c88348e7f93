package blackbox_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/blobs"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	server "moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
	"moviola/handlers/background/chores"
	"moviola/internal/app/roads"
	"moviola/internal/secret"
	"moviola/projections"
	"moviola/tests/harness"
)

// archiveFiles are archive files in the storage of an installation.
type archiveFiles struct{ *blobs.Bucket }

func (f archiveFiles) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	return f.Bucket.Open(ctx, key)
}

// archiveAll archives every movie that has ended in a stopped installation, as its keeper would an hour and a half from now, and
// removes the archived events from the log. It returns how many events the log has of each stream.
func archiveAll(t *testing.T, data string) map[string]int {
	t.Helper()
	log, err := server.Open(server.Config{Dir: filepath.Join(data, "events"), NeedsPass: true})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- log.Serve() }()
	client, err := eventstoredb.Open(eventstoredb.Config{Addr: log.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	files, err := blobs.Open(t.Context(), filepath.Join(data, "files"), blobkey.DocumentPrefixes()...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(files.Close(), client.Close(context.Background()), log.Close(context.Background()), <-served); err != nil {
			t.Error(err)
		}
	}()
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	archive := archived.New(client, archiveFiles{files}, movie.StreamCategory, ledger.StreamCategory)
	archive.CollapseIf(client.Collapses)
	chore := chores.History(chores.HistoryConfig{
		Archive: archive, Codec: eventstore.NewCodec().WithoutPersonal(), Age: time.Hour, Logger: logger,
	})
	if err := chore.Do(t.Context(), time.Now().Add(90*time.Minute)); err != nil {
		t.Fatal(err)
	}
	archiveLedgers(t, data, archive)
	if _, err := eventstoredb.Scavenge(t.Context(), eventstoredb.Config{Addr: log.Addr()}); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for event, err := range client.ReadAll(t.Context(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		count[event.Stream]++
	}
	return count
}

// streamAccounts are the accounts that have a ledger in a log.
type streamAccounts struct{ log eventstore.Store }

func (s streamAccounts) Page(ctx context.Context, _ projections.AccountQuery) (page []projections.Account, more bool, err error) {
	seen := map[string]bool{}
	for event, err := range s.log.ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			return nil, false, err
		}
		if category, id := eventstore.SplitStream(event.Stream); category == ledger.StreamCategory && !seen[id] {
			seen[id] = true
			page = append(page, projections.Account{Account: id})
		}
	}
	return page, false, nil
}

// archiveLedgers archives all events of ledgers, and drops the snapshots, so that opening balances are all that processes start from.
func archiveLedgers(t *testing.T, data string, archive *archived.Store) {
	t.Helper()
	log := eventstore.NewLog(archive, eventstore.NewCodec())
	master, err := secret.Load(data, false)
	if err != nil {
		t.Fatal(err)
	}
	key, err := roads.AnchorKey(master)
	if err != nil {
		t.Fatal(err)
	}
	books := ledgers.New(log, time.Now, ledgers.SignedWith(key))
	defer books.Close()
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	chore := chores.Ledgers(chores.LedgersConfig{
		Accounts: streamAccounts{archive}, Openings: books, Archive: archive, Least: 1, Logger: logger,
		Age: func(context.Context, domain.AccountID) (time.Duration, error) { return time.Hour, nil },
	})
	if err := chore.Do(t.Context(), time.Now().AddDate(0, 0, 40)); err != nil {
		t.Fatal(err)
	}
	for event, err := range archive.ReadAll(t.Context(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		if category, _ := eventstore.SplitStream(event.Stream); category != ledger.SnapshotCategory {
			continue
		}
		if err := eventstore.Discard(t.Context(), archive, event.Stream, event.Revision); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHistory archives every movie, and all entries of the ledgers, of an installation in which every kind of work has happened. The read models are made anew from log
// and archive, every answer is the same, check and audit find nothing, and old movies can be sent again and deleted. So it is after a
// backup and its restore, and a copy of the log has everything without the archive.
func TestHistory(t *testing.T) {
	t.Parallel()
	picture, host := servePicture(t)
	receiver := harness.NewReceiver(t)
	flags := []string{"--allow-host", host, "--allow-host", receiver.Host}
	service := harness.NewService(t, flags...)
	base := service.Client("").Base
	service.StartAPI("--public-url", base)
	w := workOf(t, service, picture, receiver.URL)
	before := settle(t, service.Data)
	plain := filepath.Join(t.TempDir(), "plain")
	moviola(t, "backup", "--data", service.Data, "--to", plain)

	old := harness.NewService(t, append(slices.Clone(flags), "--history", "1h")...)
	moviola(t, "restore", "--from", plain, "--data", old.Data)
	inLog := archiveAll(t, old.Data)
	movies, err := logfile.Streams(t.Context(), filepath.Join(old.Data, "events"), movie.StreamCategory+"-", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	archived := 0
	for _, one := range movies {
		if one.Collapsed {
			archived++
		}
	}
	if archived < 4 || inLog["movie-"+w.film] != 0 || inLog["ledger-default"] != 1 || inLog["ledgeropening-default"] != 1 {
		t.Fatalf("the log has %v", inLog)
	}
	old.StartAPI("--public-url", base) // without read models: a restore brings none
	w.alike(t, old)
	checked(t, old.Data, 0)
	if after := settle(t, old.Data); after != before {
		t.Errorf("the audits differ: %s, archived %s", before, after)
	}
	moviola(t, "rebuild", "--data", old.Data)
	w.alike(t, old)

	again := filepath.Join(t.TempDir(), "again")
	moviola(t, "backup", "--data", old.Data, "--to", again)
	restored := harness.NewService(t, flags...)
	moviola(t, "restore", "--from", again, "--data", restored.Data)
	restored.StartAPI("--public-url", base)
	w.alike(t, restored)
	restored.API.Terminate()

	target, addr := filepath.Join(t.TempDir(), "copy"), harness.FreeAddr(t)
	store := harness.StartEventStore(t, target, addr)
	said := moviola(t, "eventstore", "copy", "--data", filepath.Join(restored.Data, "events"), "--to", "esdb://"+addr+"?tls=false")
	if !strings.Contains(said, "the same") || !strings.Contains(said, " 0 placeholders") {
		t.Errorf("the copy said %s", said)
	}
	if got := harness.OpenLog(t, addr).Count("movie-" + w.film); got["MovieSubmitted"] != 1 || got["DeliveryFinished"] != 1 {
		t.Errorf("the copy has of the movie %v", got)
	}
	report, err := exec.CommandContext(t.Context(), harness.Binary(t), "audit", "--log-only", "--data", t.TempDir(), "--eventstore", "esdb://"+addr+"?tls=false").Output()
	if err != nil || !strings.Contains(string(report), before) {
		t.Errorf("the audit of the copy: %v\n%s", err, report)
	}
	store.Terminate()

	c := old.Client(w.Key)
	w.Client = c
	w.do(t, http.MethodPost, "/movies/redeliver?project="+w.film, nil, nil)
	eventsOf := func() string { return string(c.Do(http.MethodGet, "/movies/events?project="+w.film, nil).Body) }
	harness.Eventually(t, "the archived movie has been sent again", func() bool {
		return strings.Count(eventsOf(), `"DeliveryFinished"`) == 2
	})
	w.do(t, http.MethodDelete, "/movies?project="+w.film, nil, nil)
	events := eventsOf()
	for _, want := range []string{"MovieSubmitted", "RenderFinished", "RedeliveryRequested", "FileDeleted"} {
		if strings.Count(events, `"`+want+`"`) != 1 {
			t.Errorf("%s is not among the events once: %s", want, events)
		}
	}
	w.delivers(t, old)
	settle(t, old.Data)
}
