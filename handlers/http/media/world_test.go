package media_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/commands/ledgers"
	"moviola/commands/mediafiles"
	"moviola/domain"
	"moviola/domain/account"
	domainmedia "moviola/domain/media"
	"moviola/domain/plan"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/http/access"
	"moviola/handlers/http/media"
	"moviola/projections"
)

const (
	alice = domain.AccountID("alice")
	bob   = domain.AccountID("bob")
)

// world is the interface on commands over a log in memory.
type world struct {
	t     *testing.T
	api   *media.API
	files *drain
	mux.Router
}

// drain counts the bytes of each stored file, and keeps none of them.
type drain struct {
	*commandstest.Files
	stored map[string]int64 // bytes, by key
}

func (d *drain) Put(ctx context.Context, key string, r io.Reader) error {
	n, err := io.Copy(io.Discard, r)
	if err == nil {
		d.stored[key] = n
	}
	return err
}

// shelves is a library with files in one folder, which counts what it is asked for.
type shelves struct {
	media.MediaReader // nil: nothing else is asked for
	names             []string
	asked             int // number of documents asked for
}

func (s *shelves) Folder(context.Context, domain.AccountID, string) (projections.MediaFolder, bool, error) {
	s.asked++
	return projections.MediaFolder{Path: "many", Files: int64(len(s.names))}, true, nil
}

func (s *shelves) Folders(context.Context, domain.AccountID, string, string, int) ([]projections.MediaFolder, error) {
	return nil, nil
}

func (s *shelves) Registered(context.Context, domain.AccountID, string) ([]projections.MediaFile, error) {
	return nil, nil
}

func (s *shelves) Files(_ context.Context, _ domain.AccountID, _ string, _ domainmedia.Kind, after string, limit int) ([]projections.MediaFile, error) {
	from, found := slices.BinarySearch(s.names, after)
	if found {
		from++
	}
	var files []projections.MediaFile
	for _, name := range s.names[from:min(from+limit, len(s.names))] {
		files = append(files, projections.MediaFile{Name: name, Status: projections.MediaUploaded})
	}
	s.asked += len(files)
	return files, nil
}

type nobody struct{}

func (nobody) ActFor(_ *http.Request, c access.Call) (access.Call, error) { return c, nil }

func (nobody) WaitFor(context.Context, eventstore.Position) error { return nil }

func newWorld(t *testing.T, library media.MediaReader) *world {
	t.Helper()
	return newWorldOf(t, media.Config{Library: library})
}

// newWorldOf fills in what a configuration lacks.
func newWorldOf(t *testing.T, config media.Config) *world {
	t.Helper()
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	books := ledgers.New(log, time.Now)
	t.Cleanup(books.Close)
	for _, id := range []domain.AccountID{alice, bob} {
		if _, err := log.Append(t.Context(), account.Stream(id), eventstore.NoStream, eventstore.Meta{}, account.Opened{}); err != nil {
			t.Fatal(err)
		}
		if _, err := books.Grant(t.Context(), ledgers.Grant{Account: id, Reference: "some", Amount: 10}); err != nil {
			t.Fatal(err)
		}
	}
	storage := mediafiles.NewStorage(commands.NewStandings(log, books, plan.Plans{}, time.Now), books)
	addresses, err := domainmedia.NewAddresses("http://video.test", make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, files: &drain{Files: commandstest.NewFiles(time.Now), stored: map[string]int64{}}, Router: *mux.NewRouter()}
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	w.api, err = media.New(media.Config{
		Library: config.Library, Uploads: config.Uploads, Presign: config.Presign, Gate: nobody{}, Storage: storage.Since, Register: mediafiles.NewRegisterMediaHandler(log, storage, time.Now, time.Hour),
		Upload: mediafiles.NewUploadMediaHandler(log, w.files, storage, time.Now), Move: mediafiles.NewMoveMediaHandler(log, time.Now),
		Delete:  mediafiles.NewDeleteMediaHandler(log, w.files, time.Now, time.Hour),
		Folders: mediafiles.NewMediaFolderHandler(log, time.Now), Addresses: addresses, Projected: nobody{}, PublicURL: "http://video.test",
		CursorKey: make([]byte, 16), UploadKey: make([]byte, 16), Log: silent,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.api.Routes(&w.Router)
	return w
}

// call serves an operation for alice and decodes its answer; a refusal is returned.
func (w *world) call(method, path, query, body string, into any) error {
	w.t.Helper()
	return w.callAs(alice, method, path, query, body, into)
}

func (w *world) callAs(account domain.AccountID, method, path, query, body string, into any) error {
	w.t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, operation := range w.api.Operations() {
		if operation.Method != method || operation.Path != path {
			continue
		}
		answer := httptest.NewRecorder()
		err := operation.Serve(answer, httptest.NewRequest(method, path, strings.NewReader(body)), access.Call{Account: account, Query: values})
		if err == nil {
			err = json.Unmarshal(answer.Body.Bytes(), into)
		}
		return err
	}
	w.t.Fatalf("no operation %s %s", method, path)
	return nil
}

// register registers a file and returns the path of its upload's address.
func (w *world) register(name string, size int64) (string, error) {
	w.t.Helper()
	return w.registerAs(alice, name, size)
}

func (w *world) registerAs(account domain.AccountID, name string, size int64) (string, error) {
	w.t.Helper()
	var got struct{ UploadURL string }
	err := w.callAs(account, http.MethodPost, "/v2/media/file", "", fmt.Sprintf(`{"name":%q,"contentType":"a/b","size":%d}`, name, size), &got)
	return strings.TrimPrefix(got.UploadURL, "http://video.test"), err
}

// refusal is the status and the text of an error that clients see.
func refusal(err error) (domain.Kind, string) {
	var fault *domain.Error
	if errors.As(err, &fault) {
		return fault.Kind, fault.Message
	}
	return 0, fmt.Sprint(err)
}
