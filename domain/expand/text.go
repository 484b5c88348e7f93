package expand

import (
	"errors"
	"strings"

	"moviola/domain/expr"
)

// text computes the expressions of a text that stands in a property. A mistake is noted and nothing is returned for it.
func (x *expansion) text(text string, s *scope) (any, error) {
	value, err := x.compute(text, s)
	return value, x.noted(text, err)
}

// noted turns a mistake into a problem of the place where it was met. What is no mistake ends the expansion.
func (x *expansion) noted(text string, err error) error {
	var mistake *expr.Error
	var variable *variableError
	switch {
	case errors.As(err, &mistake):
		x.problem("The property '%s' cannot be computed: %s, in '%s'", x.property, mistake, shown(text))
	case errors.As(err, &variable) || errors.Is(err, errCircle) || errors.Is(err, errNested):
		x.problem("The property '%s' cannot be computed: %s", x.property, err)
	default:
		return err
	}
	return nil
}

// compute computes a text. Names without a value are warned of.
func (x *expansion) compute(text string, s *scope) (any, error) {
	known, ok := x.texts[text]
	if !ok {
		if strings.Count(text, "{{") > maxExpressions { // reading them all would take more memory than they can be worth
			return nil, tooManyExpressions()
		}
		known.template, known.err = expr.ParseTemplate(text)
		x.texts[text] = known
		if len(x.texts) > maxExpressions || known.template.Expressions() > maxExpressions {
			return nil, tooManyExpressions()
		}
	}
	if known.err != nil {
		return nil, known.err
	}
	value, undefined, err := known.template.Eval(s, &x.budget.Budget)
	x.missing(undefined)
	return plain(value), err
}

func tooManyExpressions() error {
	return tooMuch("it has more different expressions than can be computed")
}

// plain makes a computed number one of JSON.
func plain(value any) any {
	if _, computed := value.(float64); computed {
		return expr.JSON(value)
	}
	return value
}

// brief is a value in a message. Lists and objects may be too long to be written.
func brief(value any) string {
	switch value.(type) {
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return shown(expr.Text(value))
}

func (x *expansion) missing(names []string) {
	for _, name := range names {
		x.warn("The variable '%s' is not defined, it is empty", shown(name))
	}
}

// value computes a property that decides about others: a text with expressions, or what stands there.
func (x *expansion) value(value any, s *scope) (any, error) {
	if text, ok := value.(string); ok && expr.Has(text) {
		return x.text(text, s)
	}
	return value, nil
}

// condition says whether a scene or element is there: without a condition, or when it is true. An empty one is false, and so is one that
// is not known yet. A text without braces is an expression itself. Decision 26: undefined is false.
func (x *expansion) condition(props map[string]any, s *scope) (bool, error) {
	raw, present := props["condition"]
	if !present || raw == nil {
		return true, nil
	}
	x.property = "condition"
	text, isText := raw.(string)
	if isText && !expr.Has(text) {
		return x.bare(text, s)
	}
	value, err := x.value(raw, s)
	x.await(value)
	if said, ok := value.(string); ok && isText && !wholly(text) && expr.Truth(said) {
		x.warn("The condition '%s' is a text and always true: put all of it between the braces", shown(text))
	}
	return expr.Truth(value), err
}

// wholly says that a text is one pair of braces.
func wholly(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}") && strings.Count(text, "{{") == 1
}

// bare decides a condition that was written without braces.
func (x *expansion) bare(text string, s *scope) (bool, error) {
	if strings.TrimSpace(text) == "" {
		return false, nil
	}
	e, err := expr.Parse(text)
	if err != nil {
		return expr.Truth(text), nil // some text, which is there
	}
	value, undefined, err := e.Eval(s, &x.budget.Budget)
	x.missing(undefined)
	x.await(value)
	return expr.Truth(value), x.noted(text, err)
}

// await marks the scene or movie around the place as open when a value that decides about the place is not known yet.
func (x *expansion) await(value any) {
	if value == any(expr.Pending{}) {
		x.out.Open[Place{Scene: x.place.Scene}] = true
	}
}

func isContainer(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}
