package admin

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"moviola/domain"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Queue reads the work list.
type Queue interface {
	Census(ctx context.Context, now time.Time) ([]projections.Waiting, error)
	Claimed(ctx context.Context, kind string) ([]projections.WorkItem, error)
}

// mostShares is the maximum number of shares in an answer, one for each account and kind of work: those that have waited
// longest.
const mostShares = 200

// KindShown is the amount of work of one kind.
type KindShown struct {
	Kind          string  `json:"kind"`
	Role          string  `json:"role"`
	Waiting       int     `json:"waiting"`
	Running       int     `json:"running"`
	OldestSeconds float64 `json:"oldest_seconds"`
}

// ShareShown is an account's part of the work of a kind.
type ShareShown struct {
	Account       domain.AccountID `json:"account"`
	Kind          string           `json:"kind"`
	Waiting       int              `json:"waiting"`
	Running       int              `json:"running"`
	OldestSeconds float64          `json:"oldest_seconds"`
	Share         float64          `json:"share"`
}

// QueueShown is the answer of GET /admin/queue.
type QueueShown struct {
	Success  bool         `json:"success"`
	Kinds    []KindShown  `json:"kinds"`
	Accounts []ShareShown `json:"accounts"`
	More     int          `json:"more"`
}

// shares sums up the work list by account and kind.
type shares struct {
	now   time.Time
	kinds []KindShown
	at    map[share]*ShareShown
}

type share struct {
	account domain.AccountID
	kind    string
}

func (s *shares) of(account domain.AccountID, kind string) *ShareShown {
	key := share{account, kind}
	if s.at[key] == nil {
		s.at[key] = &ShareShown{Account: account, Kind: kind}
	}
	return s.at[key]
}

// addWaiting adds work items that wait for a slot.
func (s *shares) addWaiting(all []projections.Waiting) {
	for _, waiting := range all {
		age := max(0, s.now.Sub(waiting.Oldest).Seconds())
		own := s.of(waiting.Account, waiting.Kind)
		own.Waiting, own.OldestSeconds = waiting.Items, age
		for i := range s.kinds {
			if s.kinds[i].Kind == waiting.Kind {
				s.kinds[i].Waiting += waiting.Items
				s.kinds[i].OldestSeconds = max(s.kinds[i].OldestSeconds, age)
			}
		}
	}
}

// shown returns the accounts' shares, the longest wait first.
func (s *shares) shown() []ShareShown {
	all := make([]ShareShown, 0, len(s.at))
	for _, one := range s.at {
		for _, kind := range s.kinds {
			if kind.Kind == one.Kind {
				one.Share = float64(one.Waiting+one.Running) / float64(kind.Waiting+kind.Running)
			}
		}
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b ShareShown) int {
		return cmp.Or(cmp.Compare(b.OldestSeconds, a.OldestSeconds), cmp.Compare(b.Running, a.Running), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Account, b.Account))
	})
	return all
}

// readQueue serves GET /admin/queue.
func (a *API) readQueue(w http.ResponseWriter, r *http.Request) error {
	sum := shares{now: a.cfg.Capacity.Now(), at: map[share]*ShareShown{}}
	waiting, err := a.cfg.Queue.Census(r.Context(), sum.now)
	if err != nil {
		return err
	}
	for _, kind := range projections.WorkKinds() {
		claimed, err := a.cfg.Queue.Claimed(r.Context(), kind.Name)
		if err != nil {
			return err
		}
		sum.kinds = append(sum.kinds, KindShown{Kind: kind.Name, Role: kind.Role, Running: len(claimed)})
		for _, item := range claimed {
			sum.of(domain.AccountID(item.Account), kind.Name).Running++
		}
	}
	sum.addWaiting(waiting)
	answer := QueueShown{Success: true, Kinds: sum.kinds, Accounts: sum.shown()}
	if more := len(answer.Accounts) - mostShares; more > 0 {
		answer.Accounts, answer.More = answer.Accounts[:mostShares], more
	}
	return web.Write(w, http.StatusOK, answer)
}
