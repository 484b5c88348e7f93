package commands_test

import (
	"fmt"
	"testing"
	"time"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// onPlan opens alice's account on a plan.
func (w *world) onPlan(name string) {
	w.t.Helper()
	_, err := w.log.Append(w.t.Context(), account.Stream(alice), eventstore.NoStream, eventstore.Meta{Account: alice, Time: t0},
		account.Opened{Name: "Alice", Plan: name, At: t0})
	w.must(err)
}

func (w *world) submit(body string) (commands.Submission, error) {
	return w.submitHandler().Handle(w.t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(body)})
}

// still returns the JSON of a movie with the given size in pixels and length in seconds.
func still(width, height, seconds int) string {
	return fmt.Sprintf(`{"resolution":"custom","width":%d,"height":%d,"scenes":[{"duration":%d}]}`, width, height, seconds)
}

const upgrade = "Please upgrade the service plan to continue."

func tooLarge(size, allowance string) *domain.Error {
	return domain.Errorf(domain.QuotaExceeded, "movie_too_large", "Movie is larger (%s) than the service plan allowance (%s)", size, allowance)
}

func tooLong(seconds, allowance int) *domain.Error {
	return domain.Errorf(domain.Invalid, "movie_too_long",
		"Movie duration (%d seconds) is longer than the service plan allowance (%d seconds). "+upgrade, seconds, allowance)
}

// TestSubmitMovie_plans has a row for what each plan allows and refuses at submission. Decisions 17 and 36; spec: Limits.
func TestSubmitMovie_plans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		plan string
		pack bool
		body string
		want *domain.Error
	}{
		{plan: "free", body: still(1920, 1080, 60)},
		{plan: "free", body: still(1080, 1920, 60)},
		{plan: "free", body: still(1920, 1082, 1), want: tooLarge("1920x1082", "1920x1080")},
		{plan: "free", body: still(640, 360, 61), want: tooLong(61, 60)},
		{plan: "free", body: still(1920, 1082, 61), want: tooLarge("1920x1082", "1920x1080")},
		{plan: "free", pack: true, body: still(640, 360, 1800)},
		{plan: "free", pack: true, body: still(640, 360, 1801), want: tooLong(1801, 1800)},
		{plan: "free", pack: true, body: still(1922, 1080, 1), want: tooLarge("1922x1080", "1920x1080")},
		{plan: "paid", body: still(3840, 3840, 1800)},
		{plan: "paid", body: still(640, 360, 1801), want: tooLong(1801, 1800)},
		{plan: "counted", body: still(640, 360, 1801), want: tooLong(1801, 1800)},
	}
	for _, tt := range tests {
		t.Run(tt.plan+" "+tt.body, func(t *testing.T) {
			t.Parallel()
			w := newEmptyWorld(t)
			w.onPlan(tt.plan)
			kind := ""
			if tt.pack {
				kind = ledger.PackGrant
			}
			_, err := w.ledgers.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "all", Kind: kind, Amount: 5000})
			w.must(err)
			_, err = w.submit(tt.body)
			if tt.want == nil {
				w.must(err)
				return
			}
			requireRefusal(t, err, tt.want)
			w.wantFiles()
			w.wantEvents(ledgerStream, "CreditsGranted")
		})
	}
}

// TestChangePlan: every process applies a new plan after a second at the latest.
func TestChangePlan(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	change := func(to string) error {
		_, err := accounts.NewChangePlanHandler(w.log, w.ledgers, plan.Plans{}, w.clock).Handle(t.Context(), accounts.ChangePlan{Account: alice, Plan: to})
		return err
	}
	requireRefusal(t, change("paid"), domain.Errorf(domain.NotFound, "account_not_found", "Account alice not found"))
	w.onPlan("free")
	w.grant(alice, 5000)
	requireRefusal(t, change("gold"), domain.Errorf(domain.Invalid, "plan_invalid", "plan must be one of counted, free, paid"))
	handler := w.submitHandler()
	submit := func() error {
		_, err := handler.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(still(640, 360, 61))})
		return err
	}
	requireRefusal(t, submit(), tooLong(61, 60))
	w.must(change("paid"))
	w.must(change("paid"))
	w.wait(time.Second)
	w.must(submit())
	w.must(change("free"))
	w.wait(time.Second)
	requireRefusal(t, submit(), tooLong(61, 60))
	w.wantEvents(account.Stream(alice), "AccountOpened", "PlanChanged", "PlanChanged")
}

func (w *world) planRender(counted bool, p movie.Dimensions) error {
	h := commands.NewPlanRenderHandler(commands.PlanRenderConfig{Log: w.log, Ledgers: w.ledgers, Now: w.clock})
	return h.Handle(w.t.Context(), commands.PlanRender{Account: alice, Project: project, Attempt: 1, Counted: counted, Plan: p})
}

// TestPlanRender: a movie whose exact length or size exceeds the plan, which was not known at submission, is refused before
// it is encoded, and never charged. Decision 17.
func TestPlanRender(t *testing.T) {
	t.Parallel()
	exact := func(width, height int, frames int64) movie.Dimensions {
		return movie.Dimensions{Width: width, Height: height, Frames: frames, FPSNum: 25, FPSDen: 1}
	}
	tests := []struct {
		name string
		plan movie.Dimensions
		held int64
		want error
	}{
		{"allowed", exact(1920, 1080, 1500), 60, nil},
		{"a frame too long", exact(1920, 1080, 1501), 7, tooLong(61, 60)},
		{"too large", exact(1922, 1080, 25), 7, tooLarge("1922x1080", "1920x1080")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.onPlan("free")
			w.submitted()
			err := w.planRender(false, tt.plan)
			if tt.want == nil {
				w.must(err)
			} else {
				requireRefusal(t, err, tt.want.(*domain.Error))
			}
			w.wantCredits(0, tt.held)
		})
	}
	w := newWorld(t)
	w.submitted()
	_, err := w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: "another000000000", Amount: 90})
	w.must(err)
	requireRefusal(t, w.planRender(false, exact(640, 360, 25*11)), errInsufficient)
}

// TestMaxCredits: a movie that costs more than MaxCredits is refused: at submission, or when its exact price is known.
// Decision 75.
func TestMaxCredits(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.onPlan("paid")
	w.grant(alice, 600)
	submit := func(most int64) (commands.Submission, error) {
		return w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds), MaxCredits: most})
	}
	exceeded := func(credits, most int64) *domain.Error {
		return domain.Errorf(domain.Invalid, "max_credits_exceeded", "The movie costs %d credits, more than max_credits (%d). Make it shorter, or raise max_credits.", credits, most)
	}
	_, err := submit(6)
	requireRefusal(t, err, exceeded(7, 6))
	w.wantCredits(0, 0)
	accepted, err := submit(9)
	w.must(err)
	claim, err := commands.NewStartRenderHandler(w.log, w.clock, time.Hour).Handle(t.Context(), commands.StartRender{Project: accepted.Project, Worker: "worker"})
	w.must(err)
	planned := func(seconds int64) error {
		return commands.NewPlanRenderHandler(commands.PlanRenderConfig{Log: w.log, Ledgers: w.ledgers, Now: w.clock}).Handle(t.Context(), commands.PlanRender{
			Account: alice, Project: accepted.Project, Attempt: claim.Attempt, MaxCredits: claim.MaxCredits,
			Plan: movie.Dimensions{Width: 640, Height: 360, Frames: 25 * seconds, FPSNum: 25, FPSDen: 1},
		})
	}
	requireRefusal(t, planned(10), exceeded(10, 9))
	w.wantCredits(0, 7)
	w.must(planned(9))
	w.wantCredits(0, 9)
}

// TestCountedPlan goes through the life of movies on a counted plan: they cost no credits, a quota per month limits their
// number, and the count of a failed movie is taken back. Decision 36.
func TestCountedPlan(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	plans, err := plan.New(plan.Plan{
		Name: "counted", Length: time.Minute, Width: 1920, Height: 1080, Counted: true, Movies: 2, Drafts: 1,
	})
	w.must(err)
	handler := commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: w.log, Ledgers: w.ledgers, Files: w.files, Plans: plans, NewProject: w.newProject, Now: w.clock,
	})
	submit := func(body string) error {
		w.t.Helper()
		if err := handler.Admit(t.Context(), alice, ""); err != nil {
			return err
		}
		_, err := handler.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(body)})
		return err
	}
	noMovies := domain.Errorf(domain.QuotaExceeded, "movie_quota_exceeded", "You exceeded the quota of movies in the service plan. "+upgrade)
	noDrafts := domain.Errorf(domain.QuotaExceeded, "draft_quota_exceeded", "You exceeded the quota of drafts in the service plan. "+upgrade)
	const draft = `{"draft":true,"scenes":[{"duration":3}]}`
	w.onPlan("counted")
	w.must(submit(sevenSeconds)) // the account never had credits, and is not suspended
	w.must(submit(sevenSeconds))
	requireRefusal(t, submit(sevenSeconds), noMovies)
	w.must(submit(draft))
	requireRefusal(t, submit(draft), noDrafts)
	w.wantEvents(ledgerStream, "MovieCounted", "MovieCounted", "DraftCounted")
	if got := w.last(movieStream).(movie.Submitted); !got.Counted || got.Held != 0 {
		t.Errorf("submitted %+v", got)
	}

	// The first movie fails, and its count is taken back.
	claim, err := w.start("w1", 0)
	w.must(err)
	if !claim.Counted {
		t.Error("the claim says nothing of the counted plan")
	}
	w.must(w.planRender(true, movie.Dimensions{Width: 64, Height: 64, Frames: 1500, FPSNum: 25, FPSDen: 1}))
	w.must(w.finish(commands.FinishRender{Attempt: 1, Worker: "w1", Message: "broken"}))
	w.must(w.settle())
	w.must(w.settle())
	w.wantEvents(ledgerStream, "MovieCounted", "MovieCounted", "DraftCounted", "CountReleased")
	w.must(submit(sevenSeconds))
	requireRefusal(t, submit(sevenSeconds), noMovies)

	w.wait(10 * 24 * time.Hour) // into December
	w.must(submit(sevenSeconds))
	w.must(submit(draft))
}

// TestCountedPlan_success: the count of a successful movie is kept, also of a movie from the cache. The count of a success
// after the time-out is taken back.
func TestCountedPlan_success(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cached domain.ProjectID
		late   bool
		want   string
	}{
		"rendered":       {want: "CountKept"},
		"from the cache": {cached: "another000000000", want: "CountKept"},
		"late":           {late: true, want: "CountReleased"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEmptyWorld(t)
			w.onPlan("counted")
			_, err := w.submit(sevenSeconds)
			w.must(err)
			_, err = w.start("w1", 0)
			w.must(err)
			if tt.late {
				w.wait(timeout)
				w.must(w.timeOut())
			}
			success := w.success(1, "w1")
			success.CachedFrom = tt.cached
			w.must(w.finish(success))
			if got := w.last(movieStream).(movie.RenderFinished); got.Credits != 0 {
				t.Errorf("it costs %d credits", got.Credits)
			}
			w.must(w.settle())
			w.must(w.settle())
			w.wantEvents(ledgerStream, "MovieCounted", tt.want)
		})
	}
}

// TestSettleMovie_cached: a movie from the cache costs nothing. Decision 20.
func TestSettleMovie_cached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	_, err := w.start("w1", 0)
	w.must(err)
	success := w.success(1, "w1")
	success.CachedFrom, success.CacheKey = "another000000000", "key"
	w.must(w.finish(success))
	w.must(w.settle())
	w.must(w.settle())
	w.wantCredits(0, 0)
	if got := w.last(ledgerStream).(ledger.CreditsReleased); got.Reason != "cached" || got.Amount != 7 {
		t.Errorf("released %+v", got)
	}
}

// TestCountedPlan_abandoned: the count of an abandoned submission is taken back.
func TestCountedPlan_abandoned(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.onPlan("counted")
	w.kill(movie.StreamCategory)
	_, err := w.submit(sevenSeconds)
	requireRefusal(t, err, errNotCreated)
	w.restart()
	w.wait(age)
	w.must(w.abandon())
	w.wantEvents(ledgerStream, "MovieCounted", "CountReleased")
	w.wantEvents(movieStream, "SubmissionAbandoned")
	w.wantFiles()
}
