package commands

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/idempotency"
	"moviola/domain/ledger"
	"moviola/domain/lint"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/internal/fair"
)

// submitLimit is how long a submission may append. It is well below the age at which a hold without movie is abandoned.
const submitLimit = 12 * time.Second

// cleanupLimit is for taking back what a refused submission has stored.
const cleanupLimit = 2 * time.Second

// SubmitMovie asks for a render.
type SubmitMovie struct {
	Account domain.AccountID
	Body    []byte // the movie JSON as it was posted
	// IdempotencyKey makes a repetition get the first answer again: 1 to 255 characters, remembered for 24 hours; empty: none.
	// Decision 25.
	IdempotencyKey string
	MaxCredits     int64 // the most that the movie may cost; 0: as much as it does. Decision 75
}

// Submission is an accepted movie.
type Submission struct {
	Project  domain.ProjectID
	At       time.Time
	Position eventstore.Position
}

// SubmitMovieConfig is what NewSubmitMovieHandler needs. Every field but Plans, Growth and Room is required.
type SubmitMovieConfig struct {
	Log        *eventstore.Log
	Ledgers    *ledgers.Ledgers
	Files      Files
	Plans      plan.Plans              // the zero Plans are the built-in ones
	NewProject func() domain.ProjectID // NewProjectID outside of tests
	Now        func() time.Time
	Growth     *fair.Budget // what movies may take that grow while they are read; nil: as much as they need
	// Room refuses an account whose rendered files take as much as they may; nil: they may take everything. Decision 71.
	Room func(ctx context.Context, account string) error
}

// SubmitMovieHandler handles SubmitMovie.
type SubmitMovieHandler struct {
	movies     Movies
	templates  Templates
	plans      *AccountPlans
	ledgers    *ledgers.Ledgers
	files      Files
	newProject func() domain.ProjectID
	growth     *fair.Budget
	room       func(ctx context.Context, account string) error
}

// NewSubmitMovieHandler returns a handler.
func NewSubmitMovieHandler(cfg SubmitMovieConfig) SubmitMovieHandler {
	return SubmitMovieHandler{
		movies:     NewMovies(cfg.Log, cfg.Now),
		templates:  NewTemplates(cfg.Log, cfg.Files),
		plans:      NewAccountPlans(cfg.Log, cfg.Now, cfg.Plans),
		ledgers:    cfg.Ledgers,
		files:      cfg.Files,
		newProject: cfg.NewProject,
		growth:     cfg.Growth,
		room:       cfg.Room,
	}
}

// Admit refuses an account that may not submit anything now, whatever it costs. It is asked before the body is read (decision
// 4). Accounts on counted plans are never suspended (decision 36), and an answer that was given under an idempotency key is
// given again whatever has become of the account since (decision 25): Handle decides that with the body. The key is empty
// when there is none.
func (h SubmitMovieHandler) Admit(ctx context.Context, account domain.AccountID, idempotencyKey string) error {
	allowed, err := h.plans.Of(ctx, account)
	if err != nil || allowed.Counted {
		return err
	}
	refused := h.ledgers.Expect(ctx, account, (*ledger.Ledger).Admit)
	if refused == nil {
		return nil
	}
	if remembered, err := h.remembers(ctx, account, idempotencyKey); err != nil || remembered {
		return err
	}
	return refused
}

// Handle accepts the movie or refuses it with the *domain.Error of spec: Errors, POST /movies. A crash at any point neither
// loses an accepted movie nor charges for nothing: the document comes first, then the hold, then MovieSubmitted; a hold whose
// movie never came is closed by AbandonSubmission. With an idempotency key, whoever repeats the request takes the same steps
// for the same project.
func (h SubmitMovieHandler) Handle(ctx context.Context, cmd SubmitMovie) (Submission, error) {
	ctx, cancel := context.WithTimeout(ctx, submitLimit)
	defer cancel()
	before, err := h.earlier(ctx, cmd)
	for err == nil {
		if before.accepted != nil {
			return *before.accepted, nil
		}
		done, refused := h.accept(ctx, cmd, before.project)
		if refused == nil || cmd.IdempotencyKey == "" {
			return done, refused
		}
		// A request with the same key may have come in between, and hold what this one found missing.
		after, err := h.earlier(ctx, cmd)
		if err != nil || after.project == before.project && after.accepted == nil {
			return Submission{}, refused
		}
		before = after
	}
	return Submission{}, h.refusal(cmd.Account, err)
}

// accept takes the steps of a submission, for the project that an earlier request with the key may have reserved.
func (h SubmitMovieHandler) accept(ctx context.Context, cmd SubmitMovie, reserved domain.ProjectID) (Submission, error) {
	read, err := h.read(ctx, cmd)
	if err != nil {
		return Submission{}, h.refusal(cmd.Account, err)
	}
	terms, err := h.offer(ctx, cmd.Account, reserved, read.doc)
	if err == nil && !terms.plan.Counted {
		terms.most = cmd.MaxCredits
		err = plan.CheckCredits(terms.credits, terms.most)
	}
	if err != nil {
		return Submission{}, h.refusal(cmd.Account, err)
	}
	if h.room != nil {
		if err := h.room(ctx, string(cmd.Account)); err != nil {
			return Submission{}, fmt.Errorf("see what is rendered for %s: %w", cmd.Account, err)
		}
	}
	project, err := h.reserve(ctx, cmd)
	if err != nil {
		return Submission{}, h.refusal(cmd.Account, err)
	}
	if err := h.files.Put(ctx, blobkey.Document(cmd.Account, project), bytes.NewReader(read.body)); IsStorageFull(err) {
		return Submission{}, err
	} else if err != nil {
		refusal := domain.Errorf(domain.Internal, "movie_json_not_stored",
			"The movie could not be saved. Nothing was created or charged. Please try again.")
		return Submission{}, fmt.Errorf("store the document of %s: %w: %w", project, refusal, err)
	}
	if err := h.hold(ctx, cmd, project, terms); err != nil {
		return Submission{}, err
	}
	return h.submit(ctx, cmd, project, submittedOf(cmd.Account, read, terms))
}

// terms are what a submission is accepted on.
type terms struct {
	plan    plan.Plan
	draft   bool
	credits int64 // to be held; 0 on counted plans
	most    int64 // that the client is willing to pay; 0: any
}

func (t terms) quota() ledger.Quota { return quotaOf(t.plan) }

// offer prices a movie and refuses what is known now to be beyond the account's plan, or to cost more than it has. What an
// earlier request has held for the project is not asked for again. Decisions 16 and 17.
func (h SubmitMovieHandler) offer(
	ctx context.Context, account domain.AccountID, project domain.ProjectID, doc *document.Movie,
) (terms, error) {
	allowed, err := h.plans.Of(ctx, account)
	if err != nil {
		return terms{}, err
	}
	if err := allowed.CheckSize(doc.Width, doc.Height); err != nil {
		return terms{}, err
	}
	t := terms{plan: allowed, draft: doc.Draft}
	known := document.KnownLength(doc)
	if !allowed.Counted {
		t.credits = known
	}
	return t, h.ledgers.Expect(ctx, account, func(l *ledger.Ledger) error {
		if err := allowed.CheckLength(known, l.Totals().Pack); err != nil {
			return err
		}
		if _, _, held := l.OpenHold(project); held {
			return nil
		}
		if allowed.Counted {
			return l.AdmitCount(t.draft, t.quota(), h.movies.now.Stamp())
		}
		return l.Afford(t.credits)
	})
}

// reading is a body that was read.
type reading struct {
	body []byte // as it is stored: the one that was posted, or that of the movie to be rendered again
	full []byte // with the templates filled in
	doc  *document.Movie
	uses []movie.TemplateUse
	lint lint.Input // what the document is checked with
	part *fair.Part // of the budget of movies that grow; nil: none
}

// read parses the body. A reference to another movie of the account, alone in the body, is replaced by that movie's own
// document (decision 18). Beside a movie it is nothing: the Node SDK sends the project of a movie along when the movie is
// rendered again.
func (h SubmitMovieHandler) read(ctx context.Context, cmd SubmitMovie) (reading, error) {
	read, err := h.parse(ctx, cmd.Account, cmd.Body)
	if err != nil || read.doc.Project == "" || len(read.uses)+len(read.doc.Scenes)+len(read.doc.Elements) > 0 {
		return read, err
	}
	read.leave()
	project := read.doc.Project
	body, err := h.original(ctx, cmd.Account, domain.ProjectID(project))
	if err != nil {
		read.lint.Movie = nil // there is nothing to say of it but that it is not there
		return read, err
	}
	read, err = h.parse(ctx, cmd.Account, body)
	read.lint.Body.Template = project // what is found in it is not in the body that was posted
	return read, err
}

// parse reads a document, fills in the template that it refers to, and refuses what only its JSON can tell. With an error, lint
// has what was read until then. It waits for its turn first when the document may grow.
func (h SubmitMovieHandler) parse(ctx context.Context, account domain.AccountID, body []byte) (reading, error) {
	part, err := h.enter(ctx, account, body)
	if err != nil {
		return reading{}, err
	}
	r, err := h.parseNow(ctx, account, body)
	r.part = part
	r.stay(ctx)
	return r, err
}

func (h SubmitMovieHandler) parseNow(ctx context.Context, account domain.AccountID, body []byte) (reading, error) {
	r := reading{body: body, full: body, lint: lint.Read(body)}
	r.doc = r.lint.Movie
	if r.lint.Refused != nil {
		return r, r.lint.Refused
	}
	if document.NeedsTemplates(body) {
		r.doc, r.lint.Movie = nil, nil
		filled, err := h.templates.Fill(ctx, account, body)
		r.full, r.uses, r.lint.Templates = filled.Body, filled.Uses, filled.Texts
		if err != nil {
			return r, err
		}
		if r.doc, r.lint.Filled, err = document.ParseTree(filled.Body); err != nil {
			return r, err
		}
		r.lint.Movie = r.doc
	}
	return r, document.CheckAWSKeys(r.doc)
}

// submittedOf describes a movie. Its time is set when it is appended.
func submittedOf(account domain.AccountID, read reading, t terms) movie.Submitted {
	hash, echo := sha256.Sum256(read.body), result.ReadEcho(read.body)
	s := movie.Submitted{
		DocumentHash: hex.EncodeToString(hash[:]),
		DocumentSize: int64(len(read.body)),
		Held:         t.credits,
		MaxCredits:   t.most,
		Draft:        t.draft,
		Counted:      t.plan.Counted,
		Templates:    read.uses,
		Sources:      document.NamesFiles(read.doc),
		Warnings:     lint.Warnings(read.lint),
		Terms:        movie.Terms(account, echo.ID, echo.ClientData),
	}
	destinations, err := document.Destinations(read.doc)
	if err != nil {
		// Nothing is delivered, but the mistake is recorded as the result of one destination (decision 33).
		destinations = []document.Destination{{}}
	}
	for _, d := range destinations {
		s.Targets = append(s.Targets, movie.Target{Type: d.Type, ID: d.ID})
	}
	s.Destinations = len(s.Targets)
	return s
}

// original is the document of a finished movie of the account.
func (h SubmitMovieHandler) original(ctx context.Context, account domain.AccountID, project domain.ProjectID) ([]byte, error) {
	m, err := h.movies.Load(ctx, project)
	if err != nil {
		return nil, err
	}
	switch status := m.Status(); {
	case status == movie.Unknown || m.Account() != account:
		return nil, domain.Errorf(domain.NotFound, "movie_not_found", "Movie ID %s not found", project)
	case status == movie.Pending || status == movie.Running:
		return nil, domain.Errorf(domain.Invalid, "invalid_movie_status", "Invalid movie status")
	}
	submitted, _ := m.Submitted()
	body, err := readHashed(ctx, h.files, blobkey.Document(account, project), submitted.DocumentHash)
	if errors.Is(err, ErrDamaged) {
		refusal := domain.Errorf(domain.Internal, "movie_json_damaged",
			"The JSON of movie %s is damaged. Nothing was created or charged.", project)
		return nil, fmt.Errorf("%w: %w", refusal, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the document of %s: %w", project, err)
	}
	return body, nil
}

// hold holds the credits, or counts the movie. A refusal takes the document back; after any other failure the hold may stand,
// and the submission is abandoned later.
func (h SubmitMovieHandler) hold(ctx context.Context, cmd SubmitMovie, project domain.ProjectID, t terms) error {
	var err error
	if t.plan.Counted {
		_, err = h.ledgers.Count(ctx, ledgers.Count{Account: cmd.Account, Project: project, Draft: t.draft, Quota: t.quota()})
	} else {
		_, err = h.ledgers.Hold(ctx, ledgers.Hold{Account: cmd.Account, Project: project, Amount: t.credits})
	}
	var refusal *domain.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrHoldEnded) && cmd.IdempotencyKey != "":
		return nil // by another request with the key: the movie is there, or was abandoned, which its stream tells
	case errors.As(err, &refusal) && cmd.IdempotencyKey != "":
		return err // another request with the key may need the document; without a movie the sweep removes it
	case errors.As(err, &refusal):
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupLimit)
		defer cancel()
		if left := h.files.Delete(ctx, blobkey.Document(cmd.Account, project)); left != nil {
			err = fmt.Errorf("%w (and its document stays: %w)", err, left)
		}
		return err
	}
	return h.refusal(cmd.Account, err)
}

// submit appends MovieSubmitted. A stream that has another event already was abandoned: this request came too late.
func (h SubmitMovieHandler) submit(
	ctx context.Context, cmd SubmitMovie, project domain.ProjectID, s movie.Submitted,
) (Submission, error) {
	s.Account, s.At = cmd.Account, h.movies.now.Stamp()
	events, err := movie.New(project).Submit(s)
	if err != nil {
		return Submission{}, fmt.Errorf("submit movie %s: %w", project, err)
	}
	appended, err := h.movies.log.Append(ctx, movie.Stream(project), eventstore.NoStream,
		eventstore.MetaOf(ctx, cmd.Account, s.At), events...)
	if err != nil {
		return Submission{}, h.refusal(cmd.Account, err)
	}
	if cmd.IdempotencyKey == "" {
		return Submission{Project: project, At: s.At, Position: appended.Position}, nil
	}
	// Another request with the key may have been first: then the store took this append for a repetition.
	done, fate, err := h.accepted(ctx, project)
	if err == nil && fate != idempotency.Accepted {
		// What was just acknowledged is not there to be read: the answer is a failure, never an empty project. Decision 60.
		err = fmt.Errorf("movie %s was appended and cannot be read back: %w", project, eventstore.ErrUnavailable)
	}
	if err != nil {
		return Submission{}, h.refusal(cmd.Account, err)
	}
	return done, nil
}

// refusal is what a client reads when the store did not do its part. A *domain.Error, and no error, stay what they are.
func (h SubmitMovieHandler) refusal(account domain.AccountID, err error) error {
	var refusal *domain.Error
	if err == nil || errors.As(err, &refusal) || errors.Is(err, fair.ErrBusy) {
		return err
	}
	refusal = domain.Errorf(domain.Internal, "movie_not_created", "Error creating movie: the service is not able to store it "+
		"now. Please try again.")
	return fmt.Errorf("submit a movie of account %s: %w: %w", account, refusal, err)
}
