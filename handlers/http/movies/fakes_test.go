package movies_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/commands/previews"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/key"
	"moviola/domain/lint"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/movies"
	"moviola/handlers/http/web"
	"moviola/projections"
	"moviola/projections/keyring"
)

// now is the time of every test.
var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// The accounts of the tests.
const (
	alice = domain.AccountID("alice00000000000")
	bob   = domain.AccountID("bob0000000000000")
)

var errStore = errors.New("the store at 10.1.2.3 is away")

// world stands for everything behind the interface, in memory, with the behaviour of the real parts.
type world struct {
	mu        sync.Mutex
	movies    map[string]projections.Movie
	keys      map[string]projections.Key
	files     map[string][]byte
	presence  map[string]projections.Presence
	available map[domain.AccountID]int64
	suspended map[domain.AccountID]*domain.Error
	waited    []eventstore.Position
	asked     []projections.MovieList
	lookOnly  bool // lists are searched without finding a movie, and more may follow
	submitted []commands.SubmitMovie
	broken    string // the part that fails
	panics    bool
	handler   http.Handler
	values    map[string]string // key values, by name
	log       *bytes.Buffer
	logger    *logrus.Logger
	opened    int // number of documents opened
	plans     map[domain.AccountID]string
	origins   []string       // of pages that may use the interface
	streams   movies.Streams // of GET /movies/progress
	api       *movies.API
	again     []deliveries.RequestRedelivery
	histories map[string][]projections.HistoryEntry
	drawn     []previews.Draw
	undrawn   error // error with which a preview ends; nil: it is drawn
	outside   movies.Outside
	onBoard   func()         // runs before the presence board answers
	vault     commands.Vault // decrypts the documents; nil: none is encrypted
}

// operatorToken is what an operator shows.
const operatorToken = "the operator's token"

func newWorld(t testing.TB, prepare ...func(*world)) *world {
	t.Helper()
	w := &world{
		movies: map[string]projections.Movie{}, keys: map[string]projections.Key{}, files: map[string][]byte{},
		presence: map[string]projections.Presence{}, available: map[domain.AccountID]int64{alice: 550},
		suspended: map[domain.AccountID]*domain.Error{}, histories: map[string][]projections.HistoryEntry{}, plans: map[domain.AccountID]string{alice: plan.Paid, bob: plan.Paid}, values: map[string]string{}, log: &bytes.Buffer{},
	}
	for _, change := range prepare {
		change(w)
	}
	past, future := now.Add(-time.Second), now.Add(time.Second)
	for _, role := range []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin} {
		w.issue(t, string(role), projections.Key{Account: string(alice), Role: role})
	}
	w.issue(t, "bob", projections.Key{Account: string(bob), Role: key.Admin})
	w.issue(t, "expired", projections.Key{Account: string(alice), Role: key.Admin, ExpiresAt: &now})
	w.issue(t, "expires soon", projections.Key{Account: string(alice), Role: key.Admin, ExpiresAt: &future})
	w.issue(t, "revoked", projections.Key{Account: string(alice), Role: key.Admin, RevokedAt: &past})
	w.issue(t, "roleless", projections.Key{Account: string(alice), Role: "owner"})
	unknown, err := key.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w.values["unknown"] = unknown
	w.values["garbage"] = "letmein"
	w.values["mistyped"] = w.values["admin"][:len(w.values["admin"])-1] + "!"
	log := logrus.New()
	w.logger = log
	log.SetOutput(w.log)
	gate := access.New(access.Config{
		Keys: keys{w}, Operator: web.NewOperatorToken(operatorToken, 0, nil), CORSOrigins: w.origins, Log: log,
	})
	var stored movies.Files = files{w}
	if w.vault != nil {
		stored = commands.SealDocuments(decrypted{files: files{w}}, w.vault)
	}
	w.api, err = movies.New(movies.Config{
		Movies: lists{w}, Gate: gate, Accounts: accounts{w}, Balances: balances{w}, Presence: presence{w}, Files: stored, Submit: submit{w},
		Previews: drawings{w},
		Delete:   remove{w}, Cancel: cancel{w}, Redeliver: redeliver{w}, History: lists{w},
		Streams: w.streams, Projected: projected{w}, PublicURL: "https://video.example", Tokens: result.NewTokens([]byte("tokens")), CursorKey: []byte("0123456789abcdef0123456789abcdef"),
		Outside: w.outside, Now: func() time.Time { return now }, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	gate.Routes(router, w.api.Operations()...)
	w.handler = web.Wrap(router, log)
	return w
}

func (w *world) issue(t testing.TB, name string, k projections.Key) {
	t.Helper()
	value, err := key.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	k.Hash = key.Hash(value)
	w.values[name], w.keys[k.Hash] = value, k
}

// add puts a movie and its document where the real parts would have put them.
func (w *world) add(m projections.Movie, doc string) {
	m.DocumentSize = int64(len(doc))
	w.movies[m.Project] = m
	w.files[blobkey.Document(domain.AccountID(m.Account), domain.ProjectID(m.Project))] = []byte(doc)
}

// call makes a request with the key of a name; no name, no header.
func (w *world) call(method, path, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("x-api-key", w.values[key])
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

type (
	lists     struct{ *world }
	keys      struct{ *world }
	accounts  struct{ *world }
	balances  struct{ *world }
	presence  struct{ *world }
	files     struct{ *world }
	submit    struct{ *world }
	remove    struct{ *world }
	cancel    struct{ *world }
	redeliver struct{ *world }
	projected struct{ *world }
)

func (w lists) Get(_ context.Context, project domain.ProjectID) (projections.Movie, bool, error) {
	if w.broken == "movies" {
		return projections.Movie{}, false, errStore
	}
	if w.panics {
		panic("a bug")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m, ok := w.movies[string(project)]
	return m, ok, nil
}

func (w lists) List(_ context.Context, list projections.MovieList) (projections.MoviePage, error) {
	if w.broken == "movies" {
		return projections.MoviePage{}, errStore
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, list)
	if w.lookOnly {
		return projections.MoviePage{More: true, Next: &projections.MovieCursor{CreatedAt: now, Project: "Movie00000000000"}}, nil
	}
	var all []projections.Movie
	for _, m := range w.movies {
		inRange := !m.CreatedAt.Before(list.From) && (list.To.IsZero() || !m.CreatedAt.After(list.To)) && (list.Status == "" || list.Status == m.Status)
		if m.Account == string(list.Account) && inRange && (list.MovieCursor == nil || comesAfter(*list.MovieCursor, m)) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b projections.Movie) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(b.Project, a.Project)
	})
	if len(all) > list.Limit {
		last := all[list.Limit-1].Cursor()
		return projections.MoviePage{Movies: all[:list.Limit], More: true, Next: &last}, nil
	}
	return projections.MoviePage{Movies: all}, nil
}

func comesAfter(at projections.MovieCursor, m projections.Movie) bool {
	return m.CreatedAt.Before(at.CreatedAt) || m.CreatedAt.Equal(at.CreatedAt) && m.Project < string(at.Project)
}

func (w keys) Holder(_ context.Context, hash string) (keyring.Holder, bool, error) {
	if w.broken == "keys" {
		return keyring.Holder{}, false, errStore
	}
	k, ok := w.keys[hash]
	valid := ok && k.RevokedAt == nil && (k.ExpiresAt == nil || now.Before(*k.ExpiresAt))
	return keyring.Holder{Account: domain.AccountID(k.Account), Role: k.Role}, valid, nil
}

func (w balances) Get(_ context.Context, account domain.AccountID) (projections.Balance, error) {
	if w.broken == "balances" {
		return projections.Balance{}, errStore
	}
	return projections.Balance{Account: string(account), Available: w.available[account], Period: "2026-11", Movies: 3, Drafts: 401}, nil
}

func (w accounts) Get(_ context.Context, account domain.AccountID) (projections.Account, bool, error) {
	if w.broken == "accounts" {
		return projections.Account{}, false, errStore
	}
	return projections.Account{Account: string(account), Plan: w.plans[account]}, true, nil
}

func (w presence) Of(_ context.Context, work string) (projections.Presence, bool, error) {
	if w.onBoard != nil {
		w.onBoard()
	}
	p, ok := w.presence[work]
	return p, ok, nil
}

// stored is an open file.
type stored struct{ *bytes.Reader }

func (stored) Close() error       { return nil }
func (stored) ModTime() time.Time { return now }
func (s stored) Size() int64      { return s.Reader.Size() }

// decrypted has the documents for a reader that decrypts them. It only opens files.
type decrypted struct {
	unusable
	files
}

type unusable struct{ commands.Files }

func (d decrypted) Open(ctx context.Context, name string) (commands.File, error) {
	return d.files.Open(ctx, name)
}

func (w files) Open(_ context.Context, name string) (commands.File, error) {
	if w.broken == "files" {
		return nil, errStore
	}
	w.opened++
	content, ok := w.files[name]
	if !ok {
		return nil, commands.ErrFileNotFound
	}
	return stored{bytes.NewReader(content)}, nil
}

func (w submit) Admit(_ context.Context, account domain.AccountID, _ string) error {
	if refusal := w.suspended[account]; refusal != nil {
		return refusal
	}
	return nil
}

func (w submit) Handle(_ context.Context, cmd commands.SubmitMovie) (commands.Submission, error) {
	if w.broken == "submit" {
		return commands.Submission{}, errStore
	}
	if _, err := document.Parse(cmd.Body); err != nil {
		return commands.Submission{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.submitted = append(w.submitted, cmd)
	project := "NewProject" + strings.Repeat("0", 5) + string(rune('0'+len(w.submitted)))
	w.add(projections.Movie{Project: project, Account: string(cmd.Account), Status: projections.StatusPending, CreatedAt: now}, string(cmd.Body))
	position := eventstore.Position{Commit: uint64(100 - len(w.submitted))}
	return commands.Submission{Project: domain.ProjectID(project), At: now, Position: position}, nil
}

func (w submit) Preview(_ context.Context, account domain.AccountID, body []byte) (lint.Input, error) {
	if w.broken == "preview" {
		return lint.Input{}, errStore
	}
	in := lint.Read(body)
	switch m := in.Movie; {
	case in.Refused != nil:
	case m.Template != "":
		in.Movie = nil
		in.Refused = domain.Errorf(domain.NotFound, "template_not_found", "Template not found")
	default:
		in.Refused = plan.Plans{}.Of(w.plans[account]).CheckSize(m.Width, m.Height)
	}
	return in, nil
}

func (w remove) Handle(_ context.Context, cmd commands.DeleteFile) (commands.Deletion, error) {
	if w.broken == "delete" {
		return commands.Deletion{}, errStore
	}
	m, ok := w.movies[string(cmd.Project)]
	switch {
	case !ok || m.Account != string(cmd.Account):
		return commands.Deletion{}, domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", cmd.Project)
	case m.Status == projections.StatusPending || m.Status == projections.StatusRunning:
		return commands.Deletion{}, domain.Errorf(domain.Conflict, "movie_still_rendering",
			"Movie %s is still rendering. Wait until it finishes before deleting it.", cmd.Project)
	case m.DeletedAt == nil:
		m.DeletedAt, m.Gone = &now, true
		w.movies[m.Project] = m
	}
	return commands.Deletion{At: *m.DeletedAt, Position: eventstore.Position{Commit: 7}}, nil
}

func (w cancel) Handle(_ context.Context, cmd commands.CancelMovie) (commands.Cancellation, error) {
	if w.broken == "cancel" {
		return commands.Cancellation{}, errStore
	}
	m, ok := w.movies[string(cmd.Project)]
	switch {
	case !ok || m.Account != string(cmd.Account):
		return commands.Cancellation{}, domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", cmd.Project)
	case m.Status != projections.StatusPending && m.Status != projections.StatusRunning:
		return commands.Cancellation{}, domain.Errorf(domain.Conflict, "movie_already_finished", "Movie %s has already finished", cmd.Project)
	}
	w.change(m.Project, func(m *projections.Movie) {
		m.Status, m.Closed, m.Message = projections.StatusError, true, "Movie was cancelled"
	})
	return commands.Cancellation{At: now, Position: eventstore.Position{Commit: 8}}, nil
}

func (w redeliver) Handle(_ context.Context, cmd deliveries.RequestRedelivery) (eventstore.Position, error) {
	m, ok := w.movies[string(cmd.Project)]
	switch {
	case !ok || m.Account != string(cmd.Account):
		return eventstore.Position{}, domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", cmd.Project)
	case !m.Closed:
		return eventstore.Position{}, domain.Errorf(domain.Conflict, "delivery_in_progress", "A delivery of movie %s is in progress", cmd.Project)
	}
	w.again = append(w.again, cmd)
	return eventstore.Position{Commit: 12}, nil
}

func (w lists) History(_ context.Context, account domain.AccountID, project domain.ProjectID) ([]projections.HistoryEntry, bool, error) {
	if w.broken == "movies" {
		return nil, false, errStore
	}
	m, ok := w.movies[string(project)]
	return w.histories[string(project)], ok && m.Account == string(account), nil
}

// change replaces a movie while streams may be reading it.
func (w *world) change(project string, step func(*projections.Movie)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.movies[project]
	step(&m)
	w.movies[project] = m
}

func (w projected) WaitFor(_ context.Context, position eventstore.Position) error {
	w.waited = append(w.waited, position)
	return nil
}

var _ io.ReadSeekCloser = stored{}

// done is a finished movie.
func done(project string, created time.Time) projections.Movie {
	started, ended := created.Add(time.Second), created.Add(2122*time.Millisecond)
	integrated := -14.2
	return projections.Movie{
		Project: project, Account: string(alice), Status: projections.StatusDone, Closed: true, CreatedAt: created,
		StartedAt: &started, EndedAt: &ended, Attempt: 1, Credits: 11,
		Plan: &movie.Dimensions{Width: 1920, Height: 1080, Frames: 251, FPSNum: 25, FPSDen: 1},
		File: &movie.File{Key: "k", Thumbnail: "t", Subtitles: "s", Token: "0123456789abcdef0123456789abcdef", Size: 4096,
			Loudness: &movie.Loudness{Integrated: &integrated, TruePeak: -1.1}},
	}
}
