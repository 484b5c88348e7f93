package expr

import (
	"fmt"
	"strings"
)

// The bounds of one expression. They limit the depth of its syntax tree, and with it the stack of recursive functions.
const (
	MaxLength = 4096 // maximum length of an expression in bytes
	maxDepth  = 64   // maximum nesting of parentheses, arguments, choices and signs
)

// constants are names with a fixed value.
var constants = map[string]any{"true": true, "false": false, "null": nil}

// Parse reads an expression, without braces. An error is an *Error.
func Parse(source string) (Expr, error) {
	if len(source) > MaxLength {
		return Expr{}, &Error{1, fmt.Sprintf("the expression is longer than %d bytes, and begins", MaxLength)}
	}
	p := parser{lexer: lexer{rest: source, pos: 1}}
	if err := p.advance(); err != nil {
		return Expr{}, err
	}
	root, err := p.expression()
	if err == nil && p.token.kind != end {
		err = p.unexpected("an operator")
	}
	return Expr{root}, err
}

// parser is a recursive-descent parser with one token of lookahead.
type parser struct {
	lexer lexer
	token token
	depth int
}

func (p *parser) advance() (err error) {
	p.token, err = p.lexer.next()
	return err
}

// at reports whether the next token is the given operator.
func (p *parser) at(op string) bool { return p.token.kind == operator && p.token.text == op }

// take consumes the operator if it is the next token.
func (p *parser) take(op string) (bool, error) {
	if !p.at(op) {
		return false, nil
	}
	return true, p.advance()
}

// need consumes the operator, which must be the next token.
func (p *parser) need(op string) error {
	if !p.at(op) {
		return p.unexpected("'" + op + "'")
	}
	return p.advance()
}

func (p *parser) unexpected(wanted string) error {
	found := "'" + shorten(p.token.text) + "'"
	switch p.token.kind {
	case end:
		found = "the end"
	case text:
		found = "the text " + found
	}
	return &Error{p.token.pos, fmt.Sprintf("expected %s, found %s", wanted, found)}
}

// deeper enters a level of nesting. The caller leaves the level again.
func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return &Error{p.token.pos, fmt.Sprintf("the expression is nested deeper than %d levels", maxDepth)}
	}
	return nil
}

// expression parses: or [ "?" expression ":" expression ].
func (p *parser) expression() (node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	condition, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if chosen, err := p.take("?"); !chosen {
		return condition, err
	} else if err != nil {
		return nil, err
	}
	yes, err := p.expression()
	if err != nil {
		return nil, err
	}
	if err := p.need(":"); err != nil {
		return nil, err
	}
	no, err := p.expression()
	return choice{condition, yes, no}, err
}

// levels are the binary operators by precedence, the lowest first. All are left-associative.
var levels = []string{" || ", " && ", " == != < <= > >= ", " + - ", " * / % "}

// binary parses operands of the next level, and operators of this level between them.
func (p *parser) binary(level int) (node, error) {
	if level == len(levels) {
		return p.unary()
	}
	x, err := p.binary(level + 1)
	for err == nil && p.token.kind == operator && strings.Contains(levels[level], " "+p.token.text+" ") {
		op := p.token
		if err = p.advance(); err != nil {
			break
		}
		var y node
		y, err = p.binary(level + 1)
		x = binary{op.text, x, y, op.pos}
	}
	return x, err
}

// unary parses: ("-" | "!") unary, or a path.
func (p *parser) unary() (node, error) {
	if !p.at("-") && !p.at("!") {
		return p.path()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	op := p.token
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.unary()
	return unary{op.text, x, op.pos}, err
}

// path parses a value followed by { "." name | "." digits | "[" expression "]" }.
func (p *parser) path() (node, error) {
	n, err := p.value()
	for err == nil {
		switch {
		case p.at("["):
			n, err = p.index(n)
		case p.at("."):
			n, err = p.field(n)
		case p.token.kind == number && strings.HasPrefix(p.token.text, "."):
			// The lexer cuts list.0 into list and the number .0.
			n, err = p.places(n)
		default:
			return n, nil
		}
	}
	return n, err
}

func (p *parser) index(of node) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	key, err := p.expression()
	if err != nil {
		return nil, err
	}
	return member{of, key}, p.need("]")
}

func (p *parser) field(of node) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	key := p.token
	switch word := wordOf(key); {
	case word != "":
		return member{of, literal{word}}, p.advance()
	case key.kind == number && strings.Trim(key.text, "0123456789") == "":
		return member{of, literal{key.value}}, p.advance()
	}
	return nil, p.unexpected("a name after '.'")
}

// wordOf returns a token as the name of a field. Operators that are words, such as and, are valid names too.
func wordOf(t token) string {
	if t.kind == name {
		return t.text
	}
	return t.word
}

// places parses indexes such as .0 and .0.1, which the lexer reads as numbers.
func (p *parser) places(of node) (node, error) {
	digits := strings.TrimPrefix(p.token.text, ".")
	if strings.Trim(digits, "0123456789") != "" || len(digits) > 9 {
		return nil, p.unexpected("an operator")
	}
	place := 0.0
	for _, d := range digits {
		place = place*10 + float64(d-'0')
	}
	return member{of, literal{place}}, p.advance()
}

// value parses a literal, a list, a name, a call, or an expression in parentheses.
func (p *parser) value() (node, error) {
	t := p.token
	switch {
	case t.kind == number:
		return literal{t.value}, p.advance()
	case t.kind == text:
		return literal{t.text}, p.advance()
	case t.kind == name:
		return p.named(t)
	case p.at("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		return n, p.need(")")
	case p.at("["):
		items, err := p.list("]")
		return array{items}, err
	}
	return nil, p.unexpected("a value")
}

func (p *parser) named(t token) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if value, ok := constants[t.text]; ok {
		return literal{value}, nil
	}
	if !p.at("(") {
		return variable{t.text}, nil
	}
	f, known := functions[t.text]
	if !known {
		return nil, &Error{t.pos, "there is no function '" + shorten(t.text) + "'"}
	}
	args, err := p.list(")")
	if err == nil && (len(args) < f.least || f.most >= 0 && len(args) > f.most) {
		err = &Error{t.pos, fmt.Sprintf("the function '%s' takes %s, not %d", t.text, f.arity(), len(args))}
	}
	return call{t.text, args, t.pos}, err
}

// list parses expressions separated by commas, from the opening bracket to the closing bracket.
func (p *parser) list(closing string) ([]node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	items := []node{}
	for !p.at(closing) {
		if len(items) > 0 {
			if err := p.need(","); err != nil {
				return nil, err
			}
		}
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, p.advance()
}
