package processors_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/background/delivery"
	"moviola/handlers/background/processors"
	"moviola/projections"
)

const (
	alice         = domain.AccountID("default")
	renderTimeout = 15 * time.Minute
	abandonAge    = 10 * time.Minute
	fileRetention = 7 * 24 * time.Hour
)

// world is what several processes share: the log, the files, the receivers of webhooks, and the time of a bubble.
type world struct {
	t     *testing.T
	store *memory.Store
	files *commandstest.Files
	board *board
	hooks *receiver
	cache *cache
	dir   string
	codec *eventstore.Codec
	made  int // movies that differ from each other

	troubles    *troubles
	vault       commands.Vault
	parcels     *parcels
	outputMaker *outputMaker // nil: outputs are not made
	news        *news        // nil: nobody is told
}

// inWorld runs a test in a bubble of fake time, in which alice is on the paid plan and has 600 credits.
func inWorld(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			t: t, store: memory.New(), files: commandstest.NewFiles(time.Now), board: &board{rows: map[string]projections.Presence{}},
			hooks: &receiver{}, cache: &cache{}, troubles: &troubles{rows: map[string]projections.Trouble{}}, dir: dir, codec: eventstore.NewCodec(),
			vault: newVault(t), parcels: &parcels{},
		}
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.ledgers.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "first", Amount: 600})))
		})
		must(t, second(w.log().Append(t.Context(), account.Stream(alice), eventstore.NoStream, eventstore.Meta{Account: alice, Time: time.Now()},
			account.Opened{Name: "Alice", Plan: "paid", At: time.Now()})))
		test(t, w)
	})
}

func (w *world) log() *eventstore.Log { return eventstore.NewLog(w.store, w.codec) }

// commandSet is the real commands of one process.
type commandSet struct {
	ledgers *ledgers.Ledgers
	submit  commands.SubmitMovieHandler
	delete  commands.DeleteFileHandler
	cancel  commands.CancelMovieHandler
	again   deliveries.RequestRedeliveryHandler
	all     processors.Commands
}

func newCommandSet(log *eventstore.Log, files commands.Files) *commandSet {
	return newImpatientCommandSet(log, files, renderTimeout, abandonAge)
}

// newImpatientCommandSet is newCommandSet with other limits than the specification's.
func newImpatientCommandSet(log *eventstore.Log, files commands.Files, renderTimeout, abandonAge time.Duration) *commandSet {
	now := time.Now
	ledgers := ledgers.New(log, now)
	settle := commands.NewSettleMovieHandler(log, ledgers, files)
	return &commandSet{
		ledgers: ledgers,
		delete:  commands.NewDeleteFileHandler(log, files, now),
		cancel:  commands.NewCancelMovieHandler(log, now),
		again:   deliveries.NewRequestRedeliveryHandler(log, now),
		submit: commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
			Log: log, Ledgers: ledgers, Files: files, NewProject: commands.NewProjectID, Now: now,
		}),
		all: processors.Commands{
			StartRender:   commands.NewStartRenderHandler(log, now, renderTimeout),
			ReleaseRender: commands.NewReleaseRenderHandler(log, now),
			FinishRender:  commands.NewFinishRenderHandler(log, files, now),
			TimeOutRender: commands.NewTimeOutRenderHandler(log, now, renderTimeout),
			AbandonSubmission: commands.NewAbandonSubmissionHandler(commands.AbandonSubmissionConfig{
				Log: log, Ledgers: ledgers, Settle: settle, Now: now, Age: abandonAge,
			}),
			SettleMovie: settle,
			PlanRender:  commands.NewPlanRenderHandler(commands.PlanRenderConfig{Log: log, Ledgers: ledgers, Now: now}),
			ExpireFile:  commands.NewExpireFileHandler(log, files, now, fileRetention),
			Delivery: delivery.Commands{
				StartDelivery:   deliveries.NewStartDeliveryHandler(log, now),
				RecordDelivery:  deliveries.NewRecordDeliveryHandler(log, now),
				ReleaseDelivery: deliveries.NewReleaseDeliveryHandler(log, now),
				FinishDelivery:  deliveries.NewFinishDeliveryHandler(log, now),

				RecordConnectionTest: connections.NewRecordConnectionTestHandler(log, now),
				CountRecipients:      deliveries.NewCountRecipientsHandler(log, somePlans(), now),
			},
		},
	}
}

// commands lets use work with the commands of a process that does nothing else.
func (w *world) commands(log *eventstore.Log, use func(*commandSet)) {
	c := newCommandSet(log, w.files)
	defer c.ledgers.Close()
	use(c)
}

// submit posts a movie of 4 seconds, like no other, with these export destinations.
func (w *world) submit(destinations ...map[string]any) domain.ProjectID {
	w.t.Helper()
	w.made++
	body, err := json.Marshal(map[string]any{
		"variables": map[string]any{"n": w.made},
		"id":        "mine", "client-data": map[string]any{"n": 1},
		"scenes":  []any{map[string]any{"duration": 4}},
		"exports": []any{map[string]any{"destinations": destinations}},
	})
	must(w.t, err)
	return w.submitBody(body)
}

func (w *world) submitBody(body []byte) domain.ProjectID {
	w.t.Helper()
	var project domain.ProjectID
	w.commands(w.log(), func(c *commandSet) {
		s, err := c.submit.Handle(w.t.Context(), commands.SubmitMovie{Account: alice, Body: body})
		must(w.t, err)
		project = s.Project
	})
	return project
}

// events returns the stream of a movie.
func (w *world) events(project domain.ProjectID) []domain.Event {
	w.t.Helper()
	return w.stream(movie.Stream(project))
}

func (w *world) stream(name string) []domain.Event {
	w.t.Helper()
	var out []domain.Event
	for recorded, err := range w.store.ReadStream(context.Background(), name, eventstore.Forwards, 0) {
		must(w.t, err)
		event, _, err := w.codec.Decode(recorded)
		must(w.t, err)
		out = append(out, event)
	}
	return out
}

// types names the events of a movie, in order.
func (w *world) types(project domain.ProjectID) string {
	var names []string
	for _, event := range w.events(project) {
		names = append(names, event.EventType())
	}
	return strings.Join(names, " ")
}

func (w *world) movie(project domain.ProjectID) *movie.Movie {
	m := movie.New(project)
	for _, event := range w.events(project) {
		m.Apply(event)
	}
	return m
}

func (w *world) ledger() ledger.Totals {
	l := ledger.New()
	for _, event := range w.stream(ledger.Stream(alice)) {
		l.Apply(event)
	}
	return l.Totals()
}

// finished returns the only outcome of a movie.
func (w *world) finished(project domain.ProjectID) movie.RenderFinished {
	w.t.Helper()
	var found []movie.RenderFinished
	for _, event := range w.events(project) {
		if f, ok := event.(movie.RenderFinished); ok {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		w.t.Fatalf("%d outcomes in %s", len(found), w.types(project))
	}
	return found[0]
}

// tries returns what was recorded of the deliveries of a movie.
func (w *world) tries(project domain.ProjectID) []movie.DeliveryAttempted {
	var out []movie.DeliveryAttempted
	for _, event := range w.events(project) {
		if a, ok := event.(movie.DeliveryAttempted); ok {
			out = append(out, a)
		}
	}
	return out
}

// process is one run of the program: its processors over a log of its own connection, fed by hand.
type process struct {
	w       *world
	link    *link
	queue   *queue
	render  *renderer
	fetch   *fetcher
	set     *commandSet
	p       *processors.Processors
	stopped chan error
	cancel  context.CancelFunc
	lines   *logtest.Hook // what the process logs
}

// start starts a process. The test drains it.
func (w *world) start(worker string) *process { return w.startDeaf(worker, false) }

// startDeaf starts a process. With deaf set, the process gets no events that others append.
func (w *world) startDeaf(worker string, deaf bool) *process {
	w.t.Helper()
	link := &link{Store: w.store, files: w.files, hooks: w.hooks, deaf: deaf}
	log := eventstore.NewLog(link, w.codec)
	pr := &process{
		w: w, link: link, queue: newQueue(), render: &renderer{dir: w.dir, worker: worker, seconds: 4},
		fetch: &fetcher{}, set: newCommandSet(log, link), stopped: make(chan error, 1),
	}
	logger, lines := logtest.NewNullLogger()
	pr.lines = lines
	var err error
	var outputs processors.Outputs
	if w.outputMaker != nil {
		outputs = w.outputMaker
	}
	var told processors.News
	if w.news != nil {
		told = w.news
	}
	pr.p, err = processors.New(processors.Config{
		Outputs: outputs, News: told,
		Queue: pr.queue, Worker: worker, Log: log, Commands: pr.set.all, Renderer: pr.render, Encoder: movie.Encoder{Name: "x264", Version: "core 164"}, Cache: w.cache, Files: link,
		Fetcher: pr.fetch, Fetches: commands.NewSourceFetches(log, time.Now),
		Kinds: []string{
			projections.WorkFetch, projections.WorkRender, projections.WorkSettle, projections.WorkDeliver,
			projections.WorkTimeout, projections.WorkStop, projections.WorkAbandon, projections.WorkExpire,
		},
		Presence: w.board, Trouble: w.troubles,
		Delivery: delivery.Roads{Visible: link, Webhook: link.post, Connections: connections.NewConnections(log, w.vault),
			Senders: w.parcels.senders()},
		PublicURL: "http://public", Logger: logger,
	})
	must(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	pr.cancel = cancel
	go func() { pr.stopped <- pr.p.Run(ctx) }()
	synctest.Wait()
	return pr
}

// drain ends the process within d. It may be called more than once.
func (pr *process) drain(d time.Duration) {
	pr.w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := pr.p.Drain(ctx); err != nil {
		pr.w.t.Errorf("drain: %v", err)
	}
	if err := <-pr.stopped; err != nil {
		pr.w.t.Errorf("run: %v", err)
	}
	pr.stopped <- nil
	pr.cancel()
	pr.set.ledgers.Close()
}

// send hands a task to the process and returns at once; the channel tells whether it was acked.
func (pr *process) send(task projections.Task) <-chan bool { return pr.queue.send(task) }

// do hands a task over and waits for its end.
func (pr *process) do(task projections.Task) {
	pr.w.t.Helper()
	select {
	case ok := <-pr.send(task):
		if !ok {
			pr.w.t.Errorf("%s failed", task.ID)
		}
	case <-time.After(2 * time.Hour):
		pr.w.t.Fatalf("%s does not end", task.ID)
	}
}

func task(kind string, project domain.ProjectID, dead int) projections.Task {
	return projections.Task{
		WorkItem: projections.WorkItem{ID: kind + "/" + string(project), Kind: kind, Account: string(alice), Subject: string(project)},
		Dead:     dead,
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func second[A any](_ A, err error) error { return err }

func webhook(endpoint string) map[string]any {
	return map[string]any{"type": "webhook", "endpoint": endpoint}
}
