package expand

import (
	"strings"

	"moviola/domain/expr"
)

// Times holds the times of a movie's elements, by their ids.
type Times struct{ ByID map[string][]Time }

// Time holds the times of one element. Each is a json.Number of seconds, or expr.Pending.
type Time struct {
	Scene      int // number of the scene; 0: an element of the movie
	Start, End any // times on the timeline of the scene
	From, Till any // times on the timeline of the movie
	Duration   any // the duration without extra time
	ExtraTime  any
}

// Equal reports whether two tables have the same times. A nil table is empty.
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

// suffixes are the endings of derived variables. Movie-schema §9.3.
var suffixes = []string{"_extratime", "_duration", "_start", "_end"}

// time returns the value of a derived variable. When several elements have the id, the element in the same scene as the
// expression is used, otherwise the first element. Elements of the movie read times on the movie's timeline, all others on the
// timeline of the element's scene.
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
