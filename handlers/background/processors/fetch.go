package processors

import (
	"context"
	"errors"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/handlers/background/claims"
	"moviola/projections"
)

// Fetches are the commands on fetching the sources of movies. commands.SourceFetches implements it. They return
// commands.ErrNothingToDo when nothing is left to do, or when the claim is lost.
type Fetches interface {
	// Wanted returns the sources to fetch, without claiming the work.
	Wanted(ctx context.Context, project domain.ProjectID) (commands.FetchClaim, error)
	Start(ctx context.Context, cmd commands.StartFetch) (commands.FetchClaim, error)
	Release(ctx context.Context, project domain.ProjectID, claim domain.FetchClaim, memory bool) error
	Finish(ctx context.Context, cmd commands.FinishFetch) error
}

// fetching fetches the sources of one movie or preload item.
type fetching struct {
	*Processors
	log     logrus.FieldLogger // logger whose lines name the movie or the preload batch
	wanted  func(ctx context.Context) (commands.FetchClaim, error)
	start   func(ctx context.Context, s domain.FetchStart) (commands.FetchClaim, error)
	release func(ctx context.Context, claim domain.FetchClaim, memory bool) error
	finish  func(ctx context.Context, claim domain.FetchClaim, message string) error
	fetch   func(ctx context.Context, claim commands.FetchClaim, how commands.Fetch) error
	guard   *claims.Guard // ends the work when the claim is lost; nil: the claim is not watched
	failed  string        // message for the owner when the fetching fails for reasons of this service
}

// fetch brings the sources of a movie or a preload item to the shared storage, where every renderer finds them. Decision 54.
func (p *Processors) fetch(ctx context.Context, task projections.Task) error {
	if id, index, ok := projections.ItemOfFetch(task.ID); ok {
		return p.fetchItem(preloads.ItemOf{Preload: id, Index: index}).run(ctx, task)
	}
	return p.fetchMovie(domain.ProjectID(task.Subject)).run(ctx, task)
}

// fetchItem fetches the sources of a preload item. Only the worker that has claimed the item can
// end it, so the claim is not watched.
func (p *Processors) fetchItem(item preloads.ItemOf) *fetching {
	all := p.config.Preloads.Items
	return &fetching{
		Processors: p, failed: preparationFailed,
		wanted: func(ctx context.Context) (commands.FetchClaim, error) { return all.WantedFiles(ctx, item) },
		start: func(ctx context.Context, s domain.FetchStart) (commands.FetchClaim, error) {
			return all.StartFetch(ctx, item, s)
		},
		release: func(ctx context.Context, claim domain.FetchClaim, memory bool) error {
			return all.ReleaseFetch(ctx, item, claim, memory)
		},
		finish: func(ctx context.Context, claim domain.FetchClaim, message string) error {
			return all.FinishFetch(ctx, item, claim, p.config.Worker, message)
		},
		fetch: func(ctx context.Context, claim commands.FetchClaim, how commands.Fetch) error {
			job := commands.PrepareJob{Account: claim.Account, Batch: string(item.Preload), Index: item.Index, Item: claim.Item}
			return p.config.Fetcher.FetchItem(ctx, job, how)
		},
	}
}

// fetchMovie fetches the sources of a movie.
func (p *Processors) fetchMovie(project domain.ProjectID) *fetching {
	all := p.config.Fetches
	return &fetching{
		Processors: p, guard: p.watch.Open(project, claims.EndsFetch), failed: failedMessage,
		wanted: func(ctx context.Context) (commands.FetchClaim, error) { return all.Wanted(ctx, project) },
		start: func(ctx context.Context, s domain.FetchStart) (commands.FetchClaim, error) {
			return all.Start(ctx, commands.StartFetch{Project: project, FetchStart: s})
		},
		release: func(ctx context.Context, claim domain.FetchClaim, memory bool) error {
			return all.Release(ctx, project, claim, memory)
		},
		finish: func(ctx context.Context, claim domain.FetchClaim, message string) error {
			return all.Finish(ctx, commands.FinishFetch{Project: project, Claim: claim, Worker: p.config.Worker, Message: message})
		},
		fetch: func(ctx context.Context, claim commands.FetchClaim, how commands.Fetch) error {
			document, err := p.documents.Read(ctx, claim.Account, project, claim.DocumentHash)
			if err != nil {
				return err
			}
			return p.config.Fetcher.FetchSources(ctx,
				commands.FetchJob{Account: claim.Account, Project: project, Document: document, Fetch: how})
		},
	}
}

// run fetches the sources. When all of them are cached already, it usually needs no claim, and one event records that.
// After a claim, run usually ends in one of four ways: the sources are fetched, a fault of the sources is the outcome, the
// claim was released, or another worker has taken the claim.
func (f *fetching) run(ctx context.Context, task projections.Task) error {
	f.log = f.logOf(task)
	if f.guard != nil {
		defer f.guard.Close()
	}
	if task.Dead == 0 && !task.Suspect {
		if done, err := f.atHand(ctx); done || err != nil {
			return err
		}
	}
	claim, err := f.claim(ctx, task)
	if err != nil {
		return err
	}
	if f.guard != nil {
		var stop context.CancelFunc
		ctx, stop = f.guard.Claimed(ctx, claim.Attempt, claim.Worker)
		defer stop()
	}
	ctx, cancel := claims.UntilShared(ctx)
	defer cancel()
	shown := f.board.Appear(task.ID, claim.Attempt, claims.Untold)
	defer shown.End()
	message, err := f.fetched(ctx, claim)
	if err == nil {
		return f.record(ctx, claim.FetchClaim, message)
	}
	err = errors.Join(err, context.Cause(ctx))
	if errors.Is(err, claims.ErrLost) {
		return claims.ErrLost
	}
	return f.handBack(claim.FetchClaim, err)
}

// atHand reports whether all sources were cached already. If so, it records that they are fetched.
func (f *fetching) atHand(ctx context.Context) (bool, error) {
	claim, err := f.wanted(ctx)
	if err != nil {
		return false, err
	}
	how := claim.Fetch
	how.AtHand = true
	if err := f.fetch(ctx, claim, how); err != nil {
		return false, nil // not reported: run fetches again, with a claim, and reports an error that occurs then
	}
	return true, f.record(ctx, domain.FetchClaim{}, "")
}

func (f *fetching) claim(ctx context.Context, task projections.Task) (commands.FetchClaim, error) {
	ctx, cancel := claims.Grace(ctx, f.limits.Release)
	defer cancel()
	return f.start(ctx, domain.FetchStart{Worker: f.config.Worker, Dead: task.Dead, Death: task.Death, Alone: task.Apart})
}

// fetched retries until all sources are fetched, or until the sources are at fault: message then has the reason. Transient
// errors are retried without limit; after a few tries other errors count as a fault of the sources. It returns an error only
// when ctx has ended, or when the kernel killed a program for want of memory.
func (f *fetching) fetched(ctx context.Context, claim commands.FetchClaim) (message string, err error) {
	tries := 0
	for pause := claims.NewPause(); ; {
		err := f.fetch(ctx, claim, claim.Fetch)
		var refusal *domain.Error
		switch {
		case err == nil || ctx.Err() != nil || errors.Is(err, commands.ErrOutOfMemory):
			return "", err
		case errors.As(err, &refusal):
			return refusal.Message, nil
		}
		f.log.WithError(err).WithField("attempt", claim.Attempt).Warn("sources not fetched; trying again if tries are left")
		if !claims.Passes(err) {
			tries++
		}
		if tries == maxRenderTries {
			return f.failed, nil
		}
		if err := pause.Wait(ctx); err != nil {
			return "", err
		}
	}
}

// record records the outcome, with retries until a try succeeds.
func (f *fetching) record(ctx context.Context, claim domain.FetchClaim, message string) error {
	ctx, cancel := claims.Grace(ctx, f.limits.Release)
	defer cancel()
	return claims.UntilDone(ctx, func(ctx context.Context) error { return f.finish(ctx, claim, message) }, func(err error) {
		f.log.WithError(err).Warn("result of fetching sources not written to the log; trying again")
	})
}

// handBack releases the claim, for example because the process is shutting down, memory is too scarce beside other work, or
// another account waits for the slot.
func (f *fetching) handBack(claim domain.FetchClaim, why error) error {
	ctx, cancel := context.WithTimeout(context.Background(), f.limits.Release)
	defer cancel()
	err := f.release(ctx, claim, errors.Is(why, commands.ErrOutOfMemory))
	if errors.Is(err, commands.ErrNothingToDo) {
		return err
	}
	return errors.Join(why, err)
}
