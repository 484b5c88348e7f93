package delivery_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/workqueue"
	"moviola/commands/commandstest"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

// The bounds of a process, as the service sets them.
const (
	allPlaces  = 128
	perAccount = 8
	perHost    = 8
)

// town has receivers whose hosts say what they do: quick.example answers at once, others as conduct says, and all others never. Its
// connections are pipes, so that the time of a bubble passes. It counts who is waited for.
type town struct {
	open    sync.WaitGroup
	conduct map[string]func(conn net.Conn, try int) // by host; the first try is 1

	mu    sync.Mutex
	now   map[string]int // tries under way: all as "", by account as "@…", by host
	most  map[string]int
	asked map[string][]time.Time // when the tries of a movie began
}

func newTown() *town {
	return &town{now: map[string]int{}, most: map[string]int{}, asked: map[string][]time.Time{}}
}

// endpoint names a receiver of an account's movie.
func endpoint(project domain.ProjectID, account domain.AccountID, host string) string {
	return fmt.Sprintf("http://%s/%s/%s", host, account, project)
}

// RoundTrip counts a try, and has it made over a pipe.
func (c *town) RoundTrip(r *http.Request) (*http.Response, error) {
	account, project, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	keys := []string{"", "@" + account, r.URL.Host}
	c.mu.Lock()
	c.asked[project] = append(c.asked[project], time.Now())
	try := len(c.asked[project])
	for _, key := range keys {
		c.now[key]++
		c.most[key] = max(c.most[key], c.now[key])
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, key := range keys {
			c.now[key]--
		}
	}()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		c.open.Go(func() { c.receive(far, r.URL.Host, try) })
		return near, nil
	}}
	return transport.RoundTrip(r)
}

// receive takes a request and does what its host is known for.
func (c *town) receive(conn net.Conn, host string, try int) {
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 8192)); err != nil {
		return
	}
	if conduct := c.conduct[host]; conduct != nil {
		conduct(conn, try)
		return
	}
	if host == "quick.example" {
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		return
	}
	silent(conn)
}

// silent waits until the other side has had enough.
func silent(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// list is the list of deliveries that are left, in the order in which they came.
type list struct {
	mu    sync.Mutex
	items []projections.WorkItem
	tries map[string][]movie.DeliveryAttempted
	over  map[string]time.Time // when the last try of a movie was recorded
	next  deliveries.RecordDeliveryHandler
}

func (l *list) put(account domain.AccountID, project domain.ProjectID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, projections.WorkItem{
		ID: "deliver/" + string(project), Kind: projections.WorkDeliver, Account: string(account), Subject: string(project),
		State: projections.WorkReady, Due: time.Now(),
	})
}

// Handle records a try, and takes what is done off the list.
func (l *list) Handle(ctx context.Context, cmd deliveries.RecordDelivery) (eventstore.Position, error) {
	at, err := l.next.Handle(ctx, cmd)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tries[string(cmd.Project)] = append(l.tries[string(cmd.Project)], cmd.Attempt)
	if err == nil && cmd.Attempt.Final {
		l.over[string(cmd.Project)] = time.Now()
		l.items = slices.DeleteFunc(l.items, func(i projections.WorkItem) bool { return i.Subject == string(cmd.Project) })
	}
	return at, err
}

func (l *list) left() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.items)
}

func (l *list) Candidates(_ context.Context, _ string, _ time.Time, perAccount int) ([]projections.WorkItem, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := map[string]int{}
	var out []projections.WorkItem
	for _, item := range l.items {
		if taken[item.Account]++; taken[item.Account] <= perAccount {
			out = append(out, item)
		}
	}
	slices.SortStableFunc(out, func(a, b projections.WorkItem) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

func (l *list) Claimed(context.Context, string) ([]projections.WorkItem, error) { return nil, nil }
func (l *list) List(context.Context) ([]projections.Presence, error)            { return nil, nil }
func (l *list) NextDue(context.Context, string) (time.Time, bool, error) {
	return time.Time{}, false, nil
}

// traffic is a deliverer with its work list, in a bubble.
type traffic struct {
	t     *testing.T
	log   *eventstore.Log
	files *commandstest.Files
	list  *list
	town  *town
	wake  chan struct{}
	made  int
}

// inTraffic runs a test with a deliverer that has the bounds of the service, and ends both. What is left of them then, a goroutine or a
// timer, fails the test.
func inTraffic(t *testing.T, test func(*traffic)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
		w := &traffic{t: t, log: log, files: commandstest.NewFiles(time.Now), town: newTown(), wake: make(chan struct{}, 1)}
		w.list = &list{tries: map[string][]movie.DeliveryAttempted{}, over: map[string]time.Time{}, next: deliveries.NewRecordDeliveryHandler(log, time.Now)}
		queue, err := workqueue.New(workqueue.Config{
			Work: w.list, Presence: w.list, Slots: map[string]int{projections.WorkDeliver: allPlaces},
			PerAccount: map[string]int{projections.WorkDeliver: perAccount}, Wake: w.wake,
		})
		if err != nil {
			t.Fatal(err)
		}
		end := startDeliverer(t, deliverer{log: log, files: w.files, queue: queue, transport: w.town, perHost: perHost, record: w.list})
		test(w)
		end()
		if err := queue.Close(); err != nil {
			t.Error(err)
		}
		w.town.open.Wait()
	})
}

// closed puts a movie on the list and returns its id.
func (w *traffic) closed(account domain.AccountID, host string) domain.ProjectID {
	w.t.Helper()
	w.made++
	id := project(w.made)
	closed(w.t, w.log, w.files, account, id, endpoint(id, account, host))
	w.list.put(account, id)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return id
}

// pass lets time pass, a second at a time, until nothing is left to do.
func (w *traffic) pass() {
	w.t.Helper()
	for range 100_000 {
		if w.list.left() == 0 {
			return
		}
		time.Sleep(time.Second)
	}
	w.t.Fatalf("%d deliveries are left", w.list.left())
}

// bounded checks how many tries there were at the same time.
func (w *traffic) bounded() {
	w.t.Helper()
	w.town.mu.Lock()
	defer w.town.mu.Unlock()
	for key, most := range w.town.most {
		bound := perHost
		if key == "" {
			bound = allPlaces
		}
		if most > bound {
			w.t.Errorf("%d tries at the same time of %q, want at most %d", most, key, bound)
		}
	}
}

// latencies makes a movie of a healthy account every 300 ms, a hundred in all, and returns how long each waited for its try.
func (w *traffic) latencies() []time.Duration {
	w.t.Helper()
	begun := map[domain.ProjectID]time.Time{}
	for range 100 {
		begun[w.closed("healthy", "quick.example")] = time.Now()
		time.Sleep(300 * time.Millisecond)
	}
	w.town.mu.Lock()
	defer w.town.mu.Unlock()
	var all []time.Duration
	for id, at := range begun {
		asked := w.town.asked[string(id)]
		if len(asked) != 1 {
			w.t.Fatalf("%s was tried %d times", id, len(asked))
		}
		all = append(all, asked[0].Sub(at))
	}
	slices.Sort(all)
	return all
}

// While 500 dead receivers of one account are waited for, each for 30 seconds, 8 at a time, the deliveries of another account begin as
// soon as they do without them, and each dead one ends within 30.5 seconds of its own start.
func TestPace(t *testing.T) {
	t.Parallel()
	var alone, beside []time.Duration
	inTraffic(t, func(w *traffic) {
		alone = w.latencies()
		w.pass()
	})
	inTraffic(t, func(w *traffic) {
		var dead []domain.ProjectID
		for i := range 500 {
			dead = append(dead, w.closed("slow", fmt.Sprintf("dead%d.example", i)))
		}
		time.Sleep(time.Second)
		beside = w.latencies()
		if left := w.list.left(); left < 400 {
			w.t.Errorf("only %d dead ones were left meanwhile", left)
		}
		w.pass()
		w.bounded()
		if most := w.town.most["@slow"]; most != perAccount {
			w.t.Errorf("%d tries at the same time of the slow account, want %d", most, perAccount)
		}
		for _, id := range dead {
			tries := w.list.tries[string(id)]
			if len(tries) != 1 || tries[0].Status != movie.DeliveryError || !tries[0].Final || tries[0].DurationMS < 30_000 || tries[0].DurationMS > 30_500 {
				w.t.Errorf("%s: %+v", id, tries)
			}
		}
	})
	t.Logf("waited at most %s beside the dead, %s without them", beside[len(beside)-1], alone[len(alone)-1])
	if worst := beside[len(beside)-1]; worst > alone[len(alone)-1]+10*time.Millisecond || worst > 50*time.Millisecond {
		t.Errorf("a healthy delivery waited %s beside the dead ones, without them at most %s", worst, alone[len(alone)-1])
	}
}

// Dead receivers of 40 accounts take all places and no more; those of 20 accounts at one host take the host's places and no more. All come
// to their end.
func TestPace_Bounds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		accounts, movies int
		host             func(i int) string
		bound            string // key in town.most of the bound that is reached
		most             int
	}{
		"in all":   {40, 400, func(i int) string { return fmt.Sprintf("dead%d.example", i) }, "", allPlaces},
		"per host": {20, 60, func(int) string { return "crowded.example" }, "crowded.example", perHost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTraffic(t, func(w *traffic) {
				for i := range tt.movies {
					w.closed(domain.AccountID(fmt.Sprintf("account%d", i%tt.accounts)), tt.host(i))
				}
				w.pass()
				w.bounded()
				if most := w.town.most[tt.bound]; most != tt.most {
					t.Errorf("%d tries at the same time, want %d: the bound was not put to the test", most, tt.most)
				}
				for id, tries := range w.list.tries {
					if len(tries) != 1 || !tries[0].Final {
						t.Errorf("%s: %+v", id, tries)
					}
				}
			})
		})
	}
}
