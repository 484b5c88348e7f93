package expand

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"moviola/domain/expr"
)

// scope is one level of variables. Names are looked up from the innermost level to the outermost: element, iteration of the
// element, scene, iteration of the scene, movie.
type scope struct {
	x     *expansion
	up    *scope
	vars  map[string]any // values of the variables as written in the document
	made  map[string]any // values of the variables that were computed already
	place Place          // scene, element or movie whose object declares the variables
	from  map[string]any // object of the input from which the scene or element in place is made; nil: place is the movie
	// behind are the counters of an iteration. Each applies only when no variable of the movie has the same name.
	behind map[string]any
}

// scope returns s with the variables that an object declares. Names that begin with @ or ? are descriptions of variables and
// skipped.
func (x *expansion) scope(s *scope, props map[string]any) *scope {
	vars, _ := props["variables"].(map[string]any)
	if len(vars) == 0 && s != nil {
		return s
	}
	return &scope{x: x, up: s, vars: vars, place: x.place, from: x.from}
}

// pending is a variable that is being computed.
type pending struct {
	scope *scope
	name  string
}

// errCircle reports a variable whose value depends on itself. errNested reports a variable whose value depends on a chain of too
// many other variables.
var (
	errCircle = errors.New("a variable depends on itself")
	errNested = errors.New("variables are nested too deep")
)

// Lookup implements expr.Scope.
func (s *scope) Lookup(name string) (any, bool, error) {
	for at := s; at != nil; at = at.up {
		raw, ok := at.vars[name]
		if !ok || at.isDescribed(name) {
			continue
		}
		if n := len(s.x.stack); n > 0 && s.x.stack[n-1] == (pending{at, name}) {
			continue // inside the definition of a variable, its name means the outer variable of that name
		}
		value, err := at.value(name, raw)
		return value, true, err
	}
	for at := s; at != nil; at = at.up {
		if value, ok := at.behind[name]; ok {
			return value, true, nil
		}
	}
	if value, ok := s.x.known.Values[name]; ok {
		return value, true, nil
	}
	value, ok := s.x.time(name)
	return value, ok, nil
}

// Known implements expr.Scope.
func (s *scope) Known(name string) bool {
	for at := s; at != nil; at = at.up {
		if _, ok := at.vars[name]; ok && !at.isDescribed(name) {
			return true
		}
		if _, ok := at.behind[name]; ok {
			return true
		}
	}
	_, ok := s.x.known.Values[name]
	return ok || s.x.isTime(name)
}

func (s *scope) isDescribed(name string) bool {
	return strings.HasPrefix(name, "@") || strings.HasPrefix(name, "?")
}

// value computes a variable once, in the scope that declares it.
func (s *scope) value(name string, raw any) (any, error) {
	if text, ok := raw.(string); ok && !expr.Has(text) {
		return raw, nil
	}
	if value, ok := s.made[name]; ok {
		return value, nil
	}
	if !holdsExpression(raw) {
		s.keep(name, raw)
		return raw, nil
	}
	x := s.x
	for i, p := range x.stack {
		if p == (pending{s, name}) {
			return nil, x.circle(i, name)
		}
	}
	if len(x.stack) >= maxNesting {
		return nil, fmt.Errorf("%w: more than %d are made of one another", errNested, maxNesting)
	}
	x.stack = append(x.stack, pending{s, name})
	place, from, property, inside := x.place, x.from, x.property, x.inside
	x.place, x.from, x.property, x.inside = s.place, s.from, "variables", []step{{name: name, named: true}}
	value, err := x.fill(raw, s)
	x.place, x.from, x.property, x.inside = place, from, property, inside
	x.stack = x.stack[:len(x.stack)-1]
	var mistake *expr.Error
	if errors.As(err, &mistake) {
		err = &variableError{name, mistake}
	}
	if err != nil {
		return nil, err
	}
	s.keep(name, value)
	return value, nil
}

// variableError is a mistake in the value of a variable.
type variableError struct {
	name    string
	mistake *expr.Error
}

func (e *variableError) Error() string {
	return fmt.Sprintf("the variable '%s': %s", shown(e.name), e.mistake)
}

// keep stores the computed value of a variable.
func (s *scope) keep(name string, value any) {
	if s.made == nil {
		s.made = map[string]any{}
	}
	s.made[name] = value
}

func (x *expansion) circle(from int, name string) error {
	var path strings.Builder
	for _, p := range x.stack[from:] {
		path.WriteString(p.name + " → ")
	}
	return fmt.Errorf("%w: %s", errCircle, shown(path.String()+name))
}

// holdsExpression reports whether a value contains an expression.
func holdsExpression(value any) bool {
	switch v := value.(type) {
	case string:
		return expr.Has(v)
	case []any:
		for _, item := range v {
			if holdsExpression(item) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if holdsExpression(item) {
				return true
			}
		}
	}
	return false
}

// fill computes all expressions in the value of a variable. If a part of the value is pending, the whole value is pending.
func (x *expansion) fill(value any, s *scope) (any, error) {
	switch v := value.(type) {
	case string:
		if expr.Has(v) {
			return x.compute(v, s)
		}
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			made, err := x.fill(item, s)
			if err != nil || made == any(expr.Pending{}) {
				return made, err
			}
			out[i] = made
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			made, err := x.fill(item, s)
			if err != nil || made == any(expr.Pending{}) {
				return made, err
			}
			out[name] = made
		}
		return out, nil
	}
	return value, nil
}

func sameObject(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}
