package processors

import (
	"context"
	"errors"
	"fmt"

	"moviola/commands"
	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/domain/preload"
	"moviola/handlers/background/claims"
	"moviola/projections"
)

// Items are the commands on items of preload batches. preloads.PreloadItems implements it.
type Items interface {
	Start(ctx context.Context, cmd preloads.StartItem) (preloads.ItemClaim, error)
	Release(ctx context.Context, id preload.ID, claim preload.Claim, memory bool) error
	Finish(ctx context.Context, cmd preloads.FinishItem) error

	// The following commands do for the sources of one item what Wanted, Start, Release and Finish of Fetches do for the
	// sources of a movie.
	WantedFiles(ctx context.Context, item preloads.ItemOf) (commands.FetchClaim, error)
	StartFetch(ctx context.Context, item preloads.ItemOf, start domain.FetchStart) (commands.FetchClaim, error)
	ReleaseFetch(ctx context.Context, item preloads.ItemOf, claim domain.FetchClaim, memory bool) error
	FinishFetch(ctx context.Context, item preloads.ItemOf, claim domain.FetchClaim, worker, message string) error
}

// PreparedStore stores a prepared asset where it can be downloaded. preloads.PreparedStore implements it.
type PreparedStore interface {
	Store(ctx context.Context, job commands.PrepareJob, p commands.Prepared) (preload.Result, error)
	Publish(ctx context.Context, job commands.PrepareJob, p commands.Prepared) (address, web, warning string, err error)
	KeepMade(
		ctx context.Context, account domain.AccountID, project domain.ProjectID, name string, before int, p commands.Prepared,
	) error
}

// Preloads are the dependencies of the work on preload batches. All of them are required for that
// kind of work.
type Preloads struct {
	Items    Items
	Preparer Preparer
	Store    PreparedStore
	Settle   Doer[preloads.SettlePreloadItem]
}

func (p Preloads) complete() bool {
	return p.Items != nil && p.Preparer != nil && p.Store != nil
}

// preparationFailed is the owner's message for an item whose preparation failed for reasons of this service.
const preparationFailed = "The item could not be prepared because of an internal error. Please request it again."

// preload prepares one item of a batch: claim, prepare, store, finish. It usually ends in one of three ways: the item has
// a result, the claim was released, or another worker has taken the claim.
func (p *Processors) preload(ctx context.Context, task projections.Task) error {
	id, index, ok := projections.PreloadSubject(task.Subject)
	if !ok {
		return fmt.Errorf("%q names no item of a preload", task.Subject)
	}
	claim, err := p.claimItem(ctx, preloads.StartItem{Preload: id, Index: index, Worker: p.config.Worker, Dead: task.Dead,
		Death: task.Death, Alone: task.Apart})
	if err != nil {
		return err
	}
	if claim.Item.Held > 0 { // Items that cost credits are not interrupted, because the provider would have to be paid twice.
		commands.KeepSlot(ctx)
	} else {
		var cancel context.CancelFunc
		ctx, cancel = claims.UntilShared(ctx)
		defer cancel()
	}
	shown := p.board.Appear(task.ID, claim.Attempt, claims.Untold)
	defer shown.End()
	job := commands.PrepareJob{Account: claim.Account, Batch: string(id), Index: index, Attempt: claim.Attempt,
		Item: claim.Item, FetchedSince: claim.FetchedSince, Now: claim.Requested}
	result, err := p.prepared(ctx, job)
	if err != nil {
		return p.releaseItem(id, claim.Claim, errors.Join(err, context.Cause(ctx)))
	}
	ctx, cancel := claims.Grace(ctx, p.limits.Release)
	defer cancel()
	return claims.UntilDone(ctx, func(ctx context.Context) error {
		return p.config.Preloads.Items.Finish(ctx, preloads.FinishItem{Preload: id, Claim: claim.Claim, Result: result})
	}, func(err error) { p.complain(job, err) })
}

func (p *Processors) complain(job commands.PrepareJob, err error) {
	p.log.WithError(err).WithField("preload", job.Batch).WithField("item",
		job.Index).Warn("item of a preload not prepared, or its end not recorded; trying again if tries are left")
}

func (p *Processors) claimItem(ctx context.Context, cmd preloads.StartItem) (preloads.ItemClaim, error) {
	ctx, cancel := claims.Grace(ctx, p.limits.Release)
	defer cancel()
	return p.config.Preloads.Items.Start(ctx, cmd)
}

// prepared retries the preparation until the asset is stored or the item is at fault. Transient errors are retried without
// limit; after a few tries other errors count as a fault of the item. It returns an error only when ctx has ended, or when the
// kernel killed a program of the item for want of memory.
func (p *Processors) prepared(ctx context.Context, job commands.PrepareJob) (preload.Result, error) {
	tries, generated := 0, false
	for pause := claims.NewPause(); ; {
		result, err := p.prepareOnce(ctx, job, &generated)
		var refusal *domain.Error
		switch {
		case err == nil || ctx.Err() != nil || errors.Is(err, commands.ErrOutOfMemory):
			return result, err
		case errors.As(err, &refusal):
			return preload.Result{Error: refusal.Message}, nil
		}
		p.complain(job, err)
		if !claims.Passes(err) {
			tries++
		}
		if tries == maxRenderTries {
			return preload.Result{Error: preparationFailed}, nil
		}
		if err := pause.Wait(ctx); err != nil {
			return preload.Result{}, err
		}
	}
}

// prepareOnce prepares an item and stores the asset. generated reports whether an earlier try has had the asset made: the next
// try finds it in a cache, but it costs what it did. An asset that cannot be stored is no fault of the item: that is transient.
func (p *Processors) prepareOnce(ctx context.Context, job commands.PrepareJob, generated *bool) (preload.Result, error) {
	made, err := p.config.Preloads.Preparer.Prepare(ctx, job)
	if err != nil {
		return preload.Result{}, err
	}
	defer made.Close()
	made.Generated = made.Generated || *generated
	*generated = made.Generated
	result, err := p.config.Preloads.Store.Store(ctx, job, made)
	return result, stored(err)
}

// stored returns the error of storing a prepared asset. It is transient unless it is a refusal: nobody is to blame for it.
func stored(err error) error {
	var refusal *domain.Error
	if err != nil && !errors.As(err, &refusal) {
		return claims.Transient(err)
	}
	return err
}

// releaseItem releases a claim, for example because the process is shutting down, memory is too scarce beside other work, or
// another account waits for the slot.
func (p *Processors) releaseItem(id preload.ID, claim preload.Claim, why error) error {
	ctx, cancel := context.WithTimeout(context.Background(), p.limits.Release)
	defer cancel()
	err := p.config.Preloads.Items.Release(ctx, id, claim, errors.Is(why, commands.ErrOutOfMemory))
	if errors.Is(err, commands.ErrNothingToDo) {
		return err
	}
	return errors.Join(why, err)
}

// settleItem charges or releases the credits held for one item of a preload batch.
func (p *Processors) settleItem(ctx context.Context, account string, id preload.ID, index int) error {
	return p.config.Preloads.Settle.Handle(ctx,
		preloads.SettlePreloadItem{Account: domain.AccountID(account), Preload: id, Index: index})
}
