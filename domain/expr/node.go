package expr

import (
	"strconv"
	"strings"
)

// Expr is a parsed expression. It is safe for concurrent use.
type Expr struct{ root node }

// String returns the expression as a text; every operation is in parentheses. Parse accepts the text unless it exceeds a
// bound.
func (e Expr) String() string {
	var b strings.Builder
	e.root.write(&b)
	return b.String()
}

// Name returns the name if the expression is a single name. It returns false for any other expression.
func (e Expr) Name() (string, bool) {
	n, ok := e.root.(variable)
	return n.name, ok
}

// node is a node of the syntax tree.
type node interface {
	write(b *strings.Builder)
	eval(e *evaluation) (any, error)
}

// literal is a number, a text, true, false or null.
type literal struct{ value any }

// variable is a name.
type variable struct{ name string }

// member is the access to a member of an object, or to an item of a list.
type member struct {
	of  node
	key node
}

// array is a list of expressions.
type array struct{ items []node }

// call is the call of a function.
type call struct {
	function string
	args     []node
	pos      int
}

// unary is the operator - or ! with its operand.
type unary struct {
	op  string
	x   node
	pos int
}

// binary is an operator with two operands.
type binary struct {
	op   string
	x, y node
	pos  int
}

// choice is condition ? yes : no.
type choice struct{ condition, yes, no node }

func (n literal) write(b *strings.Builder) {
	switch v := n.value.(type) {
	case nil:
		b.WriteString("null")
	case string:
		writeText(b, v)
	case float64:
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	}
}

var escaper = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`)

func writeText(b *strings.Builder, s string) {
	b.WriteByte('\'')
	_, _ = escaper.WriteString(b, s)
	b.WriteByte('\'')
}

func (n variable) write(b *strings.Builder) { b.WriteString(n.name) }

func (n member) write(b *strings.Builder) {
	n.of.write(b)
	if key, ok := n.key.(literal); ok {
		if text, ok := key.value.(string); ok && nameLength(text) == len(text) && text != "" {
			b.WriteString("." + text)
			return
		}
	}
	b.WriteByte('[')
	n.key.write(b)
	b.WriteByte(']')
}

func (n array) write(b *strings.Builder) { writeList(b, "[", n.items, "]") }

func (n call) write(b *strings.Builder) { writeList(b, n.function+"(", n.args, ")") }

func writeList(b *strings.Builder, open string, items []node, closing string) {
	b.WriteString(open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		item.write(b)
	}
	b.WriteString(closing)
}

func (n unary) write(b *strings.Builder) {
	b.WriteString("(" + n.op)
	n.x.write(b)
	b.WriteByte(')')
}

func (n binary) write(b *strings.Builder) {
	b.WriteByte('(')
	n.x.write(b)
	b.WriteString(" " + n.op + " ")
	n.y.write(b)
	b.WriteByte(')')
}

func (n choice) write(b *strings.Builder) {
	b.WriteByte('(')
	n.condition.write(b)
	b.WriteString(" ? ")
	n.yes.write(b)
	b.WriteString(" : ")
	n.no.write(b)
	b.WriteByte(')')
}
