package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// CensusLimit is how many items of a kind a census counts at most.
const CensusLimit = 10_000

// Waiting is what an account has waiting of a kind of work: ready, due, and taken by nobody.
type Waiting struct {
	Kind    string
	Account domain.AccountID
	Items   int
	Oldest  time.Time // since when the first of them is due
}

// Census counts what waits, up to CensusLimit items of each kind: those that are due for longest.
func (w *Work) Census(ctx context.Context, now time.Time) ([]Waiting, error) {
	var all []Waiting
	for _, row := range WorkKinds() {
		kind := row.Name
		at := map[string]int{} // in all, by account
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

// Demand is how much of a kind of work there is to do now.
type Demand struct {
	Waiting int       // due, and taken by nobody; CensusLimit at most
	Running int       // taken by a process; CensusLimit at most
	Oldest  time.Time // since when the first of those that wait is due; zero: none waits
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
	Head   eventstore.Position // where the log ends
	Events int                 // that concern the read models and are not in them; CensusLimit at most
	Age    time.Duration       // of the oldest of these
}

// Lag measures how far the read models of this process are behind.
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
