// Package movie holds the rules of one movie, from its submission through its renders and their outcome to its deliveries and
// the end of its file. Spec: States and transitions, Movie status.
//
// The aggregate Movie decides; its methods return events, and only Apply changes it. It also decides which worker renders or
// delivers: a claim is an event, and a worker's results are accepted only while it holds the last claim.
package movie

import (
	"errors"
	"time"

	"moviola/domain"
)

// ErrLost says that the caller does not hold the claim, or no longer holds it: another attempt has begun, or the movie is
// closed.
var ErrLost = errors.New("the claim is lost")

// Outcome is how a movie ended first: one of the constants below. The outcome decides about the credits. Later events do not
// change it; they may change the movie's Closing.
type Outcome string

// The outcomes. All but NoOutcome and Succeeded are also reasons for releasing a hold.
const (
	NoOutcome    Outcome = ""
	Succeeded    Outcome = "succeeded"
	RenderFailed Outcome = "failed"
	TookTooLong  Outcome = "timeout"
	WasCancelled Outcome = "cancelled"
	Abandoned    Outcome = "abandoned"
)

// Movie is the aggregate of one movie. The zero Movie is not usable: see New.
type Movie struct {
	project   domain.ProjectID
	account   domain.AccountID
	submitted *Submitted
	standing  Standing
	outcome   Outcome

	fetching domain.Fetching

	claim        Claim // the newest claim
	claimed      bool  // the newest claim is still held
	shared       bool  // the newest claim was released to give the slot to another account's movie
	trial        domain.Trial
	firstStarted time.Time
	timedOut     bool
	closing      *Closing

	gone      bool // the file was deleted, for any reason
	deletedAt time.Time

	delivery delivery
}

// Claim is held by a worker while it renders or delivers: the attempt or run, and the worker's name.
type Claim struct {
	Number int // number of the attempt or run: 1, 2, ...
	Worker string
}

// Closing is the final end of a movie, as webhooks and lists report it. It can differ from the outcome: a late success follows a
// time-out.
type Closing struct {
	At       time.Time
	Success  bool
	Message  string // why the movie has no video
	Plan     *Dimensions
	File     *File
	Attempt  Claim // the attempt that ended the movie
	FileGone bool  // the file was deleted, or was never kept
	Cached   bool  // the file is a copy of another movie's file (decision 20)
}

// New returns a movie with an id and without history.
func New(project domain.ProjectID) *Movie { return &Movie{project: project} }

// Account returns the owner; empty before the first event.
func (m *Movie) Account() domain.AccountID { return m.account }

// Outcome returns how the movie ended the first time (a movie that has timed out may still succeed later); NoOutcome: it
// has not ended.
func (m *Movie) Outcome() Outcome { return m.outcome }

// Submitted returns the movie's first event. It returns false when the movie has no events.
func (m *Movie) Submitted() (Submitted, bool) {
	if m.submitted == nil {
		return Submitted{}, false
	}
	return *m.submitted, true
}

// Closing returns the movie's final end. It returns false while a render may still end the movie.
func (m *Movie) Closing() (Closing, bool) {
	if m.closing == nil {
		return Closing{}, false
	}
	c := *m.closing
	c.FileGone = m.gone || c.File == nil || c.File.Key == ""
	return c, true
}

// Status returns the state of the movie as its owner sees it.
func (m *Movie) Status() Status { return m.standing.Status }

// Apply folds one event of the movie's stream. It checks nothing; events of other streams are ignored.
func (m *Movie) Apply(event domain.Event) {
	m.standing = m.standing.After(event)
	switch e := event.(type) {
	case Submitted:
		m.account, m.submitted = e.Account, &e
		m.delivery.open(e.Destinations, e.Targets)
	case SubmissionAbandoned:
		m.account = e.Account
		m.end(Abandoned)
	case SourcesFetchStarted:
		m.fetching.Begin(domain.FetchClaim{Attempt: e.Attempt, Worker: e.Worker}, e.Alone, e.Death, e.At)
	case SourcesFetchReleased:
		m.fetching.Release(e.At)
	case SourcesFetched:
		m.fetching.Finish()
	case RenderStarted:
		m.applyRenderStarted(e)
	case RenderReleased:
		m.claimed, m.shared = false, e.Shared
	case RenderTimedOut:
		m.timedOut = true
		m.end(TookTooLong)
	case RenderFinished:
		m.applyRenderFinished(e)
	case Cancelled:
		m.claimed = false
		m.closing = &Closing{At: e.At, Message: cancelledMessage}
		m.end(WasCancelled)
	case FileDeleted:
		m.gone = true
		if e.Reason == ByUser {
			m.deletedAt = e.At
		}
	default:
		m.delivery.apply(event)
	}
}

// end records an outcome, unless the movie has an outcome already.
func (m *Movie) end(o Outcome) {
	if m.outcome == NoOutcome {
		m.outcome = o
	}
}

func (m *Movie) applyRenderStarted(e RenderStarted) {
	m.trial.Begin(e.Alone, e.Death, e.Windows)
	m.claim, m.claimed, m.shared = Claim{Number: e.Attempt, Worker: e.Worker}, true, false
	if m.firstStarted.IsZero() {
		m.firstStarted = e.At
	}
}

func (m *Movie) applyRenderFinished(e RenderFinished) {
	m.claimed = false
	m.closing = &Closing{
		At:      e.At,
		Success: e.Success,
		Message: e.Message,
		Plan:    e.Plan,
		File:    e.File,
		Attempt: Claim{Number: e.Attempt, Worker: e.Worker},
		Cached:  e.CachedFrom != "",
	}
	if e.Success {
		m.end(Succeeded)
	} else {
		m.end(RenderFailed)
	}
}

// Submit begins a movie whose document is stored and whose credits are held.
func (m *Movie) Submit(s Submitted) ([]domain.Event, error) {
	if m.submitted != nil || m.outcome != NoOutcome {
		return nil, ErrLost
	}
	s.Warnings = domain.Briefs(s.Warnings)
	return []domain.Event{s}, nil
}

// Abandon closes a submission that was never completed. It returns no event when the movie exists or was abandoned before.
func (m *Movie) Abandon(account domain.AccountID, now time.Time) []domain.Event {
	if m.submitted != nil || m.outcome != NoOutcome {
		return nil
	}
	return []domain.Event{SubmissionAbandoned{Account: account, At: now}}
}

// Cancel ends a movie that waits or renders, at its owner's request. A movie that has ended, or has timed out, is a Conflict.
// Decision 32.
func (m *Movie) Cancel(by domain.AccountID, now time.Time) ([]domain.Event, error) {
	switch status := m.Status(); {
	case status == Unknown || m.account != by: // NotFound, because another account must not learn that the movie exists
		return nil, domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", m.project)
	case status != Pending && status != Running:
		return nil, domain.Errorf(domain.Conflict, "movie_already_finished", "Movie %s has already finished", m.project)
	}
	return []domain.Event{Cancelled{At: now}}, nil
}

// DeleteFile deletes the rendered file at its owner's request. It returns no event when the owner has deleted it before; a file
// that expired can still be deleted (decision 31). Deleting does not cancel a render.
func (m *Movie) DeleteFile(by domain.AccountID, now time.Time) ([]domain.Event, error) {
	switch status := m.Status(); {
	case status == Unknown || m.account != by: // NotFound, because another account must not learn that the movie exists
		return nil, domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", m.project)
	case status == Pending || status == Running:
		return nil, domain.Errorf(domain.Conflict, "movie_still_rendering",
			"Movie %s is still rendering. Wait until it finishes before deleting it.", m.project)
	case !m.deletedAt.IsZero():
		return nil, nil
	}
	return []domain.Event{FileDeleted{Reason: ByUser, At: now}}, nil
}

// ExpireFile deletes the rendered file when the time that files are kept has passed since the render's end. It returns no
// event before that time, or when the movie has no file. Spec: Limits, Retention.
func (m *Movie) ExpireFile(now time.Time, kept time.Duration) []domain.Event {
	c, closed := m.Closing()
	if !closed || c.FileGone || now.Before(c.At.Add(kept)) {
		return nil
	}
	return []domain.Event{FileDeleted{Reason: Expired, At: now}}
}

// DeletedAt returns when the owner deleted the file; zero: the owner has not deleted it.
func (m *Movie) DeletedAt() time.Time { return m.deletedAt }
