package processors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/handlers/background/claims"
	"moviola/projections"
)

// maxRenderTries is the number of errors, neither transient nor the movie's fault, with which a movie fails. The same number
// ends the fetching of sources and the preparation of an item.
const maxRenderTries = 3

// failedMessage is the owner's message for a movie whose render, or whose fetch of sources, has failed maxRenderTries
// times.
const failedMessage = "Rendering failed because of an internal error. Please submit the movie again."

// render makes one movie: claim, render, store, finish. After the claim it usually ends in one of three ways: the movie
// has its outcome, the claim was released, or another worker has taken the claim.
func (p *Processors) render(ctx context.Context, task projections.Task) error {
	project := domain.ProjectID(task.Subject)
	guard := p.watch.Open(project, claims.EndsRender)
	defer guard.Close()
	claim, err := p.claimRender(ctx, project, task)
	if err != nil {
		return err
	}
	ctx, stop := guard.Claimed(ctx, claim.Attempt, p.config.Worker)
	defer stop()
	news := &reporter{Processors: p, account: claim.Account, project: project, attempt: claim.Attempt, visible: claim.Position}
	shown := p.board.Appear(task.ID, claim.Attempt, news.progress)
	defer shown.End()

	r := render{Processors: p, log: p.logOf(task), project: project,
		claim: claim, shown: shown, news: news, took: newMeasuring(p.config.Now)}
	err = r.run(ctx)
	if err == nil || errors.Is(err, commands.ErrNothingToDo) {
		return err
	}
	err = errors.Join(err, context.Cause(ctx))
	if errors.Is(err, claims.ErrLost) {
		r.discard()
		return claims.ErrLost
	}
	return r.release(err)
}

func (p *Processors) claimRender(
	ctx context.Context, project domain.ProjectID, task projections.Task,
) (commands.RenderClaim, error) {
	ctx, cancel := claims.Grace(ctx, p.limits.Release)
	defer cancel()
	return p.config.Commands.StartRender.Handle(ctx, commands.StartRender{
		Project: project, Worker: p.config.Worker, Dead: task.Dead, Death: task.Death, Alone: task.Apart,
		Windows: p.config.Renderer.Finished(project), Encoder: p.config.Encoder,
	})
}

// render is one attempt at one movie.
type render struct {
	*Processors
	log     logrus.FieldLogger // logger whose lines name the movie
	project domain.ProjectID
	claim   commands.RenderClaim
	shown   *claims.Shown
	news    *reporter
	plan    *movie.Dimensions // size, frame rate and length of the movie; nil until the movie is laid out
	warned  []string          // warnings from laying out the movie
	key     string            // cache key of the movie; empty: its file must not be reused
	found   *found            // an equal movie whose file was copied for this movie; nil: none was found
	took    *measuring        // collects how long the stages of this attempt take
	stored  []string          // keys under which this attempt may have stored files
}

// run renders until the movie has an outcome, and records the outcome. It returns an error, for example, when ctx has
// ended, when the claim was lost, when the slot is released for another account, or when the kernel killed a program of
// the render for want of memory.
func (r *render) run(ctx context.Context) error {
	rendered, err := r.rendered(ctx)
	if errors.Is(err, commands.ErrCached) && ctx.Err() == nil {
		return r.finish(ctx, commands.FinishRender{
			Success: true, Plan: r.found.source.Plan, File: r.found.file, Warnings: r.found.source.Warnings,
			CachedFrom: domain.ProjectID(r.found.source.Project),
		})
	}
	var refusal *domain.Error
	if errors.As(err, &refusal) && ctx.Err() == nil {
		return r.fail(ctx, refusal)
	}
	if err != nil {
		return err
	}
	defer rendered.Close()
	file, err := r.store(ctx, rendered)
	if errors.As(err, &refusal) && ctx.Err() == nil { // the account has no room for the movie's file: the movie fails
		return r.fail(ctx, refusal)
	}
	if err != nil {
		return err
	}
	if file.Outputs, err = r.makeOutputs(ctx, &rendered); err != nil {
		return err
	}
	return r.finish(ctx, commands.FinishRender{Success: true, Plan: &rendered.Plan, File: file, Warnings: rendered.Warnings})
}

// fail records that the movie has failed, with the reason. When that is recorded, it removes the files of this attempt.
func (r *render) fail(ctx context.Context, why *domain.Error) error {
	err := r.finish(ctx, commands.FinishRender{
		Message: why.Message, Code: why.Code, Family: why.Kind.Family(), Plan: r.plan, Warnings: r.warned,
	})
	if err == nil {
		r.discard()
	}
	return err
}

// rendered retries the render until a try succeeds, the movie is at fault, or this attempt has to end. Transient errors
// are retried without limit; after a few tries other errors fail the movie. Design §6: transient errors.
func (r *render) rendered(ctx context.Context) (commands.Rendered, error) {
	tries := 0
	for pause := claims.NewPause(); ; {
		rendered, err := r.once(ctx)
		var refusal *domain.Error
		switch {
		// ctx is checked before the error, because a cancelled render may report a fault that the
		// movie does not have
		case err == nil, ctx.Err() != nil, errors.Is(err, claims.ErrLost), errors.Is(err, commands.ErrCached),
			errors.Is(err, commands.ErrGiveWay), errors.Is(err, commands.ErrOutOfMemory), errors.As(err, &refusal):
			return rendered, err
		}
		r.complain("render failed; trying again if tries are left")(err)
		if !claims.Passes(err) {
			tries++
		}
		if tries == maxRenderTries {
			return rendered, domain.Errorf(domain.Internal, "render_failed", failedMessage)
		}
		if err := pause.Wait(ctx); err != nil {
			return rendered, err
		}
	}
}

// once makes one try at the render.
func (r *render) once(ctx context.Context) (commands.Rendered, error) {
	raw, err := r.documents.Read(ctx, r.claim.Account, r.project, r.claim.DocumentHash)
	if err != nil {
		return commands.Rendered{}, err
	}
	r.news.begin(raw)
	job := commands.RenderJob{
		Account: r.claim.Account, Project: r.project, Attempt: r.claim.Attempt, Document: raw, Now: r.claim.FirstStarted,
		FetchedSince: r.claim.FetchedSince,
		Fetched: func(ctx context.Context, contents map[string]string) error {
			return r.fetched(ctx, raw, contents)
		},
		Planned: r.planned,
		Measured: func(stage string, took time.Duration) {
			r.took.addStage(stage, took)
			r.config.Tracer.Stage(ctx, stage, took)
		},
		Frames:   r.took.frames,
		Progress: r.shown.Progress,
		Share:    claims.ShareOf(ctx),
		Matte:    slices.ContainsFunc(movie.FormatsToMake(r.claim.Outputs), document.Transparent),
	}
	if store := r.config.Preloads.Store; store != nil {
		job.Preloaded = func(
			ctx context.Context, item commands.PrepareJob, p commands.Prepared,
		) (address, web, warning string, err error) {
			address, web, warning, err = store.Publish(ctx, item, p)
			return address, web, warning, stored(err)
		}
		job.Keep = func(ctx context.Context, name string, before int, p commands.Prepared) error {
			return store.KeepMade(ctx, r.claim.Account, r.project, name, before, p)
		}
	}
	return r.config.Renderer.Render(ctx, job)
}

// planned checks, before anything is encoded, that the account's plan and credits allow the movie. Design §5: a refusal ends the
// render. The warnings from laying out the movie become part of its outcome.
func (r *render) planned(ctx context.Context, plan movie.Dimensions, warnings []string) error {
	r.plan, r.warned = &plan, warnings
	err := r.config.Commands.PlanRender.Handle(ctx, commands.PlanRender{
		Account: r.claim.Account, Project: r.project, Attempt: r.claim.Attempt, Counted: r.claim.Counted,
		MaxCredits: r.claim.MaxCredits, Plan: plan,
	})
	var refusal *domain.Error
	switch {
	case err == nil, errors.As(err, &refusal):
		return err
	case errors.Is(err, ledger.ErrHoldEnded):
		// Usually the movie has timed out, so its hold has ended and the render costs nothing any more (decision 19).
		// After any other outcome, the watch ends this render.
		return nil
	case errors.Is(err, ledger.ErrStale):
		return claims.ErrLost
	case errors.Is(err, ledger.ErrNoHold):
		return fmt.Errorf("change the hold of %s: %w", r.project, err)
	default:
		return claims.Transient(fmt.Errorf("change the hold of %s: %w", r.project, err))
	}
}

// finish records the outcome, with retries until a try succeeds.
func (r *render) finish(ctx context.Context, cmd commands.FinishRender) error {
	ctx, cancel := claims.Grace(ctx, r.limits.Release)
	defer cancel()
	cmd.Project, cmd.Attempt, cmd.Worker = r.project, r.claim.Attempt, r.config.Worker
	cmd.CacheKey = r.key
	taken := r.took.taken()
	if cmd.Plan != nil && cmd.Plan.FPSNum > 0 {
		seconds := float64(cmd.Plan.Frames) * float64(cmd.Plan.FPSDen) / float64(cmd.Plan.FPSNum)
		taken.Length = time.Duration(seconds * float64(time.Second))
	}
	cmd.Spent = taken.spent()
	r.config.Observer.Rendered(taken)
	ctx = context.WithValue(ctx, measuresKey{}, taken)
	return claims.UntilDone(ctx, func(ctx context.Context) error {
		_, err := r.config.Commands.FinishRender.Handle(ctx, cmd)
		return err
	}, r.complain("outcome of a render not written to the log; trying again"))
}

// release releases the claim, for example because the process is shutting down, memory is too scarce beside other work, or
// another account waits for the slot.
func (r *render) release(why error) error {
	ctx, cancel := context.WithTimeout(context.Background(), r.limits.Release)
	defer cancel()
	_, err := r.config.Commands.ReleaseRender.Handle(ctx, commands.ReleaseRender{
		Project: r.project, Attempt: r.claim.Attempt, Worker: r.config.Worker, Memory: errors.Is(why, commands.ErrOutOfMemory),
		Shared: errors.Is(why, commands.ErrGiveWay),
	})
	switch {
	case err == nil:
		// The claim is released without an outcome, so nothing will name these files.
		r.discard()
		return why
	case errors.Is(err, commands.ErrNothingToDo):
		return err
	default:
		return errors.Join(why, fmt.Errorf("release attempt %d: %w", r.claim.Attempt, err))
	}
}

// complain returns a function that logs an error of this render.
func (r *render) complain(what string) func(error) {
	return func(err error) {
		r.log.WithError(err).WithField("attempt", r.claim.Attempt).Warn(what)
	}
}
