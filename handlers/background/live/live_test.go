package live_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
	"moviola/handlers/background/live"
)

// world is the webhooks of some accounts, and what they were told.
type world struct {
	mu      sync.Mutex
	hooks   map[domain.AccountID][]connections.OpenedConnection
	told    []string // endpoint, body and signing secrets of each call
	running map[string]int
	most    map[string]int                                          // of calls at the same time, by account and in all ("")
	answer  func(ctx context.Context, endpoint string)              // returns when the receiver has answered
	result  func(endpoint string) (deliveries.WebhookResult, error) // nil: delivered when it is answered in time
	waited  []eventstore.Position
	shown   func(eventstore.Position) // called while it is waited for a position
}

func (w *world) Hearing(_ context.Context, account domain.AccountID, event connection.LiveEvent, most int) ([]string, error) {
	var ids []string
	for _, hook := range w.hooks[account] {
		if hook.Kind.Hears(hook.Settings, event) && len(ids) < most {
			ids = append(ids, hook.ID)
		}
	}
	return ids, nil
}

func (w *world) Open(_ context.Context, account domain.AccountID, id string) (connections.OpenedConnection, error) {
	i := slices.IndexFunc(w.hooks[account], func(c connections.OpenedConnection) bool { return c.ID == id })
	return w.hooks[account][i], nil
}

func (w *world) WaitFor(_ context.Context, at eventstore.Position) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waited = append(w.waited, at)
	if w.shown != nil {
		w.shown(at)
	}
	return nil
}

func (w *world) post(ctx context.Context, call deliveries.WebhookCall) (deliveries.WebhookResult, error) {
	account, _, _ := strings.Cut(strings.TrimPrefix(call.Endpoint, "https://"), ".")
	w.mu.Lock()
	w.told = append(w.told, call.Endpoint+" "+string(call.Payload)+strings.Join(call.Signing, ""))
	for _, name := range []string{account, ""} {
		w.running[name]++
		w.most[name] = max(w.most[name], w.running[name])
	}
	w.mu.Unlock()
	if w.answer != nil {
		w.answer(ctx, call.Endpoint)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[account]--
	w.running[""]--
	if w.result != nil {
		return w.result(call.Endpoint)
	}
	return deliveries.WebhookResult{Delivered: ctx.Err() == nil}, ctx.Err()
}

// heard is what the receivers were told so far.
func (w *world) heard() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.told)
}

// atOnce is the maximum number of receivers of an account that were called at the same time; "": of all accounts together.
func (w *world) atOnce(account string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.most[account]
}

func (w *world) hook(account domain.AccountID, id, events string) {
	w.hooks[account] = append(w.hooks[account], connections.OpenedConnection{ID: id, Kind: connection.Webhook, Signing: []string{"+" + id},
		Settings: connection.Settings{"endpoint": "https://" + string(account) + ".example", "events": events}})
}

func inWorld(t *testing.T, test func(t *testing.T, w *world, a *live.Announcer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{hooks: map[domain.AccountID][]connections.OpenedConnection{}, running: map[string]int{}, most: map[string]int{}}
		log := logrus.New()
		log.SetOutput(io.Discard)
		a := live.New(live.Config{Listeners: w, Connections: w, Visible: w, Post: w.post, Log: log})
		test(t, w, a)
		a.Close(t.Context())
	})
}

func event(account domain.AccountID, name connection.LiveEvent, about, body string) live.Event {
	return live.Event{Account: account, Name: name, Subject: about, Message: "msg", Payload: []byte(body)}
}

// never waits until the caller gives up.
func never(ctx context.Context, _ string) { <-ctx.Done() }

// TestAnnounce: who lists an event is told it, by its signing secrets, and nobody else.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world, a *live.Announcer) {
		w.hook("alice", "all", "render.started, batch.finished")
		w.hook("alice", "none", "")
		w.hook("bob", "his", "render.started")
		a.Announce(event("alice", connection.RenderStarted, "p", "1"))
		a.Announce(event("alice", connection.RenderProgress, "p", "2"))
		finished := event("alice", connection.BatchFinished, "b", "3")
		finished.Visible = eventstore.Position{Commit: 7, Prepare: 7}
		a.Announce(finished)
		synctest.Wait()
		want := []string{"https://alice.example 1+all", "https://alice.example 3+all"}
		if !slices.Equal(w.heard(), want) || !slices.Equal(w.waited, []eventstore.Position{finished.Visible}) {
			t.Errorf("told %q, waited for %v", w.heard(), w.waited)
		}
	})
}

// TestAnnounce_savedJustNow: a webhook that was saved before the event is told it, although the read models show it only later.
func TestAnnounce_savedJustNow(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world, a *live.Announcer) {
		w.shown = func(eventstore.Position) { w.hook("alice", "new", "render.started") }
		e := event("alice", connection.RenderStarted, "p", "1")
		e.Visible = eventstore.Position{Commit: 7, Prepare: 7}
		a.Announce(e)
		synctest.Wait()
		if want := []string{"https://alice.example 1+new"}; !slices.Equal(w.heard(), want) {
			t.Errorf("told %q, want %q", w.heard(), want)
		}
	})
}

// TestAnnounce_latest: progress that waits is replaced by later progress of the same movie, and by nothing else.
func TestAnnounce_latest(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world, a *live.Announcer) {
		w.hook("alice", "x", "render.started, render.progress")
		w.answer = never
		a.Announce(event("alice", connection.RenderStarted, "p", "busy"))
		synctest.Wait()
		for i := range 10 {
			a.Announce(event("alice", connection.RenderProgress, "p", fmt.Sprint("p", i)))
			a.Announce(event("alice", connection.RenderProgress, "q", fmt.Sprint("q", i)))
		}
		time.Sleep(3 * live.AnswerWait)
		synctest.Wait()
		if got := strings.Join(w.heard(), " "); len(w.heard()) != 3 || !strings.Contains(got, "busy") || !strings.Contains(got, " p9") || !strings.Contains(got, " q9") {
			t.Errorf("told %q", w.heard())
		}
	})
}

// TestAnnounce_bounds: an account has one event in flight, to a bounded number of receivers that never answer, and a bounded line;
// what is beyond it is lost, progress first. Nobody waits for it: not who announces, and no other account.
func TestAnnounce_bounds(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world, a *live.Announcer) {
		for i := range 2 * live.MaxReceivers {
			w.hook("alice", fmt.Sprint(i), "render.started, render.progress")
		}
		w.hook("bob", "x", "render.started")
		w.answer = func(ctx context.Context, endpoint string) {
			if strings.Contains(endpoint, "alice") {
				<-ctx.Done()
			}
		}
		begin := time.Now()
		a.Announce(event("alice", connection.RenderStarted, "first", "first"))
		synctest.Wait()
		a.Announce(event("alice", connection.RenderProgress, "progress", "progress"))
		for i := range 10 * live.MaxWaiting {
			a.Announce(event("alice", connection.RenderStarted, fmt.Sprint(i), fmt.Sprint("#", i)))
		}
		a.Announce(event("bob", connection.RenderStarted, "p", "for bob"))
		synctest.Wait()
		if time.Since(begin) != 0 || !slices.Contains(w.heard(), "https://bob.example for bob+x") {
			t.Errorf("after %v bob was told %q", time.Since(begin), w.heard())
		}
		time.Sleep((live.MaxWaiting + 2) * live.AnswerWait)
		synctest.Wait()
		if want := (live.MaxWaiting+1)*live.MaxReceivers + 1; len(w.heard()) != want || w.atOnce("alice") != live.MaxReceivers {
			t.Errorf("%d calls, want %d; %d at the same time", len(w.heard()), want, w.atOnce("alice"))
		}
		if slices.ContainsFunc(w.heard(), func(s string) bool { return strings.Contains(s, "progress") }) {
			t.Error("progress kept its place in a full line")
		}
	})
}

// TestAnnounce_oneTry: an event is sent once and never again, to a receiver that fails, to one that refuses and to one that never
// answers; the last is given up after 5 seconds.
func TestAnnounce_oneTry(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world, a *live.Announcer) {
		begin := time.Now()
		ended := map[string]time.Duration{}
		w.answer = func(ctx context.Context, endpoint string) {
			if strings.Contains(endpoint, "silent") {
				<-ctx.Done()
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			ended[endpoint] = time.Since(begin)
		}
		w.result = func(endpoint string) (deliveries.WebhookResult, error) {
			if strings.Contains(endpoint, "failing") {
				return deliveries.WebhookResult{}, errors.New("no connection")
			}
			return deliveries.WebhookResult{Message: "status 500"}, nil
		}
		for _, account := range []domain.AccountID{"failing", "refusing", "silent"} {
			w.hook(account, "x", "render.progress")
			a.Announce(event(account, connection.RenderProgress, "p", "1"))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		want := map[string]time.Duration{"https://failing.example": 0, "https://refusing.example": 0, "https://silent.example": 5 * time.Second}
		if len(w.heard()) != 3 || !maps.Equal(ended, want) {
			t.Errorf("told %q, answered after %v", w.heard(), ended)
		}
	})
}

// TestAnnounce_accounts: of many accounts with receivers that never answer, a bounded number of events is in flight, and all come
// to their turn.
func TestAnnounce_accounts(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world, a *live.Announcer) {
		w.answer = never
		for i := range 100 {
			account := domain.AccountID(fmt.Sprint("account", i))
			w.hook(account, "x", "render.started")
		}
		for account := range w.hooks {
			a.Announce(event(account, connection.RenderStarted, "p", "1"))
			a.Announce(event(account, connection.RenderStarted, "q", "2"))
		}
		time.Sleep(200 / 16 * 2 * live.AnswerWait)
		synctest.Wait()
		if len(w.heard()) != 200 || w.atOnce("") != 16 {
			t.Errorf("%d calls, %d at the same time", len(w.heard()), w.atOnce(""))
		}
	})
}

// TestClose: what waits is lost, what is in flight is waited for until the caller's time is over; after that nothing is sent.
func TestClose(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world, a *live.Announcer) {
		w.hook("alice", "x", "render.started")
		w.answer = never
		a.Announce(event("alice", connection.RenderStarted, "p", "1"))
		a.Announce(event("alice", connection.RenderStarted, "q", "2"))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		a.Close(ctx)
		a.Announce(event("alice", connection.RenderStarted, "r", "3"))
		a.Close(ctx)
		synctest.Wait()
		if took := time.Since(begin); took != time.Second || len(w.heard()) != 1 || w.running[""] != 0 {
			t.Errorf("after %v: told %q, %d running", took, w.heard(), w.running[""])
		}
	})
}
