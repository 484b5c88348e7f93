package expr

import (
	"fmt"
	"math"
	"strings"
)

// function is a function that expressions can call.
type function struct {
	least, most int // minimum and maximum number of arguments; most -1: no maximum
	apply       func(c *calling, args []any) (any, error)
}

func (f function) arity() string {
	switch {
	case f.most < 0:
		return fmt.Sprintf("%d or more arguments", f.least)
	case f.most == f.least && f.least == 1:
		return "1 argument"
	case f.most == f.least:
		return fmt.Sprintf("%d arguments", f.least)
	}
	return fmt.Sprintf("%d to %d arguments", f.least, f.most)
}

// calling is the state of one call.
type calling struct {
	*evaluation
	call
}

func (c *calling) fail(format string, args ...any) error {
	return &Error{c.pos, "the function '" + c.function + "' " + fmt.Sprintf(format, args...)}
}

// functions are the functions of docs/expressions.md, by name.
var functions map[string]function

func init() { // set in init, because the functions refer to the map
	functions = map[string]function{
		"min":       {1, -1, extreme(math.Min)},
		"max":       {1, -1, extreme(math.Max)},
		"ceil":      {1, 1, rounding(math.Ceil)},
		"floor":     {1, 1, rounding(math.Floor)},
		"abs":       {1, 1, rounding(math.Abs)},
		"round":     {1, 2, round},
		"length":    {1, 1, lengthOf},
		"upper":     {1, 1, texting(strings.ToUpper)},
		"lower":     {1, 1, texting(strings.ToLower)},
		"trim":      {1, 1, texting(strings.TrimSpace)},
		"concat":    {1, -1, concat},
		"join":      {1, 2, join},
		"replace":   {3, 3, replace},
		"contains":  {2, 2, contains},
		"substring": {2, 3, substring},
		"range":     {1, 3, makeRange},
		"default":   {2, -1, fallback},
		"format":    {2, 2, format},
	}
}

// eval computes the arguments and then calls the function. Undefined names in arguments of the function default are not reported.
func (n call) eval(e *evaluation) (any, error) {
	met := len(e.undefined)
	args, err := e.all(n.args)
	if err != nil {
		return nil, err
	}
	if n.function == "default" {
		e.undefined = e.undefined[:met]
	}
	size := 0
	for _, arg := range args {
		if isPending(arg) {
			return Pending{}, nil
		}
		size += sizeOf(arg)
	}
	if err := e.budget.spend(size / bytesPerStep); err != nil {
		return nil, err
	}
	return functions[n.function].apply(&calling{e, n}, args)
}

// number reads an argument that must be a number; ok is false for null and an empty text.
func (c *calling) number(v any) (n float64, ok bool, err error) {
	if isNothing(v) {
		return 0, false, nil
	}
	n, ok = toNumber(v)
	if !ok {
		return 0, false, c.fail("needs a number, not %s", what(v))
	}
	return n, true, nil
}

// extreme returns the function min or max, for its arguments or for the items of one list. The function skips null and
// empty texts.
func extreme(better func(a, b float64) float64) func(*calling, []any) (any, error) {
	return func(c *calling, args []any) (any, error) {
		if list, ok := args[0].([]any); ok && len(args) == 1 {
			args = list
		}
		var best any
		for _, arg := range args {
			n, ok, err := c.number(arg)
			if err != nil {
				return nil, err
			}
			if have, some := best.(float64); ok && some {
				n = better(have, n)
			}
			if ok {
				best = n
			}
		}
		return best, c.budget.spend(len(args))
	}
}

func rounding(to func(float64) float64) func(*calling, []any) (any, error) {
	return func(c *calling, args []any) (any, error) {
		n, ok, err := c.number(args[0])
		if !ok {
			return nil, err
		}
		return to(n), nil
	}
}

// maxPlaces is the largest number of decimals to round to.
const maxPlaces = 10

// round rounds to whole numbers or to a number of decimals; halves are rounded up.
func round(c *calling, args []any) (any, error) {
	n, ok, err := c.number(args[0])
	if !ok {
		return nil, err
	}
	places := 0.0
	if len(args) > 1 {
		if places, _, err = c.number(args[1]); err != nil {
			return nil, err
		}
	}
	if places < 0 || places > maxPlaces || places != math.Trunc(places) {
		return nil, c.fail("rounds to 0 to %d decimals", maxPlaces)
	}
	return roundTo(n, int(places)), nil
}

// roundTo rounds a number to a number of decimals; halves are rounded up. A number too large for a float64 to have further
// digits is returned unchanged.
func roundTo(n float64, places int) float64 {
	const exact, most = 1 << 52, 0.01
	scale := math.Pow(10, float64(places))
	scaled := n * scale
	if math.Abs(scaled) >= exact {
		return n
	}
	// A float64 such as 1.005 may be a little less than its decimal digits, so the digits are rounded.
	scaled += min(math.Abs(scaled)*1e-15, most)
	return math.Floor(scaled+0.5) / scale
}

func lengthOf(c *calling, args []any) (any, error) {
	n, ok := length(args[0])
	if !ok {
		return nil, c.fail("needs a text, a list or an object, not %s", what(args[0]))
	}
	return n, nil
}

// text reads an argument as a text; lists and objects are refused.
func (c *calling) text(v any) (string, error) {
	if isContainer(v) {
		return "", c.fail("needs a text, not %s", what(v))
	}
	return Text(v), nil
}

func (c *calling) texts(args []any) ([]string, error) {
	texts := make([]string, len(args))
	for i, arg := range args {
		var err error
		if texts[i], err = c.text(arg); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func texting(change func(string) string) func(*calling, []any) (any, error) {
	return func(c *calling, args []any) (any, error) {
		text, err := c.text(args[0])
		if err != nil {
			return nil, err
		}
		if err := c.budget.write(len(text)); err != nil {
			return nil, err
		}
		return change(text), nil
	}
}

func concat(c *calling, args []any) (any, error) {
	texts, err := c.texts(args)
	if err != nil {
		return nil, err
	}
	return c.join(texts...)
}

// join concatenates the items of a list, with a separator.
func join(c *calling, args []any) (any, error) {
	list, ok := args[0].([]any)
	if !ok && !isNothing(args[0]) {
		return nil, c.fail("needs a list, not %s", what(args[0]))
	}
	between := ", "
	if len(args) > 1 {
		var err error
		if between, err = c.text(args[1]); err != nil {
			return nil, err
		}
	}
	if err := c.budget.spend(stepsPerItem * len(list)); err != nil {
		return nil, err
	}
	texts, err := c.texts(list)
	if err != nil {
		return nil, err
	}
	pieces := make([]string, 0, 2*len(texts))
	for i, text := range texts {
		if i > 0 {
			pieces = append(pieces, between)
		}
		pieces = append(pieces, text)
	}
	return c.evaluation.join(pieces...)
}

func replace(c *calling, args []any) (any, error) {
	texts, err := c.texts(args)
	if err != nil {
		return nil, err
	}
	in, old, with := texts[0], texts[1], texts[2]
	if old == "" {
		return in, nil
	}
	size := len(in) + strings.Count(in, old)*(len(with)-len(old))
	if err := c.budget.write(size); err != nil {
		return nil, err
	}
	return strings.ReplaceAll(in, old, with), nil
}

// contains searches for a text in a text, or for a value in a list.
func contains(c *calling, args []any) (any, error) {
	if list, ok := args[0].([]any); ok {
		if err := c.budget.spend(len(list) * (1 + sizeOf(args[1])/bytesPerStep)); err != nil {
			return nil, err
		}
		for _, item := range list {
			if Equal(item, args[1]) {
				return true, nil
			}
		}
		return false, nil
	}
	texts, err := c.texts(args)
	if err != nil {
		return nil, err
	}
	return strings.Contains(texts[0], texts[1]), nil
}

// substring returns a part of a text. The part begins at an index, counted from 0 or, if negative, from the end, and has at
// most a given number of characters or, without that number, reaches to the end of the text.
func substring(c *calling, args []any) (any, error) {
	text, err := c.text(args[0])
	if err != nil {
		return nil, err
	}
	if err := c.budget.write(len(text)); err != nil {
		return nil, err
	}
	runes := []rune(text)
	from, _, err := c.number(args[1])
	if err != nil {
		return nil, err
	}
	if from < 0 {
		from += float64(len(runes))
	}
	from = min(max(from, 0), float64(len(runes)))
	count := float64(len(runes)) - from
	if len(args) > 2 {
		wanted, _, err := c.number(args[2])
		if err != nil {
			return nil, err
		}
		count = min(max(wanted, 0), count)
	}
	return string(runes[int(from) : int(from)+int(count)]), nil
}

// maxRange is the largest number of items of a range.
const maxRange = 10_000

// stepsPerItem is the cost, in steps, of making an item of a list, or the text of an item.
const stepsPerItem = 10

// makeRange implements range(n): 1 to n. It also implements range(from, to) and range(from, to, step); to is included.
func makeRange(c *calling, args []any) (any, error) {
	bounds := []float64{1, 1, 1}
	for i, arg := range args {
		n, ok, err := c.number(arg)
		if !ok {
			return []any{}, err
		}
		bounds[i] = n
	}
	if len(args) == 1 {
		bounds[0], bounds[1] = 1, bounds[0]
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		return nil, c.fail("cannot go on in steps of 0")
	}
	count := math.Floor((to-from)/step+1e-9) + 1
	if count > maxRange {
		return nil, c.fail("makes at most %d numbers", maxRange)
	}
	if err := c.budget.spend(stepsPerItem * int(max(count, 0))); err != nil {
		return nil, err
	}
	list := make([]any, 0, int(max(count, 0)))
	for i := range int(max(count, 0)) {
		list = append(list, JSON(from+float64(i)*step))
	}
	return list, nil
}

// fallback returns the first argument that is neither null nor an empty text.
func fallback(_ *calling, args []any) (any, error) {
	for _, arg := range args {
		if !isNothing(arg) {
			return arg, nil
		}
	}
	return nil, nil
}
