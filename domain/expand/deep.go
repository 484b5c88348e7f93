package expand

import (
	"maps"
	"slices"
	"strconv"

	"moviola/domain/expr"
	"moviola/domain/jsontext"
)

// deep expands a value with everything inside it, and counts the result towards the bounds.
func (x *expansion) deep(value any, s *scope, depth int) (any, error) {
	if err := x.count(value, depth); err != nil {
		return nil, err
	}
	switch v := value.(type) {
	case string:
		if !expr.Has(v) {
			return v, nil
		}
		made, err := x.text(v, s)
		if err != nil {
			return nil, err
		}
		if made == nil {
			made = "" // decision 26: an undefined value becomes an empty text
		}
		return made, x.countDeep(made, depth)
	case []any:
		return x.deepList(v, s, depth)
	case map[string]any:
		return x.deepObject(v, s, depth)
	}
	return value, nil
}

// step is a step from a list or object to one of its members.
type step struct {
	name  string
	named bool
	index int
}

// member expands a member of a list or object.
func (x *expansion) member(to step, value any, s *scope, depth int) (any, error) {
	x.inside = append(x.inside, to)
	made, err := x.deep(value, s, depth+1)
	x.inside = x.inside[:len(x.inside)-1]
	return made, err
}

// path returns the JSON pointer of the value that is being expanded, below its scene or element.
func (x *expansion) path() string {
	if x.property == "" {
		return ""
	}
	path := jsontext.Pointer("", x.property)
	for _, s := range x.inside {
		if s.named {
			path = jsontext.Pointer(path, s.name)
		} else {
			path = jsontext.Pointer(path, strconv.Itoa(s.index))
		}
	}
	return path
}

func (x *expansion) deepList(list []any, s *scope, depth int) (any, error) {
	var changed []any
	for i, item := range list {
		made, err := x.member(step{index: i}, item, s, depth)
		if err != nil {
			return nil, err
		}
		if made == any(expr.Pending{}) {
			x.out.Open[x.place] = true
			made = nil
		}
		if changed == nil && !same(made, item) {
			changed = slices.Clone(list)
		}
		if changed != nil {
			changed[i] = made
		}
	}
	if changed != nil {
		return changed, nil
	}
	return list, nil
}

func (x *expansion) deepObject(object map[string]any, s *scope, depth int) (any, error) {
	var changed map[string]any
	for name, value := range object {
		made, err := x.member(step{name: name, named: true}, value, s, depth)
		if err != nil {
			return nil, err
		}
		if changed == nil && !same(made, value) {
			changed = maps.Clone(object)
		}
		if made == any(expr.Pending{}) {
			x.out.Open[x.place] = true
			if x.property == "exports" {
				x.out.Dropped = append(x.out.Dropped, jsontext.Pointer(x.path(), name))
			}
			delete(changed, name)
		} else if changed != nil {
			changed[name] = made
		}
	}
	if changed != nil {
		return changed, nil
	}
	return object, nil
}

// same reports whether the expanded value b is the value a itself. Changed lists and objects are always copies.
func same(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && sameObject(a, b)
	}
	if _, isList := b.([]any); isList {
		return false
	}
	if _, isObject := b.(map[string]any); isObject {
		return false
	}
	return a == b
}
