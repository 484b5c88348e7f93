package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"moviola/domain"
	"moviola/domain/idempotency"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// A submission with an idempotency key, also while another request with the same key is under way:
//
//	Handle ──► earlier ── accepted before ──► the first answer, before any other check
//	              │ nothing known, or only the project that the key has reserved
//	           accept ──► read, offer ──► reserve ──► Files.Put ──► hold ──► submit ──► the answer
//	              │ refused                  │                                  │
//	           earlier: has another          │              the movie's stream decides which request was first:
//	           request made progress?        │              accepted reads it back, every request gets that answer
//	              │ yes ──► accept again     │
//	              │ no  ──► the refusal      the key's stream decides the project: the same one for every request
//
// All requests take the same steps for the same project, so that one may complete what another has begun. A request whose body
// differs from that of the first is refused by idempotency.Key.

// bodyHash returns the hash by which the body of a request is compared with that of an earlier request.
func bodyHash(body []byte) string {
	hash := sha256.Sum256(body)
	return hex.EncodeToString(hash[:])
}

// earlier is the result of an earlier request with the same idempotency key and the same body.
type earlier struct {
	project  domain.ProjectID // id reserved for the request; empty: no earlier request, or it was abandoned or has expired
	accepted *Submission      // answer to the request; nil: there is no answer yet
}

// earlier looks for a request with the same key and body. It is called before all other checks: a repeated request that was
// accepted at first must not be refused later because the credits are spent by then. Decision 25.
func (h SubmitMovieHandler) earlier(ctx context.Context, cmd SubmitMovie) (earlier, error) {
	if cmd.IdempotencyKey == "" {
		return earlier{}, nil
	}
	if err := idempotency.CheckKey(cmd.IdempotencyKey); err != nil {
		return earlier{}, err
	}
	k, err := h.key(ctx, cmd.Account, cmd.IdempotencyKey)
	if err != nil {
		return earlier{}, err
	}
	now := h.movies.now.Stamp()
	reserved, ok := k.Reservation(now)
	if !ok {
		return earlier{}, nil
	}
	answer, fate, err := h.accepted(ctx, reserved.Project)
	if err != nil {
		return earlier{}, err
	}
	renewed, err := k.Reserve(reserved.Project, bodyHash(cmd.Body), fate, now)
	switch {
	case err != nil || len(renewed) > 0:
		return earlier{}, err
	case fate == idempotency.Accepted:
		return earlier{project: reserved.Project, accepted: &answer}, nil
	}
	return earlier{project: reserved.Project}, nil
}

// key folds the stream of an idempotency key.
func (h SubmitMovieHandler) key(ctx context.Context, account domain.AccountID, key string) (*idempotency.Key, error) {
	k := new(idempotency.Key)
	_, err := h.movies.log.CatchUp(ctx, idempotency.Stream(account, key), eventstore.Appended{Revision: eventstore.NoStream},
		k.Apply)
	if err != nil {
		return nil, fmt.Errorf("look for the idempotency key: %w", err)
	}
	return k, nil
}

// remembers reports whether a request with the key was accepted, whatever body it had.
func (h SubmitMovieHandler) remembers(ctx context.Context, account domain.AccountID, key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	k, err := h.key(ctx, account, key)
	if err != nil {
		return false, err
	}
	reserved, ok := k.Reservation(h.movies.now.Stamp())
	if !ok {
		return false, nil
	}
	_, fate, err := h.accepted(ctx, reserved.Project)
	return fate == idempotency.Accepted, err
}

// reserve reserves the key for a new project, or returns the project for which the key is reserved already. Without a key it
// returns a new project.
func (h SubmitMovieHandler) reserve(ctx context.Context, cmd SubmitMovie) (domain.ProjectID, error) {
	project := h.newProject()
	if cmd.IdempotencyKey == "" {
		return project, nil
	}
	var k idempotency.Key
	_, err := h.movies.log.Decide(ctx, idempotency.Stream(cmd.Account, cmd.IdempotencyKey), &k, func() (eventstore.Decision, error) {
		at := h.movies.now.Stamp()
		fate := idempotency.Missing
		if reserved, ok := k.Reservation(at); ok {
			var err error
			if _, fate, err = h.accepted(ctx, reserved.Project); err != nil {
				return eventstore.Decision{}, err
			}
		}
		events, err := k.Reserve(project, bodyHash(cmd.Body), fate, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmd.Account, at), Events: events}, err
	})
	if err != nil {
		return "", fmt.Errorf("reserve the idempotency key: %w", err)
	}
	reserved, _ := k.Reservation(h.movies.now.Stamp())
	return reserved.Project, nil
}

// accepted returns the answer that the request for a project got, and the state of the movie.
func (h SubmitMovieHandler) accepted(ctx context.Context, project domain.ProjectID) (Submission, idempotency.Fate, error) {
	m := movie.New(project)
	at, err := h.movies.log.CatchUp(ctx, movie.Stream(project), eventstore.Appended{Revision: eventstore.NoStream}, m.Apply)
	if err != nil {
		return Submission{}, idempotency.Missing, fmt.Errorf("load movie %s: %w", project, err)
	}
	if submitted, ok := m.Submitted(); ok {
		return Submission{Project: project, At: submitted.At, Position: at.Position}, idempotency.Accepted, nil
	}
	if m.Outcome() == movie.Abandoned {
		return Submission{}, idempotency.Abandoned, nil
	}
	return Submission{}, idempotency.Missing, nil
}
