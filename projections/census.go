package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// CensusLimit is the number up to which items of one kind, and events after a position, are counted.
const CensusLimit = 10_000

// Waiting counts an account's items of one kind of work that are due and not claimed.
type Waiting struct {
	Kind    string
	Account domain.AccountID
	Items   int
	Oldest  time.Time // due time of the item that is due longest
}

// Census counts the waiting items, up to CensusLimit of each kind, the longest due first.
func (w *Work) Census(ctx context.Context, now time.Time) ([]Waiting, error) {
	var all []Waiting
	for _, row := range WorkKinds() {
		kind := row.Name
		at := map[string]int{} // index of each account in the slice all
		counted := 0
		for item, err := range w.all(ctx, kind, WorkReady) {
			if err != nil {
				return nil, err
			}
			if item.Due.After(now) || counted == CensusLimit {
				break
			}
			counted++
			i, known := at[item.Account]
			if !known {
				i = len(all)
				at[item.Account] = i
				all = append(all, Waiting{Kind: kind, Account: domain.AccountID(item.Account), Oldest: item.Due})
			}
			all[i].Items++
		}
	}
	return all, nil
}

// Demand is how much work of a kind there is now.
type Demand struct {
	Waiting int       // due and not claimed; at most CensusLimit
	Running int       // claimed by a process; at most CensusLimit
	Oldest  time.Time // due time of the first waiting item; zero: none waits
}

// Demand counts the work of a kind.
func (w *Work) Demand(ctx context.Context, kind string, now time.Time) (Demand, error) {
	var demand Demand
	for item, err := range w.all(ctx, kind, WorkReady) {
		if err != nil {
			return Demand{}, err
		}
		if item.Due.After(now) || demand.Waiting == CensusLimit {
			break
		}
		if demand.Waiting == 0 {
			demand.Oldest = item.Due
		}
		demand.Waiting++
	}
	for _, err := range w.all(ctx, kind, WorkClaimed) {
		if err != nil {
			return Demand{}, err
		}
		if demand.Running++; demand.Running == CensusLimit {
			break
		}
	}
	return demand, nil
}

// Lag is how far the read models are behind the log.
type Lag struct {
	Head   eventstore.Position // end of the log
	Events int                 // events that the read models lack; at most CensusLimit
	Age    time.Duration       // age of the oldest event that the read models lack
}

// Lag measures how far the read models of this process lag. It looks at no more than the next CensusLimit events of the log.
func (r *Reader) Lag(ctx context.Context) (Lag, error) {
	place, _, _ := r.place()
	head, err := r.config.Log.Store().Head(ctx)
	lag := Lag{Head: head}
	if err != nil || place.Compare(head) >= 0 {
		return lag, err
	}
	seen := 0
	for event, err := range r.config.Log.Store().ReadAll(ctx, eventstore.Forwards, place) {
		if err != nil {
			return lag, err
		}
		if seen++; seen > CensusLimit {
			break
		}
		if !concerns(event.Stream) {
			continue
		}
		if lag.Events == 0 {
			lag.Age = max(0, r.config.Now().Sub(event.Created))
		}
		lag.Events++
	}
	return lag, nil
}
