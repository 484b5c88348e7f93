package anchors_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/background/anchors"
	"moviola/projections/audit"
)

// place keeps anchors in memory, or fails.
type place struct {
	label string
	mu    sync.Mutex
	fails error
	kept  []audit.Sheet
}

func (p *place) Kind() string  { return "folder" }
func (p *place) Label() string { return p.label }

func (p *place) Put(_ context.Context, sheet audit.Sheet) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails == nil {
		p.kept = append(p.kept, sheet)
	}
	return p.fails
}

// count returns the number of anchors that a place has.
func (p *place) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.kept)
}

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// installation is a log with one grant, a clock, and processes that keep anchors of it.
type installation struct {
	log    *eventstore.Log
	now    time.Time
	places []*place
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	i := &installation{log: eventstore.NewLog(memory.New(), eventstore.NewCodec()), now: t0,
		places: []*place{{label: "first"}, {label: "second"}}}
	_, err := i.log.Append(t.Context(), ledger.Stream("alice"), eventstore.NoStream, eventstore.Meta{Time: t0},
		ledger.CreditsGranted{Reference: "opening", Amount: 5, At: t0})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (i *installation) process(name string) *anchors.Anchors {
	logger, _ := logtest.NewNullLogger()
	var places []anchors.Place
	for _, p := range i.places {
		places = append(places, p)
	}
	return anchors.New(anchors.Config{
		Log: i.log, Key: ed25519.NewKeyFromSeed(make([]byte, 32)), Places: places, Every: 24 * time.Hour, Worker: name,
		Now: func() time.Time { return i.now }, Sent: func(string, error) {}, Logger: logger,
	})
}

func (i *installation) counts() [2]int { return [2]int{i.places[0].count(), i.places[1].count()} }

// TestAnchors_Round: only one of two processes makes each anchor. A place that fails gets a later anchor, and no place gets
// an anchor twice.
func TestAnchors_Round(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	one, two := i.process("one"), i.process("two")
	i.places[1].fails = errors.New("full")
	steps := []struct {
		what    string
		after   time.Duration
		mended  bool
		fails   bool
		want    [2]int
		next    time.Duration // when the next anchor is due, counted from t0
		overdue int64
	}{
		{"the first", 0, false, true, [2]int{1, 0}, 15 * time.Minute, 1},
		{"too soon", time.Minute, false, false, [2]int{1, 0}, 15 * time.Minute, 1},
		{"again, for the place that failed", 20 * time.Minute, true, false, [2]int{1, 1}, 24 * time.Hour, 0},
		{"the next day", 24 * time.Hour, true, false, [2]int{2, 1}, 24*time.Hour + 20*time.Minute, 0},
	}
	for _, step := range steps {
		i.now = t0.Add(step.after)
		if step.mended {
			i.places[1].fails = nil
		}
		next, err := one.Round(t.Context())
		if (err != nil) != step.fails {
			t.Errorf("%s: error %v", step.what, err)
		}
		if _, err := two.Round(t.Context()); err != nil {
			t.Errorf("%s, the other process: %v", step.what, err)
		}
		if got := i.counts(); got != step.want || one.Overdue() != step.overdue || two.Overdue() != step.overdue {
			t.Errorf("%s: the places have %v anchors, want %v; overdue %d and %d", step.what, got, step.want, one.Overdue(), two.Overdue())
		}
		if want := t0.Add(step.next); !next.Equal(want) {
			t.Errorf("%s: the next at %v, want %v", step.what, next, want)
		}
	}
	sheet := i.places[0].kept[1]
	var signed audit.Signed
	if err := json.Unmarshal(sheet.Content, &signed); err != nil {
		t.Fatal(err)
	}
	anchor, err := signed.Open(sheet.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	found, err := audit.Verify(t.Context(), i.log.Store(), anchor, sheet.List)
	if err != nil || found.Difference != nil || found.Events != 1 || sheet.Events != 1 || sheet.Ledgers != 1 {
		t.Errorf("the anchor that was kept: %+v, %v", found, err)
	}
}

// TestAnchors_Run: the first anchor is taken without waiting for a day, and the schedule ends with its context.
func TestAnchors_Run(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	ctx, cancel := context.WithCancel(t.Context())
	sent, ended := make(chan string, 2), make(chan error, 1)
	a := anchors.New(anchors.Config{
		Log: i.log, Key: ed25519.NewKeyFromSeed(make([]byte, 32)), Places: []anchors.Place{i.places[0]}, Every: time.Hour, Worker: "w",
		Now: time.Now, Sent: func(kind string, _ error) { sent <- kind }, Logger: logrus.New(),
	})
	go func() { ended <- a.Run(ctx) }()
	if kind := <-sent; kind != "folder" {
		t.Errorf("sent to a %s", kind)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
