package previews_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"moviola/commands/previews"
	"moviola/domain"
	"moviola/domain/plan"
	"moviola/internal/fair"
)

// patience is how long a test waits for something that must happen.
const patience = 2 * time.Minute

// studio is a Reader and a Drawer. Each drawing sends its document to began, and ends when it receives from let, or with its
// context.
type studio struct {
	limit int
	began chan string
	let   chan struct{}

	mu   sync.Mutex
	now  time.Time
	most map[domain.AccountID]int
	busy map[domain.AccountID]int
}

func newStudio(places, limit int) (*studio, *previews.Handler) {
	s := &studio{
		limit: limit, began: make(chan string, 1000), let: make(chan struct{}), now: time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC),
		most: map[domain.AccountID]int{}, busy: map[domain.AccountID]int{},
	}
	return s, previews.New(previews.Config{
		Drawer: func(context.Context) (previews.Drawer, error) { return s, nil }, Reader: s, Now: s.clock, Places: places,
	})
}

func (s *studio) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *studio) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *studio) Sketch(_ context.Context, _ domain.AccountID, body []byte) ([]byte, plan.Plan, error) {
	if string(body) == "wrong" {
		return nil, plan.Plan{}, domain.Errorf(domain.Invalid, "movie_json_invalid", "wrong")
	}
	return body, plan.Plan{Previews: s.limit}, nil
}

func (s *studio) Stills(ctx context.Context, job previews.Job) (previews.Drawn, error) {
	s.mu.Lock()
	s.busy[job.Account]++
	s.most[job.Account] = max(s.most[job.Account], s.busy[job.Account])
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy[job.Account]--
	}()
	s.began <- string(job.Document)
	select {
	case <-s.let:
		return previews.Drawn{Warnings: []string{string(job.Document)}}, nil
	case <-ctx.Done():
		return previews.Drawn{}, ctx.Err()
	}
}

// asked is a running request: the channel gets its error when it ends.
type asked chan error

func ask(t *testing.T, h *previews.Handler, account domain.AccountID, body string) asked {
	t.Helper()
	done := make(asked, 1)
	go func() {
		drawn, err := h.Handle(t.Context(), previews.Draw{Account: account, Body: []byte(body)})
		if err == nil && (len(drawn.Warnings) != 1 || drawn.Warnings[0] != body) {
			err = fmt.Errorf("drawn %v", drawn.Warnings)
		}
		done <- err
	}()
	return done
}

func (a asked) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-a:
		return err
	case <-time.After(patience):
		t.Fatal("a preview has not ended")
		return nil
	}
}

func (s *studio) begins(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-s.began:
		if got != want {
			t.Fatalf("%s is drawn, want %s", got, want)
		}
	case <-time.After(patience):
		t.Fatalf("%s is not drawn", want)
	}
}

func codeOf(err error) string {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return fmt.Sprint(err)
}

// TestHandle_newest: of one account one request is drawn and one waits; a newer request replaces the waiting one. Decision
// 70.
func TestHandle_newest(t *testing.T) {
	t.Parallel()
	s, h := newStudio(2, 100)
	first := ask(t, h, "a", "1")
	s.begins(t, "1")
	second := ask(t, h, "a", "2")
	for h.Waiting("a") == 0 { // the second request has to wait before the third comes
		select {
		case err := <-second:
			t.Fatalf("the second ended with %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	third := ask(t, h, "a", "3")
	if err := second.wait(t); codeOf(err) != "preview_replaced" {
		t.Errorf("the second ended with %v", err)
	}
	other := ask(t, h, "b", "other") // the other place is for another account
	s.begins(t, "other")
	s.let <- struct{}{}
	s.let <- struct{}{}
	s.begins(t, "3")
	s.let <- struct{}{}
	for _, a := range []asked{first, other, third} {
		if err := a.wait(t); err != nil {
			t.Error(err)
		}
	}
	if s.most["a"] != 1 {
		t.Errorf("%d requests of one account were drawn at once", s.most["a"])
	}
}

// A request whose context has ended frees its place: the next request is drawn.
func TestHandle_givenUp(t *testing.T) {
	t.Parallel()
	s, h := newStudio(1, 100)
	first := ask(t, h, "a", "1")
	s.begins(t, "1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Handle(ctx, previews.Draw{Account: "b", Body: []byte("2")}); !errors.Is(err, context.Canceled) || errors.Is(err, fair.ErrBusy) {
		t.Errorf("given up: %v", err)
	}
	s.let <- struct{}{}
	if err := first.wait(t); err != nil {
		t.Error(err)
	}
	last := ask(t, h, "b", "3")
	s.begins(t, "3")
	s.let <- struct{}{}
	if err := last.wait(t); err != nil {
		t.Error(err)
	}
}

// TestHandle_quota: the plan limits the requests per hour. A request whose body is refused does not count. Decision 70.
func TestHandle_quota(t *testing.T) {
	t.Parallel()
	s, h := newStudio(1, 2)
	close(s.let)
	draw := func(account domain.AccountID, body string) string {
		_, err := h.Handle(t.Context(), previews.Draw{Account: account, Body: []byte(body)})
		return codeOf(err)
	}
	for i, row := range []struct {
		after         time.Duration
		account       domain.AccountID
		body, outcome string
	}{
		{0, "a", "wrong", "movie_json_invalid"},
		{0, "a", "1", "<nil>"},
		{20 * time.Minute, "a", "2", "<nil>"},
		{0, "a", "3", "preview_quota"},
		{0, "b", "4", "<nil>"},
		{39 * time.Minute, "a", "5", "preview_quota"},
		{time.Minute, "a", "6", "<nil>"},
	} {
		s.pass(row.after)
		if got := draw(row.account, row.body); got != row.outcome {
			t.Errorf("row %d: %s, want %s", i, got, row.outcome)
		}
	}
}

// TestHandle_flood: however many requests one account makes, at most one of them is drawn before a request of another
// account, and one of them waits. Decision 70.
func TestHandle_flood(t *testing.T) {
	t.Parallel()
	const many = 500
	s, h := newStudio(1, many+2)
	first := ask(t, h, "flood", "first")
	s.begins(t, "first")
	flood := make([]asked, many)
	for i := range flood {
		flood[i] = ask(t, h, "flood", "more")
	}
	other := ask(t, h, "other", "other")
	for h.Waiting("other") == 0 {
		select {
		case err := <-other:
			t.Fatalf("the other ended with %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	s.let <- struct{}{}
	drawn := 0
	for next := ""; next != "other"; {
		select {
		case next = <-s.began:
		case err := <-other: // the machine is so busy that the request has waited too long
			if !errors.Is(err, fair.ErrBusy) {
				t.Fatalf("the other ended with %v", err)
			}
			drawn, other = 0, ask(t, h, "other", "other")
			continue
		case <-time.After(patience):
			t.Fatal("the other is not drawn")
		}
		if next != "other" {
			drawn++
		}
		s.let <- struct{}{}
	}
	if drawn > 1 {
		t.Errorf("%d requests of the flood were drawn before the other", drawn)
	}
	close(s.let)
	replaced := 0
	for _, a := range flood {
		switch err := a.wait(t); {
		case codeOf(err) == "preview_replaced":
			replaced++
		case err != nil && !errors.Is(err, fair.ErrBusy):
			t.Errorf("of the flood: %v", err)
		}
	}
	for _, a := range []asked{first, other} {
		if err := a.wait(t); err != nil {
			t.Error(err)
		}
	}
	if replaced == 0 || s.most["flood"] != 1 {
		t.Errorf("%d requests were replaced, %d of one account were drawn at once", replaced, s.most["flood"])
	}
}
