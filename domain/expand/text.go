package expand

import (
	"errors"
	"strings"

	"moviola/domain/expr"
)

// text computes the expressions in a text property. A mistake is noted, and the result is nil.
func (x *expansion) text(text string, s *scope) (any, error) {
	value, err := x.compute(text, s)
	return value, x.noted(text, err)
}

// noted turns a mistake into a problem at the current place. Any other error ends the expansion.
func (x *expansion) noted(text string, err error) error {
	var mistake *expr.Error
	var variable *variableError
	isMistake := errors.As(err, &mistake)
	switch {
	case !isMistake && !errors.As(err, &variable) && !errors.Is(err, errCircle) && !errors.Is(err, errNested):
		return err
	case x.property == "exports": // the message quotes nothing, because passwords are among the texts of exports
		x.problem("The property 'exports' cannot be computed: there is a mistake in the expression at %s", shown(x.path()))
	case isMistake:
		x.problem("The property '%s' cannot be computed: %s, in '%s'", shown(x.property), mistake, shown(text))
	default:
		x.problem("The property '%s' cannot be computed: %s", shown(x.property), err)
	}
	return nil
}

// compute computes a text, and warns of names without a value.
func (x *expansion) compute(text string, s *scope) (any, error) {
	known, ok := x.texts[text]
	if !ok {
		if strings.Count(text, "{{") > maxExpressions { // parsing all expressions would take too much memory
			return nil, tooManyExpressions()
		}
		known = expr.ParseTemplate(text)
		x.texts[text] = known
		if len(x.texts) > maxExpressions || known.Expressions() > maxExpressions {
			return nil, tooManyExpressions()
		}
	}
	value, undefined, err := known.Eval(s, &x.budget.Budget)
	x.missing(undefined)
	return plain(value), err
}

func tooManyExpressions() error {
	return tooMuch("it has more different expressions than can be computed")
}

// plain converts a computed number to a JSON number.
func plain(value any) any {
	if _, computed := value.(float64); computed {
		return expr.JSON(value)
	}
	return value
}

// brief formats a value for a message. Lists and objects are not written out, because they may be long.
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

// value computes a control property, such as a condition: a text with expressions is evaluated, any other value is returned.
func (x *expansion) value(value any, s *scope) (any, error) {
	if text, ok := value.(string); ok && expr.Has(text) {
		return x.text(text, s)
	}
	return value, nil
}

// condition reports whether a scene or element is shown: it has no condition, or its condition is true. An empty condition is
// false, and so is a condition that is not known yet. A text without braces is an expression. Decision 26: undefined is false.
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

// wholly reports whether a text consists of one expression in braces.
func wholly(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}") && strings.Count(text, "{{") == 1
}

// bare evaluates a condition that is written without braces.
func (x *expansion) bare(text string, s *scope) (bool, error) {
	if strings.TrimSpace(text) == "" {
		return false, nil
	}
	e, err := expr.Parse(text)
	if err != nil {
		return expr.Truth(text), nil // the text is not an expression; a text that is not empty is true
	}
	value, undefined, err := e.Eval(s, &x.budget.Budget)
	x.missing(undefined)
	x.await(value)
	return expr.Truth(value), x.noted(text, err)
}

// await reports whether the value of a control property, such as a condition, is pending. If it is, await marks the scene or
// movie that contains the current place as incomplete.
func (x *expansion) await(value any) bool {
	pending := value == any(expr.Pending{})
	if pending {
		x.out.Open[Place{Scene: x.place.Scene}] = true
	}
	return pending
}

func isContainer(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}
