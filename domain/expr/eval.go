package expr

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Scope maps names to values.
type Scope interface {
	// Lookup returns the value of a name, and whether it exists. A value that is not known yet is Pending. An error ends the
	// evaluation and is returned unchanged.
	Lookup(name string) (value any, ok bool, err error)
	// Known reports whether a text between braces, which is no name by the grammar, is exactly the name of a value.
	Known(text string) bool
}

// ErrBudget is wrapped by every *BudgetError.
var ErrBudget = errors.New("the budget of expressions is spent")

// BudgetError tells which part of a Budget is used up.
type BudgetError struct{ What string }

func (e *BudgetError) Error() string { return "the expressions " + e.What }

// Unwrap returns ErrBudget.
func (e *BudgetError) Unwrap() error { return ErrBudget }

// Budget bounds the cost of several evaluations together, so that hostile expressions stay cheap. It is not safe for concurrent
// use.
type Budget struct {
	Steps int // steps that are left: an operation takes at least one, and one more for each 16 bytes that it reads
	Bytes int // bytes that are left for the texts that operations make
}

// spend subtracts steps from the budget.
func (b *Budget) spend(steps int) error {
	if b.Steps -= steps; b.Steps < 0 {
		return &BudgetError{"take too long to compute"}
	}
	return nil
}

// write subtracts the length in bytes of a text that is about to be made from the budget.
func (b *Budget) write(bytes int) error {
	if b.Bytes -= bytes; b.Bytes < 0 {
		return &BudgetError{"make too much text"}
	}
	return b.spend(bytes/bytesPerStep + 1)
}

const bytesPerStep = 16

// evaluation is the state of one evaluation.
type evaluation struct {
	scope     Scope
	budget    *Budget
	undefined []string // names and paths without a value, in the order of evaluation
}

// Eval computes an expression. A missing value is nil, and its name is returned in undefined; a result that is not known yet is
// Pending. Errors are an *Error (the operation is impossible, such as a sum of objects), a *BudgetError, or an error of the
// scope.
func (e Expr) Eval(scope Scope, budget *Budget) (value any, undefined []string, err error) {
	run := evaluation{scope: scope, budget: budget}
	value, err = e.root.eval(&run)
	return value, run.undefined, err
}

func (n literal) eval(e *evaluation) (any, error) { return n.value, e.budget.spend(1) }

func (n variable) eval(e *evaluation) (any, error) {
	if err := e.budget.spend(1); err != nil {
		return nil, err
	}
	value, ok, err := e.scope.Lookup(n.name)
	if !ok && err == nil {
		e.undefined = append(e.undefined, n.name)
	}
	return value, err
}

// eval returns a member of an object by name, or an item of a list by index: from 0, or from the end if negative.
func (n member) eval(e *evaluation) (any, error) {
	met := len(e.undefined)
	of, err := n.of.eval(e)
	if err != nil {
		return nil, err
	}
	key, err := n.key.eval(e)
	if err != nil {
		return nil, err
	}
	if isPending(of, key) {
		return Pending{}, nil
	}
	switch of := of.(type) {
	case map[string]any:
		if isContainer(key) {
			break
		}
		if value, ok := of[Text(key)]; ok {
			return value, nil
		}
	case []any:
		if place, ok := toNumber(key); ok && place == math.Trunc(place) {
			if place < 0 {
				place += float64(len(of))
			}
			if place >= 0 && place < float64(len(of)) {
				return of[int(place)], nil
			}
		}
	}
	// The path a.b is noted as undefined here, unless a itself has no value: then a is in the list undefined already.
	if len(e.undefined) == met {
		e.undefined = append(e.undefined, Expr{n}.String())
	}
	return nil, nil
}

func (n array) eval(e *evaluation) (any, error) {
	items, err := e.all(n.items)
	if err == nil && isPending(items...) {
		return Pending{}, nil
	}
	for i, item := range items {
		items[i] = JSON(item)
	}
	return items, err
}

// all computes the items of a list.
func (e *evaluation) all(nodes []node) ([]any, error) {
	values := make([]any, len(nodes))
	for i, n := range nodes {
		var err error
		if values[i], err = n.eval(e); err != nil {
			return nil, err
		}
	}
	return values, e.budget.spend(len(nodes) + 1)
}

func (n choice) eval(e *evaluation) (any, error) {
	condition, err := n.condition.eval(e)
	switch {
	case err != nil:
		return nil, err
	case isPending(condition):
		return Pending{}, nil
	case Truth(condition):
		return n.yes.eval(e)
	}
	return n.no.eval(e)
}

func (n unary) eval(e *evaluation) (any, error) {
	x, err := n.x.eval(e)
	if err == nil {
		err = e.budget.spend(1)
	}
	switch {
	case err != nil:
		return nil, err
	case isPending(x):
		return Pending{}, nil
	case n.op == "!":
		return !Truth(x), nil
	}
	number, ok := toNumber(x)
	switch {
	case isNothing(x):
		return nil, nil
	case !ok:
		return nil, &Error{n.pos, "'-' needs a number, not " + what(x)}
	}
	return -number, nil
}

func (n binary) eval(e *evaluation) (any, error) {
	x, err := n.x.eval(e)
	if err != nil {
		return nil, err
	}
	switch {
	case n.op == "&&" && !isPending(x) && !Truth(x):
		return false, nil
	case n.op == "||" && Truth(x):
		return true, nil
	}
	y, err := n.y.eval(e)
	if err == nil {
		err = e.budget.spend(1 + (sizeOf(x)+sizeOf(y))/bytesPerStep)
	}
	switch {
	case err != nil:
		return nil, err
	case isPending(x, y):
		return Pending{}, nil
	}
	switch n.op {
	case "&&", "||":
		return Truth(y), nil
	case "==":
		return Equal(x, y), nil
	case "!=":
		return !Equal(x, y), nil
	case "<", "<=", ">", ">=":
		return n.compare(x, y)
	}
	return n.compute(e, x, y)
}

// compute applies one of the operators + - * / %. With + it joins the operands as texts if at least one of them is a text
// that is not empty, unless both are numbers; null counts as an empty text. In every other case the result is null if an
// operand is null or an empty text.
func (n binary) compute(e *evaluation, x, y any) (any, error) {
	a, isA := toNumber(x)
	b, isB := toNumber(y)
	switch {
	case n.op == "+" && !(isA && isB) && (isText(x) || isText(y)):
		if err := n.scalars(x, y); err != nil {
			return nil, err
		}
		return e.join(Text(x), Text(y))
	case isNothing(x) || isNothing(y):
		return nil, nil
	case !isA || !isB:
		return nil, n.refuse(x, y, isA)
	}
	if b == 0 && (n.op == "/" || n.op == "%") {
		return nil, &Error{n.pos, "division by zero"}
	}
	result := n.arithmetic(a, b)
	if math.IsInf(result, 0) {
		return nil, &Error{n.pos, "the result is too large"}
	}
	return result, nil
}

func (n binary) arithmetic(a, b float64) float64 {
	switch n.op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	}
	return math.Mod(a, b)
}

// scalars refuses operands that are lists or objects.
func (n binary) scalars(x, y any) error {
	for _, v := range []any{x, y} {
		switch v.(type) {
		case []any, map[string]any:
			return n.refuse(v, v, false)
		}
	}
	return nil
}

func (n binary) refuse(x, y any, isX bool) error {
	if isX {
		x = y
	}
	return &Error{n.pos, fmt.Sprintf("'%s' needs numbers, not %s", n.op, what(x))}
}

// compare orders numbers by value, and other texts by their characters. A comparison with null or an empty text is false.
func (n binary) compare(x, y any) (any, error) {
	if isNothing(x) || isNothing(y) {
		return false, nil
	}
	order := 0
	a, isA := toNumber(x)
	b, isB := toNumber(y)
	textA, isTextA := x.(string)
	textB, isTextB := y.(string)
	switch {
	case isA && isB:
		order = sign(a, b)
	case isTextA && isTextB:
		order = sign(textA, textB)
	default:
		return nil, n.refuse(x, y, isA)
	}
	switch n.op {
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	}
	return order >= 0, nil
}

func sign[T float64 | string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// join concatenates texts.
func (e *evaluation) join(texts ...string) (any, error) {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	if err := e.budget.write(size); err != nil {
		return nil, err
	}
	return strings.Join(texts, ""), nil
}

// Equal reports whether two values are equal: numbers and numeric texts by value; true equals "true"; null equals an empty
// text. Lists and objects are equal to no value.
func Equal(x, y any) bool {
	if a, ok := toNumber(x); ok {
		if b, ok := toNumber(y); ok {
			return a == b
		}
	}
	if isContainer(x) || isContainer(y) {
		return false
	}
	return Text(x) == Text(y)
}

func isContainer(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// isNothing reports whether a value is null or an empty text, which an empty field of a form yields.
func isNothing(v any) bool { return v == nil || v == "" }

func isText(v any) bool { _, ok := v.(string); return ok && v != "" }

func isPending(values ...any) bool {
	for _, v := range values {
		if v == (any)(Pending{}) {
			return true
		}
	}
	return false
}
