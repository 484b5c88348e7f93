package expr

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// The braces around an expression in a text.
const (
	opening = "{{"
	closing = "}}"
)

// Has reports whether a text may hold an expression.
func Has(text string) bool { return strings.Contains(text, opening) }

// Template is a text that contains expressions. It is safe for concurrent use.
type Template struct {
	parts []part
	whole bool // the text is a single expression, apart from blanks: Eval returns its value with its type
}

// part is a piece of plain text, or an expression.
type part struct {
	text     string // plain text, or what stands between the braces, without blanks around it
	computed bool   // the part is an expression
	expr     Expr
	err      error // the mistake because of which text is no expression; it may be a name all the same
	pos      int   // number of characters in the whole text before the expression
}

// Expressions returns the number of expressions in the text.
func (t Template) Expressions() int {
	n := 0
	for _, p := range t.parts {
		if p.computed {
			n++
		}
	}
	return n
}

// ParseTemplate parses a text with expressions. An opening "{{" without a closing "}}" is plain text; "}}" inside quotes
// ends the expression only if no "}}" outside of quotes does. Mistakes are errors of Eval, because whether a text between
// braces is a name depends on the scope.
func ParseTemplate(source string) Template {
	var t Template
	rest, pos := source, 0
	for {
		open := strings.Index(rest, opening)
		if open < 0 {
			break
		}
		inside := rest[open+len(opening):]
		size := closed(inside)
		if size < 0 {
			break
		}
		t.plain(rest[:open])
		pos += utf8.RuneCountInString(rest[:open]) + len(opening)
		e, err := Parse(inside[:size])
		t.parts = append(t.parts, part{text: strings.TrimSpace(inside[:size]), computed: true, expr: e, err: err, pos: pos})
		pos += utf8.RuneCountInString(inside[:size]) + len(closing)
		rest = inside[size+len(closing):]
	}
	t.plain(rest)
	t.whole = whole(t.parts)
	return t
}

func (t *Template) plain(text string) {
	if text != "" {
		t.parts = append(t.parts, part{text: text})
	}
}

// whole reports whether the text is one expression, apart from blanks.
func whole(parts []part) bool {
	n := 0
	for _, p := range parts {
		if p.computed {
			n++
		} else if strings.TrimSpace(p.text) != "" {
			return false
		}
	}
	return n == 1
}

// closed returns the end of the expression at the beginning of a text, or -1. Braces inside quotes end the expression only
// if no braces outside of quotes do. Quotes matter only as far as an expression may be long, because the rest of a text would
// be searched again for each of very many expressions with a quote that never closes.
func closed(text string) int {
	var quote byte
	for i := 0; i < min(len(text), MaxLength+len(closing)); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.HasPrefix(text[i:], closing):
			return i
		}
	}
	return strings.Index(text, closing)
}

// shift adds `by`, the number of characters before an expression in its text, to the position in an *Error of the
// expression. It returns any other error unchanged.
func shift(err error, by int) error {
	var mistake *Error
	if errors.As(err, &mistake) {
		return &Error{mistake.Pos + by, mistake.Message}
	}
	return err
}

// Eval computes a text. A text that is a single expression yields the expression's value with its type; any other text
// yields a text, or Pending if the value of one of its expressions is pending. Undefined names and errors are as in
// Expr.Eval; positions are counted from the beginning of the text.
func (t Template) Eval(scope Scope, budget *Budget) (value any, undefined []string, err error) {
	var texts []string
	run := evaluation{scope: scope, budget: budget}
	pending := false
	for _, p := range t.parts {
		if !p.computed {
			texts = append(texts, p.text)
			continue
		}
		v, err := run.part(p)
		if err != nil {
			return nil, run.undefined, shift(err, p.pos)
		}
		if t.whole {
			return v, run.undefined, nil
		}
		pending = pending || isPending(v)
		text, err := run.text(v)
		if err != nil {
			return nil, run.undefined, err
		}
		texts = append(texts, text)
	}
	if pending {
		return Pending{}, run.undefined, nil
	}
	value, err = run.join(texts...)
	return value, run.undefined, err
}

// part computes an expression of a text. What stands between the braces is a name if the scope has exactly that name, such as
// the name my-clip_url of a preload item's result. Decision 105.
func (e *evaluation) part(p part) (any, error) {
	if !IsName(p.text) && len(p.text) <= MaxLength {
		if err := e.budget.spend(1 + len(p.text)/bytesPerStep); err != nil {
			return nil, err
		}
		if e.scope.Known(p.text) {
			value, ok, err := e.scope.Lookup(p.text)
			if ok || err != nil {
				return value, err
			}
			if p.err != nil { // a name without a value, as the time of an element that is not shown
				e.undefined = append(e.undefined, p.text)
				return nil, nil
			}
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.expr.root.eval(e)
}

// text converts a value to a text. For a list or an object, it takes the size of the text from the budget first, because nested
// lists that share items can be short in memory and long as text.
func (e *evaluation) text(v any) (string, error) {
	if isContainer(v) {
		left := e.budget.Bytes
		if !fits(v, &left) {
			return "", e.budget.write(e.budget.Bytes + 1)
		}
		if err := e.budget.write(e.budget.Bytes - left); err != nil {
			return "", err
		}
	}
	return Text(v), nil
}

// fits subtracts the approximate length of a value as JSON from left. It reports whether left is still not negative, and stops as
// soon as it is negative.
func fits(v any, left *int) bool {
	if *left -= sizeOf(v) + 3; *left < 0 { // 3 characters for quotes and a comma
		return false
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !fits(item, left) {
				return false
			}
		}
	case map[string]any:
		for name, item := range v {
			*left -= len(name) + 3
			if !fits(item, left) {
				return false
			}
		}
	}
	return true
}
