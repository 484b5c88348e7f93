package processors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"moviola/commands"
	"moviola/eventstore"
	"moviola/handlers/background/live"
)

// news remembers what was announced.
type news struct {
	mu     sync.Mutex
	begin  time.Time
	told   []string // name, seconds since the beginning, progress
	closed bool
	bodies []map[string]any
}

func (n *news) Announce(e live.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var body map[string]any
	if err := json.Unmarshal(e.Payload, &body); err != nil {
		panic(err)
	}
	if e.Visible == (eventstore.Position{}) {
		panic("it is sent before the claim is visible")
	}
	n.bodies = append(n.bodies, body)
	n.told = append(n.told, fmt.Sprintf("%s %.0f %v", e.Name, time.Since(n.begin).Seconds(), body["progress"]))
}

func (n *news) Close(context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
}

// TestNews_progress: the start is announced once, progress at most every 5 seconds and only when it has changed, the latest each time.
func TestNews_progress(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		w.news = &news{begin: time.Now()}
		pr := w.start("w")
		pr.render.step = func(_ context.Context, job commands.RenderJob, _ int) error {
			for i := range 21 { // two steps a second, and then nothing for a while
				job.Progress(50 + float64(i))
				time.Sleep(500 * time.Millisecond)
			}
			time.Sleep(20 * time.Second)
			return nil
		}
		project := w.submit()
		pr.do(render(project, 0))
		pr.drain(time.Minute)
		if len(w.news.told) < 3 || len(w.news.told) > 4 || w.news.told[0] != "render.started 0 <nil>" || !w.news.closed {
			t.Fatalf("told %q, closed %v", w.news.told, w.news.closed)
		}
		before := 0.0
		for i, told := range w.news.told[1:] {
			var at, percent float64
			if _, err := fmt.Sscanf(told, "render.progress %f %f", &at, &percent); err != nil || at < before+5 || i == 0 && percent < 58 {
				t.Errorf("told %q: %v", w.news.told, err)
			}
			before = at
		}
		if last := w.news.bodies[len(w.news.bodies)-1]; last["progress"] != 70.0 {
			t.Errorf("the last progress is %v", last)
		}
		for _, body := range w.news.bodies {
			if _, has := body["success"]; has || body["project"] != string(project) || body["id"] != "mine" || body["client-data"].(map[string]any)["n"] != 1.0 {
				t.Errorf("body %v", body)
			}
		}
	})
}

// TestNews_attempts: a movie that is handed back and rendered again has started once.
func TestNews_attempts(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		w.news = &news{begin: time.Now()}
		project := w.submit()
		first := w.start("first")
		first.render.step = func(ctx context.Context, _ commands.RenderJob, _ int) error {
			<-ctx.Done()
			return errors.New("cut")
		}
		acked := first.send(render(project, 0))
		first.drain(time.Second)
		<-acked
		second := w.start("second")
		second.do(render(project, 0))
		second.drain(time.Minute)
		if w.finished(project).Attempt != 2 || strings.Join(w.news.told, "; ") != "render.started 0 <nil>" {
			t.Errorf("told %q of %s", w.news.told, w.types(project))
		}
	})
}
