package expand

import (
	"strings"

	"moviola/domain/expr"
)

// Times says when the elements of a movie are shown, by their ids.
type Times struct{ ByID map[string][]Time }

// Time is when one element is shown. Each field is a json.Number of seconds, or expr.Pending.
type Time struct {
	Scene      int // 0: an element of the movie
	Start, End any // on the timeline of its scene
	From, Till any // on the timeline of the movie
	Duration   any // without extra time
	ExtraTime  any
}

// Equal says whether two tables say the same. A nil one says nothing.
func (t *Times) Equal(other *Times) bool {
	if t == nil || other == nil {
		return t == other
	}
	if len(t.ByID) != len(other.ByID) {
		return false
	}
	for id, times := range t.ByID {
		others := other.ByID[id]
		if len(times) != len(others) {
			return false
		}
		for i, one := range times {
			if one != others[i] {
				return false
			}
		}
	}
	return true
}

// suffixes are what the names of derived variables end in. Movie-schema §9.3.
var suffixes = []string{"_extratime", "_duration", "_start", "_end"}

// time is the value of a derived variable. Of several elements with the id the one beside the reader counts, otherwise the first.
// Elements of the movie read times of the movie, all others those of the scene that the element is in.
func (x *expansion) time(name string) (any, bool) {
	for _, suffix := range suffixes {
		id, ok := strings.CutSuffix(name, suffix)
		if !ok || id == "" {
			continue
		}
		x.out.Asked[id] = true
		if x.known.Times == nil {
			return expr.Pending{}, true
		}
		found := x.known.Times.ByID[id]
		if len(found) == 0 {
			return nil, false
		}
		return x.nearest(found).at(suffix, x.place.Scene == 0), true
	}
	return nil, false
}

func (x *expansion) nearest(times []Time) Time {
	for _, t := range times {
		if t.Scene == x.place.Scene {
			return t
		}
	}
	return times[0]
}

func (t Time) at(suffix string, ofMovie bool) any {
	switch {
	case suffix == "_duration":
		return t.Duration
	case suffix == "_extratime":
		return t.ExtraTime
	case suffix == "_start" && ofMovie:
		return t.From
	case suffix == "_start":
		return t.Start
	case ofMovie:
		return t.Till
	}
	return t.End
}
