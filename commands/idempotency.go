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

// A movie may be submitted several times with the same idempotency key, even at the same time. Until the key expires,
// requests with the same body get the answer of the first one that was accepted. SubmitMovieHandler.Handle takes these
// steps for each request:
//
//  1. Look for an earlier request with the key. If one with the same body was accepted, return its answer, without a check of
//     the movie or the account.
//  2. Check the request like one without a key: parse the body, compare the price with the account's credits.
//  3. Reserve the key for a project, the id of the new movie. The key has a stream of its own, in which a reservation
//     counts until it expires or is replaced (see below). So all requests with the key go on with the same project.
//  4. Store the document, hold the credits, and append MovieSubmitted to the movie's stream. This event can be appended
//     only once: the other requests then read the answer of the first one from the stream.
//
// If a step refuses the request, Handle repeats step 1. If another request has made progress meanwhile, Handle goes on with
// step 2; otherwise it returns the refusal. Because all requests use the same project, one can complete what another has
// begun. A request whose body differs from that of the first request is refused by idempotency.Key, unless the first
// request's movie was not submitted within a minute: then the key is reserved anew. It is reserved anew for any body after
// the first submission was abandoned.

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

// earlier looks for a request with the same key, and refuses a body that differs from that request's body. It is called
// before all other checks: a repeated request that was accepted at first must not be refused later because the credits are
// spent by then. Decision 25.
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
