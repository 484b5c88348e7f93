package audit_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
	"moviola/projections/audit"
)

// chain is the seal over texts of entries, as docs/audit.md describes it.
func chain(texts ...string) string {
	digest := make([]byte, 32)
	for _, text := range texts {
		sum := sha256.Sum256(append(digest, text...))
		digest = sum[:]
	}
	return hex.EncodeToString(digest)
}

// TestRun_tampered changes a sound log in one place, and the audit finds it.
func TestRun_tampered(t *testing.T) {
	t.Parallel()
	original := tapeOf(t, sound(t).store)
	without := func(kind string, n int) tape {
		l := slices.Clone(original)
		i := l.indexOf(kind, n)
		return slices.Delete(l, i, i+1)
	}
	swap := func(kind string, n int, old, fresh string) tape {
		l := slices.Clone(original)
		i := l.indexOf(kind, n)
		if !bytes.Contains(l[i].Data, []byte(old)) {
			t.Fatalf("%s has no %s", l[i].Data, old)
		}
		l[i].Data = bytes.Replace(l[i].Data, []byte(old), []byte(fresh), 1)
		return l
	}
	twice := func(kind string, n int) tape {
		l := slices.Clone(original)
		again := l[l.indexOf(kind, n)]
		again.Position.Commit = l[len(l)-1].Position.Commit + 1
		return append(l, again).renumber()
	}
	tests := []struct {
		name string
		log  tape
		want string
	}{
		{"an entry is missing", without("CreditsReleased", 0), "follows"},
		{"a release is missing, and the rest renumbered", aged(without("CreditsReleased", 0).renumber()), "late is not settled"},
		{"a charge is missing, and the rest renumbered", aged(without("CreditsCharged", 0).renumber()), "paid is not settled"},
		{"a hold nobody gives back", aged(original), "young has never come"},
		{"a grant is missing", without("CreditsGranted", 0).renumber(), "less than nothing"},
		{"a hold is missing", without("CreditsHeld", 0).renumber(), "nothing is held or counted for paid"},
		{"a grant is there twice", twice("CreditsGranted", 0), "there twice"},
		{"a charge is there twice", twice("CreditsCharged", 0), "nothing is open for it"},
		{"a hold is there twice", twice("CreditsHeld", 0), "twice"},
		{"a count is there twice", twice("MovieCounted", 0), "closed ledger"},
		{"a release is larger", swap("CreditsReleased", 0, `"amount":3`, `"amount":2`), "does not end like this"},
		{"a charge is smaller", swap("CreditsCharged", 0, `"amount":7`, `"amount":6`), "does not end like this"},
		{"the movie cost less", swap("RenderFinished", 0, `"credits":7`, `"credits":6`), "does not end like this"},
		{"the movie failed", swap("RenderFinished", 0, `"success":true`, `"success":false`), "does not end like this"},
		{"a grant is smaller", swap("CreditsGranted", 0, `"amount":100`, `"amount":99`), "has the id"},
		{"a grant of an earlier version is smaller than what was spent",
			former(t, swap("CreditsGranted", 0, `"amount":100`, `"amount":6`)), "less than nothing"},
		{"a movie is of another account", swap("MovieSubmitted", 0, `"account":"alice"`, `"account":"bob"`), "pays for it"},
		{"a hold is for another movie", swap("CreditsHeld", 0, `"project":"paid"`, `"project":"pied"`), "has the id"},
		{"a movie without hold", without("CreditsHeld", 5).renumber(), ""},
		{"a late render costs", swap("RenderFinished", 1, `"credits":0`, `"credits":3`), "after it was settled"},
		{"a count is taken back as another", swap("CountReleased", 0, `"draft":true`, `"draft":false`), "does not end like this"},
		{"an item that failed costs", swap("PreloadItemFinished", 1, `"error":"no"`, `"credits":10`), "does not end like this"},
		{"the outcome is missing", without("RenderFinished", 0).renumber(), "no outcome yet"},
		{"the outcome comes later", later(original, "RenderFinished", 0), "no outcome yet"},
		{"an abandoned movie has come", swap("CreditsReleased", 0, `"project":"late"`, `"project":"open"`), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := run(t, tt.log, nil)
			if report.Difference == nil {
				t.Fatal("it goes unnoticed")
			}
			if !strings.Contains(report.Difference.Error(), tt.want) {
				t.Errorf("%v, want something about %q", report.Difference, tt.want)
			}
		})
	}
}

// TestRun_formerIDs: entries with the ids of earlier versions are sound.
func TestRun_formerIDs(t *testing.T) {
	t.Parallel()
	now := tapeOf(t, sound(t).store)
	before := former(t, now)
	if i := now.indexOf("CreditsGranted", 0); now[i].ID == before[i].ID {
		t.Error("the id of a grant is the former one")
	}
	if report := run(t, before, nil); report.Difference != nil {
		t.Error(report.Difference)
	}
}

// former is a log whose ledgers have the ids of earlier versions.
func former(t *testing.T, l tape) tape {
	t.Helper()
	l = slices.Clone(l)
	for i, r := range l {
		if !strings.HasPrefix(r.Stream, ledger.StreamCategory+"-") {
			continue
		}
		event, _, err := eventstore.NewCodec().Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		l[i].ID = eventstore.FormerID(r.Stream, event)
	}
	return l
}

// aged is a log with one more event, two hours after all others.
func aged(l tape) tape {
	l = slices.Clone(l)
	for i := range l[:len(l)-1] {
		l[i].Created = t0
	}
	last := l[len(l)-1]
	last.Stream, last.Type, last.Revision = "movie-other", "DeliveryFinished", 9
	last.Created = t0.Add(2 * time.Hour)
	last.Position.Commit++
	l[len(l)-1].Created = t0
	return append(l, last)
}

// later moves an event to the end of the log.
func later(l tape, kind string, n int) tape {
	l = slices.Clone(l)
	i := l.indexOf(kind, n)
	moved := l[i]
	return append(slices.Delete(l, i, i+1), moved)
}

// TestRun_heldAgain: a movie that was settled long ago is held and settled once more. Nothing of the first time is in mind any more,
// and it shows all the same.
func TestRun_heldAgain(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.money(alice, granted("opening", 100), held("p", 5))
	h.add(movie.Stream("p"), submitted(alice), success(5))
	h.money(alice, charged("p", 5))
	log := tapeOf(t, h.store)
	log = append(log, log[1], log[3], log[4]).renumber() // held, finished and charged again
	report := run(t, log, nil)
	if report.Difference == nil {
		t.Fatalf("it goes unnoticed: %+v", report)
	}
}

// shelf is the read models of an installation.
type shelf struct {
	balances map[domain.AccountID]projections.Balance
	movies   map[domain.ProjectID]projections.Movie
	asked    int
	arrive   int // number of questions for movies that are answered with none
}

func (s *shelf) Balance(_ context.Context, id domain.AccountID) (projections.Balance, error) {
	return s.balances[id], nil
}

func (s *shelf) Movies(context.Context, ...domain.ProjectID) (map[domain.ProjectID]projections.Movie, error) {
	if s.asked++; s.asked <= s.arrive {
		return nil, nil
	}
	return s.movies, nil
}

// books are the right read models of the sound history, at the revisions of its ledgers' ends.
func books() *shelf {
	done := func(credits int64) projections.Movie {
		return projections.Movie{Account: string(alice), Status: "done", Closed: true, Credits: credits}
	}
	kept := done(0)
	kept.Account = string(bob)
	return &shelf{
		balances: map[domain.AccountID]projections.Balance{
			alice: {Account: string(alice), Revision: 18, Granted: 100, Charged: 15, Held: 7, Balance: 85, Available: 78},
			bob:   {Account: string(bob), Revision: 5},
		},
		movies: map[domain.ProjectID]projections.Movie{"paid": done(7), "late": done(0), "cached": done(0), "kept": kept},
	}
}

func TestRun_compares(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*shelf)
		want   string
	}{
		{"the same", func(*shelf) {}, ""},
		{"late", func(s *shelf) { s.arrive = 2 }, ""},
		{"another balance", func(s *shelf) {
			b := s.balances[alice]
			b.Charged, b.Balance, b.Available = 14, 86, 79
			s.balances[alice] = b
		}, "the read model says granted 100, charged 14"},
		{"another price of a movie", func(s *shelf) {
			m := s.movies["paid"]
			m.Credits = 8
			s.movies["paid"] = m
		}, "8 credits"},
		{"another owner of a movie", func(s *shelf) {
			m := s.movies["cached"]
			m.Account = string(bob)
			s.movies["cached"] = m
		}, "account bob"},
		{"a failed movie", func(s *shelf) {
			m := s.movies["paid"]
			m.Status = "error"
			s.movies["paid"] = m
		}, "says error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shelf := books()
			tt.change(shelf)
			report := run(t, sound(t).store, func(c *audit.Config) { c.Books = shelf })
			switch {
			case tt.want == "" && (report.Difference != nil || report.Balances != 2 || report.Movies != 4):
				t.Errorf("report %+v", report)
			case tt.want != "" && (report.Difference == nil || !strings.Contains(report.Difference.What, tt.want)):
				t.Errorf("difference %v, want something about %q", report.Difference, tt.want)
			}
		})
	}
}

// TestRun_booksAhead: the log has grown since the audit's end, and the read models show it.
func TestRun_booksAhead(t *testing.T) {
	t.Parallel()
	h := sound(t)
	end := eventstore.Position(run(t, h.store, nil).Position)
	h.money(alice, granted("more", 5), held("next", 2))
	shelf := books()
	shelf.balances[alice] = projections.Balance{Account: string(alice), Revision: 20, Granted: 105, Charged: 15, Held: 9, Balance: 90, Available: 81}
	if report := run(t, h.store, func(c *audit.Config) { c.Books, c.Until = shelf, end }); report.Difference != nil {
		t.Errorf("difference %v", report.Difference)
	}
}

// TestRun_resumes: a store that is away again and again does not change what an audit comes to.
func TestRun_resumes(t *testing.T) {
	t.Parallel()
	log := tapeOf(t, sound(t).store)
	if got, want := run(t, &faltering{tape: log, every: 7}, nil), run(t, log, nil); got != want || got.Difference != nil {
		t.Errorf("report %+v, want %+v", got, want)
	}
}

// TestRun_unreadable: a log that cannot be read to its end is not audited.
func TestRun_unreadable(t *testing.T) {
	t.Parallel()
	cut := errors.New("the connection was cut")
	broken := brokenStore{tape: tapeOf(t, sound(t).store), err: cut}
	if _, err := audit.Run(t.Context(), audit.Config{Store: broken, Codec: eventstore.NewCodec()}); !errors.Is(err, cut) {
		t.Errorf("error %v", err)
	}
	unknown := tapeOf(t, sound(t).store)
	unknown[0].Type = "CreditsInvented"
	if _, err := audit.Run(t.Context(), audit.Config{Store: unknown, Codec: eventstore.NewCodec()}); !errors.Is(err, eventstore.ErrUnknownType) {
		t.Errorf("error %v", err)
	}
}
