package processors

import (
	"context"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/template"
	"moviola/projections"
)

// settle charges or releases the credits held for an item of a preload batch, or for a movie that has an outcome. When that
// movie was the last one of a batch, it also records the end of the batch.
func (p *Processors) settle(ctx context.Context, task projections.Task) error {
	if id, index, ok := ledger.ParseItem(domain.ProjectID(task.Subject)); ok {
		return p.settleItem(ctx, task.Account, id, index)
	}
	project := domain.ProjectID(task.Subject)
	err := p.config.Commands.SettleMovie.Handle(ctx, commands.SettleMovie{
		Account: domain.AccountID(task.Account), Project: project,
	})
	if err != nil {
		return err
	}
	p.finishBatch(ctx, commands.FinishBatch{Project: project})
	return nil
}

// timeOut times out a movie whose render takes too long. It closes a timed-out movie at twice the time limit, or earlier,
// usually when no worker renders it any more. Decision 19.
func (p *Processors) timeOut(ctx context.Context, task projections.Task) error {
	_, err := p.config.Commands.TimeOutRender.Handle(ctx, commands.TimeOutRender{
		Project: domain.ProjectID(task.Subject),
		// A name other than that under which this process renders. With the same name, the closing event would look like the end of
		// this process's own render.
		Worker: p.config.Worker + "/keeper",
		Dead:   task.Dead,
	})
	return err
}

// abandon closes a submission that has a hold but never became a movie. For an item of a preload batch it settles the hold.
func (p *Processors) abandon(ctx context.Context, task projections.Task) error {
	if id, index, ok := ledger.ParseItem(domain.ProjectID(task.Subject)); ok {
		return p.settleItem(ctx, task.Account, id, index)
	}
	return p.config.Commands.AbandonSubmission.Handle(ctx, commands.AbandonSubmission{
		Account: domain.AccountID(task.Account), Project: domain.ProjectID(task.Subject),
	})
}

// expire removes the files of a movie whose retention has ended.
func (p *Processors) expire(ctx context.Context, task projections.Task) error {
	_, err := p.config.Commands.ExpireFile.Handle(ctx, commands.ExpireFile{Project: domain.ProjectID(task.Subject)})
	return err
}

// sweep removes the files of a deleted template.
func (p *Processors) sweep(ctx context.Context, task projections.Task) error {
	return p.config.Commands.SweepTemplate.Handle(ctx, templates.SweepTemplate{ID: template.ID(task.Subject)})
}
