package processors_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/sqlite"
	"moviola/adapters/workqueue"
	"moviola/commands/connections"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/delivery"
	"moviola/handlers/background/processors"
	"moviola/projections"
)

// The limits of nodes, shorter than the specification's: every second of fake time costs real queries.
const (
	shortTimeout = 90 * time.Second
	shortAge     = 30 * time.Second
)

// node is a process with everything real between the log and the processors: read models on SQLite, work list, work queue.
type node struct {
	*process
	models *projections.ReadModels
	stop   context.CancelFunc
	reads  chan error
}

// linkedBoard is the presence board as a process reaches it: not at all, once it has crashed.
type linkedBoard struct {
	*projections.PresenceBoard
	link *link
}

func (b linkedBoard) Beat(ctx context.Context, row projections.Presence) error {
	if err := b.link.down(); err != nil {
		return err
	}
	return b.PresenceBoard.Beat(ctx, row)
}

func (b linkedBoard) Remove(ctx context.Context, work string, attempt int) error {
	if err := b.link.down(); err != nil {
		return err
	}
	return b.PresenceBoard.Remove(ctx, work, attempt)
}

// documents opens the read models' database that the nodes of a world share.
func (w *world) documents() *sqlite.Documents {
	w.t.Helper()
	docs, err := sqlite.Open(filepath.Join(w.dir, "models.db"))
	must(w.t, err)
	return docs
}

// startNode starts a process that looks for its own work.
func (w *world) startNode(worker string, docs *sqlite.Documents) *node {
	w.t.Helper()
	l := &link{Store: w.store, files: w.files, hooks: w.hooks}
	log := eventstore.NewLog(l, w.codec)
	n := &node{
		process: &process{
			w: w, link: l, render: &renderer{dir: w.dir, worker: worker, seconds: 4},
			set: newImpatientCommandSet(log, l, shortTimeout, shortAge), stopped: make(chan error, 1),
		},
		reads: make(chan error, 1),
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	var err error
	n.models, err = projections.Open(ctx, projections.Config{
		Documents: docs, Log: log, Project: true, RenderTimeout: shortTimeout, AbandonAfter: shortAge,
	})
	must(w.t, err)
	kinds := []string{
		projections.WorkRender, projections.WorkSettle, projections.WorkDeliver,
		projections.WorkTimeout, projections.WorkStop, projections.WorkAbandon, projections.WorkExpire,
	}
	slots := map[string]int{}
	for _, kind := range kinds {
		slots[kind] = 2
	}
	board := linkedBoard{n.models.Presence, l}
	queue, err := workqueue.New(workqueue.Config{Work: n.models.Work, Presence: board, Slots: slots, Wake: n.models.Reader.Changed()})
	must(w.t, err)
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	n.p, err = processors.New(processors.Config{
		Queue: queue, Kinds: kinds, Worker: worker, Log: log, Commands: n.set.all, Renderer: n.render, Cache: n.models.Movies, Files: l,
		Presence: board, Trouble: n.models.Trouble,
		Delivery: delivery.Roads{Visible: n.models.Reader, Webhook: l.post, Connections: connections.NewConnections(log, w.vault),
			Senders: w.parcels.senders()},
		PublicURL: "http://public", Logger: logger,
		Limits: processors.Limits{Render: shortTimeout},
	})
	must(w.t, err)
	reading, stop := context.WithCancel(context.Background())
	n.stop = stop
	go func() { n.reads <- n.models.Reader.Run(reading) }()
	go func() { n.stopped <- n.p.Run(ctx) }()
	return n
}

func (n *node) end(d time.Duration) {
	n.w.t.Helper()
	n.drain(d)
	n.stop()
	<-n.reads
}

// crash cuts the process off from everything.
func (n *node) crash() {
	n.link.crash(0, false)
	close(n.link.crashed)
}

// until polls until done is true, and fails after d.
func (w *world) until(d time.Duration, what string, done func() bool) {
	w.t.Helper()
	for end := time.Now().Add(d); !done(); time.Sleep(250 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("not within %s: %s", d, what)
		}
	}
}

// delivered tells whether the delivery of a movie has ended.
func (w *world) delivered(project domain.ProjectID) bool {
	return strings.Contains(w.types(project), "DeliveryFinished")
}

func TestPipeline_ManyMovies(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		docs := w.documents()
		defer docs.Close()
		one, two := w.startNode("one", docs), w.startNode("two", docs)
		defer one.end(time.Minute)
		defer two.end(time.Minute)
		one.render.step, two.render.step = sleeping(3*time.Second), sleeping(3*time.Second)
		var projects []domain.ProjectID
		for range 12 {
			projects = append(projects, w.submit(webhook("https://a.example")))
		}
		w.until(time.Minute, "all are delivered and settled", func() bool {
			for _, project := range projects {
				if !w.delivered(project) {
					return false
				}
			}
			return w.ledger().Held == 0
		})
		if l := w.ledger(); l.Charged != 12*4 {
			t.Errorf("charged %d", l.Charged)
		}
		if len(w.hooks.calls) != 12 || one.render.renders+two.render.renders != 12 || one.render.renders == 0 || two.render.renders == 0 {
			t.Errorf("%d webhooks, %d and %d renders", len(w.hooks.calls), one.render.renders, two.render.renders)
		}
	})
}

func TestPipeline_AnotherTakesOverWithin30Seconds(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		docs := w.documents()
		defer docs.Close()
		one := w.startNode("one", docs)
		defer one.end(0)
		one.render.step = untilCancelled
		project := w.submit(webhook("https://a.example"))
		w.until(5*time.Second, "it is rendering", func() bool { return w.movie(project).Status() == movie.Running })
		two := w.startNode("two", docs)
		defer two.end(time.Minute)
		time.Sleep(25 * time.Second)
		if two.render.renders != 0 {
			t.Error("a living claim was taken over")
		}
		one.crash()
		w.until(30*time.Second, "another takes over", func() bool { return w.movie(project).Status() == movie.Done })
		w.until(5*time.Second, "it is delivered", func() bool { return w.delivered(project) })
		if end := w.finished(project); end.Attempt != 2 || end.Worker != "two" {
			t.Errorf("outcome %+v", end)
		}
		w.until(5*time.Second, "it is settled", func() bool { return w.ledger().Charged == 4 && w.ledger().Held == 0 })
	})
}

func TestPipeline_ADrainedRenderStartsAgainElsewhereAtOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		docs := w.documents()
		defer docs.Close()
		two := w.startNode("two", docs)
		two.render.step = untilCancelled
		project := w.submit()
		w.until(5*time.Second, "it is rendering", func() bool { return w.movie(project).Status() == movie.Running })
		one := w.startNode("one", docs)
		defer one.end(time.Minute)
		two.end(time.Second)
		w.until(2*time.Second, "the other renders it", func() bool { return w.movie(project).Status() == movie.Done })
	})
}

// Decision 19.
func TestPipeline_ARenderThatHangsTimesOutAndIsClosed(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		docs := w.documents()
		defer docs.Close()
		one := w.startNode("one", docs)
		defer one.end(time.Minute)
		one.render.step = untilCancelled
		project := w.submit(webhook("https://a.example"))
		w.until(5*time.Second, "it is rendering", func() bool { return w.movie(project).Status() == movie.Running })
		started := w.movie(project).FirstStarted()
		w.until(shortTimeout+time.Second, "it times out", func() bool { return w.movie(project).Status() == movie.Timeout })
		if after := time.Since(started); after < shortTimeout || after > shortTimeout+5*time.Second {
			t.Errorf("timed out after %s", after)
		}
		w.until(5*time.Second, "the hold is released", func() bool { return w.ledger().Held == 0 })
		if len(w.hooks.calls) != 0 {
			t.Error("a webhook went out before the end")
		}
		w.until(shortTimeout+5*time.Second, "it is closed", func() bool { return w.delivered(project) })
		if end := w.finished(project); end.Success || w.movie(project).Status() != movie.Timeout {
			t.Errorf("outcome %+v", end)
		}
		if len(w.hooks.calls) != 1 || w.hooks.calls[0].payload["success"] != false {
			t.Errorf("webhooks %+v", w.hooks.calls)
		}
	})
}

func TestPipeline_AHoldWithoutMovieIsReleased(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		docs := w.documents()
		defer docs.Close()
		one := w.startNode("one", docs)
		defer one.end(time.Minute)
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: "AbCdEfGhIjKlMnOp", Amount: 7})))
		})
		time.Sleep(shortAge - time.Second)
		if w.ledger().Held != 7 {
			t.Error("released too early")
		}
		w.until(5*time.Second, "it is released", func() bool { return w.ledger().Held == 0 })
	})
}
