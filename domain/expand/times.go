package expand

import (
	"slices"
	"strings"

	"moviola/domain/expr"
)

// Times holds the times of a movie's elements, by their ids.
type Times struct{ ByID map[string][]Time }

// Time holds the times of one element. Each is a json.Number of seconds, or expr.Pending.
type Time struct {
	Scene      int // number of the element's scene; 0: the element is one of the movie itself
	Start, End any // start and end of the element, counted from the start of its scene
	From, Till any // start and end of the element, counted from the start of the movie
	Duration   any // duration of the element without its extra time
	ExtraTime  any
}

// Equal reports whether t and other hold the same times. Nil equals only nil.
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

// suffixes are the endings of the variables that hold the times of an element: after the element's id, as in logo_start.
// Movie-schema §9.3.
var suffixes = []string{"_extratime", "_duration", "_start", "_end"}

// time returns the value of a variable that holds a time of an element. name is an element's id and a suffix, as in
// logo_start. If several elements have the id, the one in the scene of the expression counts, otherwise the first one. For
// an expression in the movie itself or in one of its own elements, a start or end is counted from the start of the movie.
// For any other expression it is counted from the start of the scene that has the element or, if the element is one of the
// movie's own, from the start of the movie.
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

// isTime reports whether a name is the id of an element of the document, followed by a suffix.
func (x *expansion) isTime(name string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool {
		id, ok := strings.CutSuffix(name, suffix)
		return ok && x.hasID(id)
	})
}

// hasID reports whether an element of the document has an id.
func (x *expansion) hasID(id string) bool {
	if x.ids == nil {
		x.ids = map[string]bool{}
		x.collect(x.own)
		for _, scene := range x.scenes {
			if scene, ok := scene.(map[string]any); ok {
				x.collect(scene["elements"])
			}
		}
	}
	return x.ids[id]
}

// collect adds the ids of a list of elements to x.ids.
func (x *expansion) collect(list any) {
	elements, _ := list.([]any)
	for _, item := range elements {
		if element, ok := item.(map[string]any); ok {
			if id, ok := element["id"].(string); ok {
				x.ids[id] = true
			}
		}
	}
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
