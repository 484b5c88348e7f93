package processors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/document"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/background/live"
	"moviola/projections"
)

// News sends live events. live.Announcer implements it.
type News interface {
	// Announce queues an event and does not block. The event may be lost.
	Announce(e live.Event)
	// Close stops sending. It returns soon after the end of ctx, at the latest.
	Close(ctx context.Context)
}

// unheard is a News that drops all events.
type unheard struct{}

func (unheard) Announce(live.Event)   {}
func (unheard) Close(context.Context) {}

// progressEvery is the shortest time between two live events about the progress of an attempt. Decision 79.
const progressEvery = 5 * time.Second

// reporter announces the events of one render attempt. The render calls begin; the goroutine of the claim's presence calls
// progress.
type reporter struct {
	*Processors
	account domain.AccountID
	project domain.ProjectID
	attempt int
	visible eventstore.Position // position of the claim's event

	mu    sync.Mutex
	begun bool
	echo  result.Echo
	told  time.Time // time of the call of begin or, after that, of the last announced progress
	tells int
	last  float64 // last announced percentage
}

// begin announces that the render has started. It does so for the first attempt only, since later ones continue the render.
// The parameter raw is the movie's document: the events repeat some of its fields, such as the client's own id of the movie.
func (r *reporter) begin(raw []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun {
		return
	}
	r.begun, r.echo, r.told = true, result.ReadEcho(document.Sound(raw)), r.config.Now()
	if r.attempt == 1 {
		r.announce(connection.RenderStarted, fmt.Sprintf("msg_%s_started", r.project), nil)
	}
}

// progress announces the finished share. It does nothing before begin, when the share is unchanged, or when the last
// announcement was less than progressEvery ago.
func (r *reporter) progress(percent float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.config.Now()
	if !r.begun || percent == r.last || now.Sub(r.told) < progressEvery {
		return
	}
	r.told, r.last = now, percent
	r.tells++
	r.announce(connection.RenderProgress, fmt.Sprintf("msg_%s_progress_%d_%d", r.project, r.attempt, r.tells), &percent)
}

func (r *reporter) announce(name connection.LiveEvent, message string, percent *float64) {
	payload, err := result.LiveRender{
		Event: name, Project: r.project, ID: r.echo.ID, ClientData: r.echo.ClientData, Percent: percent,
		Timestamp: domain.FormatTime(r.told),
	}.Payload()
	if err != nil {
		r.log.WithError(err).WithField("project", r.project).
			Error("message about a running render could not be encoded as JSON; its receivers do not get it")
		return
	}
	r.config.News.Announce(live.Event{
		Account: r.account, Name: name, Message: message, Payload: payload, Subject: string(r.project), Visible: r.visible,
	})
}

// finishBatch records the end of a batch if all its movies have ended. When this call is the first to record the end,
// finishBatch also announces it with a live event. That event may be lost, for example when recording fails, or when this
// process ends between recording and announcing.
func (p *Processors) finishBatch(ctx context.Context, which commands.FinishBatch) {
	if p.config.Commands.FinishBatch == nil {
		return
	}
	which.Worker = p.config.Worker
	done, err := p.config.Commands.FinishBatch.Handle(ctx, which)
	if errors.Is(err, commands.ErrNothingToDo) {
		return
	}
	log := p.log.WithField("batch", which.Batch).WithField("project", which.Project)
	if err != nil {
		log.WithError(err).Warn("end of a batch not recorded; the live event batch.finished may not be sent")
		return
	}
	payload, err := result.LiveBatch{
		Event: connection.BatchFinished, Batch: done.ID, Template: done.Template, Movies: done.Movies, Invalid: done.Invalid,
		Cancelled: done.Cancelled, Timestamp: domain.FormatTime(done.At),
	}.Payload()
	if err != nil {
		log.WithError(err).Error("message about the end of a batch not encoded as JSON; no receiver gets it")
		return
	}
	p.config.News.Announce(live.Event{
		Account: done.Account, Name: connection.BatchFinished, Message: "msg_" + string(done.ID) + "_finished", Payload: payload,
		Subject: string(done.ID), Visible: done.Position,
	})
}

// completeBatch submits the movies of a batch, or winds the batch down. If all movies have ended after that, it also records
// the end of the batch.
func (p *Processors) completeBatch(ctx context.Context, task projections.Task) error {
	id := domain.BatchID(task.Subject)
	err := p.config.Commands.CompleteBatch.Handle(ctx, commands.CompleteBatch{Batch: id})
	if err == nil || errors.Is(err, commands.ErrNothingToDo) {
		p.finishBatch(ctx, commands.FinishBatch{Batch: id})
	}
	return err
}
