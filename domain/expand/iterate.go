package expand

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"moviola/domain/expr"
)

// defaultItem is the name of the current item when iterate-as names none.
const defaultItem = "item"

// maxItems is the maximum number of items of an iteration, except for that of a longer list, which has at most as many items
// as the list. The number of elements has another bound.
const maxItems = 10_000

// repeat expands a scene or element once, or once for each item of its iteration. Movie-schema §9.4: the members of the current
// item are variables, and the item itself has a name.
func (x *expansion) repeat(out []any, props map[string]any, s *scope, one item) ([]any, error) {
	items, iterates, err := x.items(props, s)
	if err != nil {
		return nil, err
	}
	if !iterates {
		return one(out, props, s)
	}
	name := defaultItem
	if as, err := x.value(get(props, "iterate-as"), s); err != nil || x.await(as) {
		return out, err
	} else if text := brief(as); text != "" {
		name = text
	}
	if !expr.IsName(name) {
		x.problem("The property 'iterate-as' must be a name of letters, digits and _, not '%s'", shown(name))
		return out, nil
	}
	for i, value := range items {
		if err := x.spend(); err != nil {
			return nil, err
		}
		if out, err = one(out, props, x.itemScope(s, name, value, i, len(items))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// spend takes steps from the budget for one item of an iteration, so that an item that is not shown has its cost too.
func (x *expansion) spend() error {
	const perItem = 10
	if x.budget.Steps -= perItem; x.budget.Steps < 0 {
		return tooMuch("it repeats more than can be computed")
	}
	return nil
}

// itemScope returns s with the current item: its members as variables, the item itself under a name, and its index and count.
func (x *expansion) itemScope(s *scope, name string, value any, index, count int) *scope {
	if members, ok := value.(map[string]any); ok {
		s = &scope{x: x, up: s, vars: members, place: x.place, from: x.from}
	}
	place, of := number(index+1), number(count)
	return &scope{x: x, up: s, place: x.place, from: x.from, vars: map[string]any{
		name: value, name + "_index": place, name + "_count": of, name + "_first": index == 0, name + "_last": index == count-1,
	}, behind: map[string]any{"index": place, "count": of}}
}

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// get returns a property, spelled with dashes or underscores.
func get(props map[string]any, name string) any {
	if value, ok := props[name]; ok {
		return value
	}
	return props[underlined[name]]
}

var underlined = map[string]string{
	"iterate-as": "iterate_as", "iterate-from": "iterate_from", "iterate-to": "iterate_to", "iterate-step": "iterate_step",
}

// items returns the items over which an object of the document is repeated. The value of iterate is a list, or a number n,
// which stands for the list of the numbers 1 to n. The properties iterate-from, iterate-to and iterate-step select
// positions in the list. When there is no iterate, the items are the numbers of the range that these three properties give.
// items returns false when the object is not repeated.
func (x *expansion) items(props map[string]any, s *scope) ([]any, bool, error) {
	x.property = "iterate"
	raw := get(props, "iterate")
	bounds, ranged, err := x.bounds(props, s)
	if err != nil || bounds.pending {
		return nil, true, err
	}
	if isBlank(raw) {
		if !ranged {
			return nil, false, nil
		}
		return x.numbers(bounds), true, nil
	}
	value, err := x.iterated(raw, s)
	if err != nil {
		return nil, true, err
	}
	switch v := value.(type) {
	case nil:
		return nil, true, nil
	case expr.Pending:
		x.await(v)
		return nil, true, nil
	case []any:
		return x.part(v, bounds), true, nil
	}
	if n, ok := expr.Number(value); ok && n == math.Trunc(n) && n >= 0 && n <= maxItems {
		return x.part(oneTo(int(n)), bounds), true, nil
	}
	x.problem("The property 'iterate' needs a list, or a number up to %d, not '%s'", maxItems, brief(value))
	return nil, true, nil
}

func isBlank(v any) bool { return v == nil || v == "" || v == false }

// iterated evaluates iterate. A text without braces is an expression: usually the name of a list.
func (x *expansion) iterated(raw any, s *scope) (any, error) {
	text, ok := raw.(string)
	if !ok {
		return raw, nil
	}
	if expr.Has(text) {
		return x.text(text, s)
	}
	e, err := expr.Parse(text)
	if err != nil {
		return nil, x.noted(text, err)
	}
	value, undefined, err := e.Eval(s, &x.budget.Budget)
	x.missing(undefined)
	return plain(value), x.noted(text, err)
}

func oneTo(n int) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = number(i + 1)
	}
	return items
}

// bounds are the values of the properties iterate-from, iterate-to and iterate-step of an object. from and to are nil if
// the object lacks the property. step is 1 if the object lacks iterate-step.
type bounds struct {
	from, to *float64
	step     float64
	pending  bool // one of the values is not known yet
}

// bounds reads the range of an iteration, and whether there is one.
func (x *expansion) bounds(props map[string]any, s *scope) (bounds, bool, error) {
	b := bounds{step: 1}
	ranged := false
	for _, bound := range []struct {
		name string
		set  func(float64)
	}{
		{"iterate-from", func(n float64) { b.from = &n }},
		{"iterate-to", func(n float64) { b.to = &n }},
		{"iterate-step", func(n float64) { b.step = n }},
	} {
		name, set := bound.name, bound.set
		raw := get(props, name)
		if isBlank(raw) {
			continue
		}
		value, err := x.value(raw, s)
		if err != nil {
			return b, false, err
		}
		if x.await(value) {
			b.pending = true
		}
		if isBlank(value) || b.pending {
			continue
		}
		n, ok := expr.Number(value)
		if !ok || name == "iterate-step" && n == 0 {
			x.problem("The property '%s' must be a number%s, not '%s'", name, map[bool]string{true: " other than 0"}[ok], brief(value))
			continue
		}
		set(n)
		ranged = ranged || name != "iterate-step"
	}
	return b, ranged, nil
}

// part returns the items of list from position b.from up to, but not including, position b.to; positions are counted from 1,
// negative positions from the end. For a small step that gives more items than are allowed, part notes a problem and returns
// nil. Movie-schema §2.
func (x *expansion) part(list []any, b bounds) []any {
	n := float64(len(list))
	from, to := b.places(n)
	if from == 1 && to == n+1 && b.step == 1 {
		return list
	}
	most := max(maxItems, len(list))
	var out []any
	for i := 0; ; i++ {
		at := math.Floor(from + float64(i)*b.step)
		switch {
		case b.over(at, to):
			return out
		case i == most:
			x.problem("An iteration has at most %d items", most)
			return nil
		case at >= 1 && at <= n:
			out = append(out, list[int(at)-1])
		}
	}
}

// places converts b to positions in a list of n items, counted from 1. With a positive step, a start below 1 is moved up by
// whole steps until it is at least 1. With a negative step, a start above n is moved down by whole steps until it is at
// most n.
func (b bounds) places(n float64) (from, to float64) {
	place := func(given *float64, otherwise float64) float64 {
		switch {
		case given == nil:
			return otherwise
		case *given < 0:
			return n + 1 + *given
		}
		return *given
	}
	if b.step > 0 {
		from, to = place(b.from, 1), min(place(b.to, n+1), n+1)
		from += max(0, math.Ceil((1-from)/b.step)) * b.step
	} else {
		from, to = place(b.from, n), max(place(b.to, 0), 0)
		from += max(0, math.Ceil((n-from)/b.step)) * b.step
	}
	return from, to
}

// over reports whether the number `at` has reached or passed `to`, the end of the range: at ≥ to for a positive step, at ≤
// to for a negative step.
func (b bounds) over(at, to float64) bool { return b.step > 0 && at >= to || b.step < 0 && at <= to }

// numbers returns b.from, b.from + b.step and so on, up to but not including b.to. from and to are 1 if they are not given.
// At most maxItems numbers are allowed; for a longer range, numbers notes a problem and returns nil.
func (x *expansion) numbers(b bounds) []any {
	from, to := 1.0, 1.0
	if b.from != nil {
		from = *b.from
	}
	if b.to != nil {
		to = *b.to
	}
	if math.Abs((to-from)/b.step) > maxItems {
		x.problem("An iteration has at most %d items", maxItems)
		return nil
	}
	var out []any
	for i := 0; ; i++ {
		at := from + float64(i)*b.step
		if b.over(at, to) {
			return out
		}
		out = append(out, expr.JSON(at))
	}
}

var _ fmt.Stringer = Place{}

// String names a place as messages do: "Scene #1 Element #2".
func (p Place) String() string {
	switch {
	case p.Scene == 0 && p.Element == 0:
		return "Movie"
	case p.Scene == 0:
		return fmt.Sprintf("Movie Element #%d", p.Element)
	case p.Element == 0:
		return fmt.Sprintf("Scene #%d", p.Scene)
	}
	return fmt.Sprintf("Scene #%d Element #%d", p.Scene, p.Element)
}
