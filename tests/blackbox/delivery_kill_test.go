package blackbox_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/tests/harness"
)

// killer is a receiver of webhooks and a storage at once. The first call for a movie ends the service with SIGKILL: before the answer,
// so that nobody can know of it, or behind the answer's last byte, before it can be recorded.
type killer struct {
	t        *testing.T
	listener net.Listener
	service  *harness.Service
	open     sync.WaitGroup

	mu    sync.Mutex
	late  bool // the service is killed after the answer, not before
	calls []call
}

// call is what a killer was sent.
type call struct {
	Method, Path string
	Body         []byte
}

func newKiller(t *testing.T) *killer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &killer{t: t, listener: listener}
	server := &http.Server{Handler: http.HandlerFunc(k.serve), ReadHeaderTimeout: time.Minute}
	k.open.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		_ = server.Close()
		k.open.Wait()
	})
	return k
}

func (k *killer) address() string { return k.listener.Addr().String() }

func (k *killer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	k.mu.Lock()
	k.calls = append(k.calls, call{r.Method, r.URL.Path, body})
	first, late := len(k.calls) == 1, k.late
	k.mu.Unlock()
	if !first {
		return // with 200
	}
	process := k.service.API // the test starts another as soon as this one is dead
	if late {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			k.t.Error(err)
			return
		}
		defer conn.Close()
		_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		if dead := syscall.Kill(process.Pid(), syscall.SIGKILL); err != nil || dead != nil {
			k.t.Errorf("answer, then kill: %v, %v", err, dead)
		}
	}
	process.Kill() // and waits
}

// arm makes the next call one that kills.
func (k *killer) arm(late bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls, k.late = nil, late
}

// taken are the calls since the killer was armed.
func (k *killer) taken() []call {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.calls
}

// TestKilledDelivery ends the whole service between a delivery and its record, again and again: nothing is lost, nothing comes more
// than twice, what was recorded is not sent again, and the movie says that it is delivered. Decision 32; reliability §1.
func TestKilledDelivery(t *testing.T) {
	t.Parallel()
	steady, bad := harness.NewReceiver(t), newKiller(t)
	service := harness.NewService(t, "--allow-host", steady.Host, "--allow-host", bad.address(), "--claim-timeout", "1h")
	bad.service = service
	service.StartAPI()
	client := service.NewAccount("killed", 600)
	bucket, err := json.Marshal(object{
		"id": "bucket", "type": "aws-s3", "bucket": "movies", "region": "eu-central-1", "access-key-id": "AKIA", "secret-access-key": "hush",
		"endpoint": "http://" + bad.address(), "path-style": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer := client.Do(http.MethodPost, "/connections", bucket); answer.Status != http.StatusOK {
		t.Fatalf("save: %d %s", answer.Status, answer.Body)
	}
	hook := object{"type": "webhook", "endpoint": "http://" + bad.address() + "/hook"}
	storage := object{"type": "aws-s3", "id": "bucket"}
	for _, tt := range []struct {
		name, kind string
		to         object
		late       bool
	}{
		{"webhook, before the answer", "webhook", hook, false},
		{"webhook, behind the answer", "webhook", hook, true},
		{"webhook, behind the answer again", "webhook", hook, true},
		{"storage, before the answer", "aws-s3", storage, false},
		{"storage, behind the answer", "aws-s3", storage, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad.arm(tt.late)
			movie := survive(t, service, client, steady, tt.name, tt.to)
			if kind := movie.DestinationsResult[1]["type"]; kind != tt.kind {
				t.Errorf("delivered by %v, want %s", kind, tt.kind)
			}
			checkTwice(t, client, movie, bad.taken(), tt.late)
		})
	}
}

// survive submits a movie for a steady receiver and for a destination that ends the service, starts the service again, and returns the
// movie once everything is delivered: each destination with one result, the steady one called once.
func survive(t *testing.T, service *harness.Service, client *harness.Client, steady *harness.Receiver, name string, to object) harness.Movie {
	t.Helper()
	before := len(steady.Hits())
	project := client.Submit(object{"id": name, "scenes": list{object{"duration": 1}}, "exports": list{object{"destinations": list{
		object{"type": "webhook", "endpoint": steady.URL + "/hook"}, to,
	}}}})
	harness.Eventually(t, "the service is dead", service.API.Exited)
	service.StartAPI()
	var movie harness.Movie
	harness.Eventually(t, "both destinations have their result", func() bool {
		movie = client.Get(project).Movie
		return len(movie.DestinationsResult) == 2 && movie.DestinationsResult[1]["status"] != "pending"
	})
	if got := len(steady.Hits()) - before; got != 1 {
		t.Errorf("the destination that was recorded before was called %d times", got)
	}
	for i, r := range movie.DestinationsResult {
		if r["index"] != float64(i) || r["status"] != "ok" || r["attempts"] != 1.0 {
			t.Errorf("result %d: %v", i, r)
		}
	}
	if movie.Status != "done" {
		t.Errorf("the movie is %s: %s", movie.Status, movie.Message)
	}
	checkPast(t, client, project)
	return movie
}

// checkTwice: one call, or two that are the same.
func checkTwice(t *testing.T, client *harness.Client, movie harness.Movie, calls []call, late bool) {
	t.Helper()
	t.Logf("%d calls", len(calls))
	switch {
	case len(calls) == 0 || len(calls) > 2:
		t.Fatalf("%d calls, want one or two", len(calls))
	case len(calls) == 1 && !late:
		t.Error("one call: the answer never came, yet it counts as delivered")
	case len(calls) == 2:
		if diff := cmp.Diff(calls[0], calls[1]); diff != "" {
			t.Errorf("the second call differs (-first +second):\n%s", diff)
		}
	}
	switch calls[0].Method {
	case http.MethodPost:
		if !strings.Contains(string(calls[0].Body), `"project":"`+movie.Project+`"`) {
			t.Errorf("the webhook says %s", calls[0].Body)
		}
	case http.MethodPut:
		if video := client.Download(*movie.URL, nil).Body; !bytes.Equal(calls[len(calls)-1].Body, video) {
			t.Errorf("%d bytes arrived, the video has %d", len(calls[len(calls)-1].Body), len(video))
		}
	}
}

// checkPast: the history shows a run that ended with its process, a second one, and every try that was recorded, one for each
// destination.
func checkPast(t *testing.T, client *harness.Client, project string) {
	t.Helper()
	var past struct {
		Events []struct {
			Type, Status string
			Delivery     *struct {
				Run, Index, Try int
				Final           bool
				Status          string
			}
		}
	}
	client.Do(http.MethodGet, "/movies/events?project="+project, nil).Into(t, &past)
	runs, tries := 0, map[int]int{}
	for _, e := range past.Events {
		switch {
		case e.Delivery == nil:
		case e.Delivery.Try == 0:
			runs = max(runs, e.Delivery.Run)
		default:
			tries[e.Delivery.Index]++
			if e.Delivery.Try != 1 || !e.Delivery.Final || e.Delivery.Status != "ok" {
				t.Errorf("%s of run %d: %+v", e.Type, e.Delivery.Run, *e.Delivery)
			}
		}
	}
	if diff := cmp.Diff(map[int]int{0: 1, 1: 1}, tries); diff != "" || runs < 1 || runs > 2 {
		t.Errorf("%d runs, tries by destination (-want +got):\n%s", runs, diff)
	}
}
