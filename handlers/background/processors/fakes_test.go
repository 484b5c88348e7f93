package processors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/delivery"
	"moviola/projections"
)

// queue hands over the tasks that a test sends.
type queue struct {
	mu     sync.Mutex
	topics map[string]chan *message.Message
	inWork sync.WaitGroup
	closed bool
}

func newQueue() *queue { return &queue{topics: map[string]chan *message.Message{}} }

func (q *queue) topic(kind string) chan *message.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.topics[kind] == nil {
		q.topics[kind] = make(chan *message.Message)
		if q.closed { // a subscription that comes too late has ended
			close(q.topics[kind])
		}
	}
	return q.topics[kind]
}

func (q *queue) Subscribe(_ context.Context, kind string) (<-chan *message.Message, error) {
	return q.topic(kind), nil
}

func (q *queue) Stop(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		q.inWork.Wait()
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queue) Close() error {
	q.inWork.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	q.closed = true
	for _, topic := range q.topics {
		close(topic)
	}
	return nil
}

func (q *queue) send(task projections.Task) <-chan bool {
	return q.sendUnder(context.Background(), task)
}

// sendUnder hands a task over in a message that has a context.
func (q *queue) sendUnder(ctx context.Context, task projections.Task) <-chan bool {
	payload, err := json.Marshal(task)
	if err != nil {
		panic(err)
	}
	msg := message.NewMessageWithContext(ctx, task.ID, payload)
	answered := make(chan bool, 1)
	q.inWork.Add(1)
	q.topic(task.Kind) <- msg
	go func() {
		defer q.inWork.Done()
		select {
		case <-msg.Acked():
			answered <- true
		case <-msg.Nacked():
			answered <- false
		}
	}()
	return answered
}

// renderer makes small files. A step that is set replaces the default.
type renderer struct {
	dir     string
	worker  string
	seconds int64

	mu      sync.Mutex
	renders int
	caption bool                                                           // the movie has captions
	step    func(ctx context.Context, job commands.RenderJob, n int) error // after the plan; its error ends the render
}

func (r *renderer) Finished(domain.ProjectID) int { return 0 }

func (r *renderer) Render(ctx context.Context, job commands.RenderJob) (commands.Rendered, error) {
	r.mu.Lock()
	r.renders++
	n, step := r.renders, r.step
	r.mu.Unlock()
	if err := job.Fetched(ctx, map[string]string{"https://a.example/1.png": "aa"}); err != nil {
		return commands.Rendered{}, err
	}
	plan := movie.Dimensions{Width: 320, Height: 180, Frames: 25 * r.seconds, FPSNum: 25, FPSDen: 1}
	if err := job.Planned(ctx, plan, []string{"Movie Element #1: too long"}); err != nil {
		return commands.Rendered{}, err
	}
	job.Progress(50)
	if step != nil {
		if err := step(ctx, job, n); err != nil {
			return commands.Rendered{}, err
		}
	}
	subtitles := ""
	stem := filepath.Join(r.dir, fmt.Sprintf("%s-%s-%d", r.worker, job.Project, n))
	err := errors.Join(
		os.WriteFile(stem+".mp4", []byte("movie by "+r.worker), 0o600), os.WriteFile(stem+".jpg", []byte("picture"), 0o600))
	if r.caption {
		subtitles = stem + ".ass"
		err = errors.Join(err, os.WriteFile(subtitles, []byte("captions"), 0o600))
	}
	return commands.Rendered{
		Subtitles: subtitles,
		Plan:      plan, File: movie.File{Size: int64(len("movie by " + r.worker)), Codec: "h264", CodecType: "video", VideoStreams: 1, AudioStreams: 1, FrameRate: 25},
		Movie: stem + ".mp4", Thumbnail: stem + ".jpg",
		Close: func() { _, _ = os.Remove(stem+".mp4"), os.Remove(stem+".jpg") },
	}, err
}

// link is a process's road to the world outside. A crashed process reaches nothing any more.
type link struct {
	eventstore.Store
	files *commandstest.Files
	hooks *receiver

	mu      sync.Mutex
	appends int
	crashAt int  // crash at this append, from 1; 0: never
	after   bool // the append is stored all the same
	crashed chan struct{}

	deaf    bool                      // hears nothing of what others append
	visible func(eventstore.Position) // returns when the read models show it; nil: they always do
}

// crash makes the process crash at its nth append, before or after it is stored, and returns a channel that is closed then.
func (l *link) crash(n int, after bool) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.crashAt, l.after, l.crashed = n, after, make(chan struct{})
	return l.crashed
}

func (l *link) down() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.crashed == nil {
		return nil
	}
	select {
	case <-l.crashed:
		return eventstore.ErrUnavailable
	default:
		return nil
	}
}

func (l *link) Append(ctx context.Context, stream string, expected eventstore.Revision, events ...eventstore.Proposed) (eventstore.Appended, error) {
	if err := l.down(); err != nil {
		return eventstore.Appended{}, err
	}
	l.mu.Lock()
	l.appends++
	now := l.crashed != nil && l.appends == l.crashAt
	l.mu.Unlock()
	if !now {
		return l.Store.Append(ctx, stream, expected, events...)
	}
	if l.after {
		if _, err := l.Store.Append(ctx, stream, expected, events...); err != nil {
			return eventstore.Appended{}, err
		}
	}
	close(l.crashed)
	return eventstore.Appended{}, eventstore.ErrUnavailable
}

func (l *link) Subscribe(ctx context.Context, after eventstore.Position, filter eventstore.Filter) (eventstore.Subscription, error) {
	if err := l.down(); err != nil {
		return nil, err
	}
	if l.deaf {
		return silence{}, nil
	}
	return l.Store.Subscribe(ctx, after, filter)
}

// silence is a subscription that brings nothing, as one of a paused process does.
type silence struct{}

func (silence) Next(ctx context.Context) (eventstore.Notice, error) {
	<-ctx.Done()
	return eventstore.Notice{}, ctx.Err()
}

func (silence) Close() {}

func (l *link) Put(ctx context.Context, key string, r io.Reader) error {
	if err := l.down(); err != nil {
		return err
	}
	return l.files.Put(ctx, key, r)
}

func (l *link) Open(_ context.Context, key string) (commands.File, error) {
	if err := l.down(); err != nil {
		return nil, err
	}
	return l.files.Open(context.Background(), key)
}

func (l *link) Delete(ctx context.Context, key string) error {
	if err := l.down(); err != nil {
		return err
	}
	return l.files.Delete(ctx, key)
}

func (l *link) List(ctx context.Context, prefix string) ([]string, error) {
	return l.files.List(ctx, prefix)
}

func (l *link) WaitFor(_ context.Context, at eventstore.Position) error {
	if l.visible != nil {
		l.visible(at)
	}
	return l.down()
}

func (l *link) post(ctx context.Context, sent delivery.WebhookCall) (delivery.WebhookResult, error) {
	if err := l.down(); err != nil {
		return delivery.WebhookResult{}, err
	}
	return l.hooks.post(ctx, sent)
}

// board is a presence board that remembers how often each row was written.
type board struct {
	mu    sync.Mutex
	rows  map[string]projections.Presence
	fails error
	hangs bool // it answers only when the caller gives up
}

func (b *board) Beat(ctx context.Context, row projections.Presence) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	if b.fails != nil {
		return b.fails
	}
	row.Beat = b.rows[row.Work].Beat + 1
	b.rows[row.Work] = row
	return nil
}

func (b *board) Remove(_ context.Context, work string, attempt int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rows[work].Attempt == attempt {
		delete(b.rows, work)
	}
	return nil
}

func (b *board) row(work string) projections.Presence {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rows[work]
}

// receiver is where webhooks arrive.
type receiver struct {
	mu      sync.Mutex
	calls   []call
	answers func(ctx context.Context, n int) (delivery.WebhookResult, error) // n counts from 1; default: delivered
}

type call struct {
	endpoint, contentType string
	message               string
	signing               []string
	payload               map[string]any
	at                    time.Time
}

func (r *receiver) post(ctx context.Context, sent delivery.WebhookCall) (delivery.WebhookResult, error) {
	c := call{endpoint: sent.Endpoint, contentType: sent.ContentType, message: sent.Message, signing: sent.Signing, at: time.Now()}
	if err := json.Unmarshal(sent.Payload, &c.payload); err != nil {
		return delivery.WebhookResult{}, err
	}
	r.mu.Lock()
	r.calls = append(r.calls, c)
	n, answers := len(r.calls), r.answers
	r.mu.Unlock()
	if answers != nil {
		return answers(ctx, n)
	}
	return delivery.WebhookResult{Delivered: true, HTTPStatus: 200, Message: "Delivered"}, nil
}

// cache finds movies by what a test has put in it.
type cache struct {
	mu    sync.Mutex
	found map[string]projections.Movie // by account and key
	fails error
}

func (c *cache) Cached(_ context.Context, account domain.AccountID, key string) (projections.Movie, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.found[string(account)+"/"+key]
	return found, ok, c.fails
}

// set makes every look fail with an error; nil: none.
func (c *cache) set(fails error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fails = fails
}
