package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"moviola/commands/ledgers"
	"moviola/commands/storage"
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

// submitLimit is the time limit for a submission, and for each part of a request for a batch, such as holding the credits.
// It is well below the age at which a hold without a movie counts as abandoned.
const submitLimit = 12 * time.Second

// cleanupLimit is the time limit for removing the document of a refused submission.
const cleanupLimit = 2 * time.Second

// SubmitMovie requests a render.
type SubmitMovie struct {
	Account domain.AccountID
	Body    []byte // the movie JSON as it was posted
	// IdempotencyKey makes a retry return the first answer: 1 to 255 characters, valid for 24
	// hours; empty: no key. Decision 25.
	IdempotencyKey string
	MaxCredits     int64 // maximum price that the client accepts; 0: any price. Decision 75
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
	Plans      plan.Plans              // zero: the built-in plans
	NewProject func() domain.ProjectID // NewProjectID, except in tests
	Now        func() time.Time
	Growth     *fair.Budget // memory budget for parsing movies that grow by expansion; nil: no limit
	// Room refuses an account whose rendered files have reached their limit; nil: no limit. Decision 71.
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

// Admit refuses an account that may not submit anything now, at any price. It refuses none on a counted plan: those are never
// suspended (decision 36). It is called before the body of a submission is read (decision 4). A retry with the same idempotency
// key gets the first answer again, whatever has happened to the account since (decision 25): when a movie was accepted with the
// idempotency key, Admit does not refuse, and Handle decides with the body. idempotencyKey is empty when the request has none.
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
// loses an accepted movie nor charges for a movie that is not rendered: first the document is stored, then the hold is
// made, then MovieSubmitted is appended; AbandonSubmission closes a hold whose movie was never submitted. A retry with the
// same idempotency key goes on with the same project.
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
		// A concurrent request with the same idempotency key may have held the credits, which were then missing for this request.
		after, err := h.earlier(ctx, cmd)
		if err != nil || after.project == before.project && after.accepted == nil {
			return Submission{}, refused
		}
		before = after
	}
	return Submission{}, h.refusal(cmd.Account, err)
}

// accept takes the steps of a submission. reserved is the project that an earlier request with the same idempotency key has
// reserved, or empty.
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
	key := blobkey.Document(cmd.Account, project)
	if err := putDocument(ctx, h.files, key, read.body, read.full); storage.IsStorageFull(err) {
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

// terms are the plan and price of a submission.
type terms struct {
	plan    plan.Plan
	draft   bool
	credits int64 // credits to be held; 0 on counted plans
	most    int64 // maximum price that the client accepts; 0: any price
}

func (t terms) quota() ledger.Quota { return quotaOf(t.plan) }

// offer prices a movie and refuses a movie that is already known to exceed the account's plan, or to cost more than the
// account's credits. Credits that an earlier request has held for the project are not asked for again. Decisions 16 and 17.
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
	known := document.LeastCredits(doc)
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

// reading is a parsed body of a submission.
type reading struct {
	body []byte // what will be stored: the posted body, or the document of the movie to be rendered again
	full []byte // the document with its templates filled in
	doc  *document.Movie
	uses []movie.TemplateUse
	lint lint.Input // input for the checks of the document
	part *fair.Part // memory that is reserved for parsing; nil: none
}

// read parses the body. When the body only names another movie of the account, it uses that movie's document (decision 18). When
// the body names a movie and has one of its own, the name is ignored: the Node SDK sends both when a movie is rendered again.
func (h SubmitMovieHandler) read(ctx context.Context, cmd SubmitMovie) (reading, error) {
	read, err := h.parse(ctx, cmd.Account, cmd.Body)
	if err != nil || read.doc.Project == "" || len(read.uses)+len(read.doc.Scenes)+len(read.doc.Elements) > 0 {
		return read, err
	}
	read.leave()
	project := read.doc.Project
	body, err := h.original(ctx, cmd.Account, domain.ProjectID(project))
	if err != nil {
		read.lint.Movie = nil // nothing else can be checked without the document of the movie that the body names
		return read, err
	}
	read, err = h.parse(ctx, cmd.Account, body)
	read.lint.Body.Template = project // positions of findings refer to the referenced movie's document, not to the posted body
	return read, err
}

// parse reads a document, fills in the templates to which the document refers, and refuses errors that follow from its JSON
// and the templates alone. When parse returns an error, the field lint of the reading has the parts that were read before. A
// document that may grow by expansion first waits for its turn.
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
	return r, document.CheckCloudKeys(r.doc)
}

// submittedOf returns the event MovieSubmitted of a movie of an account. The caller sets Account, At, Batch and Row in it.
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
		Outputs:      outputsOf(read.doc, t.plan),
	}
	if refused := refusedOutputs(read.doc, s.Outputs); len(s.Warnings)+len(refused) <= maxOutputWarnings {
		s.Warnings = append(s.Warnings, refused...)
	}
	destinations, err := document.Destinations(read.doc)
	if err != nil {
		// The exports are invalid: nothing is delivered. This one destination gets the error as its result (decision 33).
		destinations = []document.Destination{{}}
	}
	for _, d := range destinations {
		s.Targets = append(s.Targets, movie.Target{Type: d.Type, ID: d.ID})
	}
	s.Destinations = len(s.Targets)
	return s
}

// original returns the document of a movie of the account that has ended or timed out.
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

// hold holds the credits, or counts the movie. After a refusal it removes the document, unless the request has an
// idempotency key. After any other failure the hold may exist, and the submission will be abandoned later.
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
		return nil // the movie of a request with the same idempotency key has ended already; submit finds it in its stream
	case errors.As(err, &refusal) && cmd.IdempotencyKey != "":
		return err // another request with the key may need the document; a daily chore removes documents without a movie
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

// submit appends MovieSubmitted. When the stream has another event already, the submission was abandoned, because this request
// came too late.
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
	// Another request with the same idempotency key may have been first. The store then took this append for a retry of that one.
	done, fate, err := h.accepted(ctx, project)
	if err == nil && fate != idempotency.Accepted {
		// The appended event is not visible, so the answer is an error, never an empty project. Decision 60.
		err = fmt.Errorf("movie %s was appended and cannot be read back: %w", project, eventstore.ErrUnavailable)
	}
	if err != nil {
		return Submission{}, h.refusal(cmd.Account, err)
	}
	return done, nil
}

// refusal returns the error for the client when a store has failed. nil, a *domain.Error and fair.ErrBusy come back unchanged.
func (h SubmitMovieHandler) refusal(account domain.AccountID, err error) error {
	var refusal *domain.Error
	if err == nil || errors.As(err, &refusal) || errors.Is(err, fair.ErrBusy) {
		return err
	}
	refusal = domain.Errorf(domain.Internal, "movie_not_created", "Error creating movie: the service is not able to store it "+
		"now. Please try again.")
	return fmt.Errorf("submit a movie of account %s: %w: %w", account, refusal, err)
}
