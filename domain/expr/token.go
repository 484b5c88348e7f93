package expr

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is a mistake in an expression.
type Error struct {
	Pos     int    // number of the character with the mistake, from 1
	Message string // message without the position
}

func (e *Error) Error() string { return fmt.Sprintf("%s at character %d", e.Message, e.Pos) }

// kind is the kind of a token.
type kind int

const (
	end kind = iota
	number
	text
	name
	operator
)

// token is a token of an expression. For a string, text is its content without quotes.
type token struct {
	kind  kind
	text  string
	word  string  // the word, when the operator is a word such as and
	value float64 // value of the token, if it is a number
	pos   int     // position of the token's first character, from 1
}

// operators are ordered by length, the longest first.
var operators = []string{"==", "!=", ">=", "<=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "?", ":", "(", ")", "[", "]",
	",", ".", "!"}

// words are the operators that are words.
var words = map[string]string{"and": "&&", "or": "||", "not": "!"}

// lexer splits a text into tokens.
type lexer struct {
	rest string
	pos  int // position of rest in the text, from 1
}

// next returns the next token.
func (l *lexer) next() (token, error) {
	trimmed := strings.TrimLeftFunc(l.rest, unicode.IsSpace)
	l.skip(len(l.rest) - len(trimmed))
	t := token{pos: l.pos}
	if l.rest == "" {
		return t, nil
	}
	first, _ := utf8.DecodeRuneInString(l.rest)
	switch {
	case isDigit(first) || first == '.' && len(l.rest) > 1 && isDigit(rune(l.rest[1])):
		return l.number(t)
	case first == '\'' || first == '"':
		return l.text(t, byte(first))
	case isNameStart(first):
		t.kind, t.text = name, l.rest[:nameLength(l.rest)]
		l.skip(len(t.text))
		if op, ok := words[t.text]; ok {
			t.kind, t.word, t.text = operator, t.text, op
		}
		return t, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(l.rest, op) {
			l.skip(len(op))
			t.kind, t.text = operator, op
			return t, nil
		}
	}
	if first == '=' {
		return t, &Error{t.pos, "'=' compares nothing, write '=='"}
	}
	return t, &Error{t.pos, fmt.Sprintf("unexpected %q", first)}
}

// skip advances by n bytes.
func (l *lexer) skip(n int) {
	l.pos += utf8.RuneCountInString(l.rest[:n])
	l.rest = l.rest[n:]
}

func (l *lexer) number(t token) (token, error) {
	n := digits(l.rest)
	if n < len(l.rest) && l.rest[n] == '.' && digits(l.rest[n+1:]) > 0 {
		n += 1 + digits(l.rest[n+1:])
	}
	if n < len(l.rest) && (l.rest[n] == 'e' || l.rest[n] == 'E') {
		signed := n + 1
		if signed < len(l.rest) && (l.rest[signed] == '+' || l.rest[signed] == '-') {
			signed++
		}
		if more := digits(l.rest[signed:]); more > 0 {
			n = signed + more
		}
	}
	value, err := strconv.ParseFloat(l.rest[:n], 64)
	if err != nil {
		return t, &Error{t.pos, "the number " + shorten(l.rest[:n]) + " is too large"}
	}
	t.kind, t.value, t.text = number, value, l.rest[:n]
	l.skip(n)
	return t, nil
}

// escapes maps the characters that may follow a backslash in a string.
var escapes = map[byte]byte{'n': '\n', 't': '\t', '\\': '\\', '\'': '\'', '"': '"'}

func (l *lexer) text(t token, quote byte) (token, error) {
	var said strings.Builder
	for i := 1; i < len(l.rest); i++ {
		switch c := l.rest[i]; c {
		case quote:
			t.kind, t.text = text, said.String()
			l.skip(i + 1)
			return t, nil
		case '\\':
			if i++; i == len(l.rest) {
				continue
			}
			if escaped, ok := escapes[l.rest[i]]; ok {
				said.WriteByte(escaped)
			} else {
				said.WriteString(l.rest[i-1 : i+1])
			}
		default:
			said.WriteByte(c)
		}
	}
	return t, &Error{t.pos, "the text that begins here has no closing quote"}
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(rune(s[n])) {
		n++
	}
	return n
}

// nameLength returns the number of bytes of the name at the beginning of s: a letter or _, then letters, digits and _.
func nameLength(s string) int {
	for i, r := range s {
		if !isNameStart(r) && (i == 0 || !unicode.IsDigit(r)) {
			return i
		}
	}
	return len(s)
}

// IsName reports whether a text is a valid name in an expression.
func IsName(s string) bool {
	_, isWord := words[s]
	_, isConstant := constants[s]
	return s != "" && nameLength(s) == len(s) && !isWord && !isConstant
}

// shorten cuts a text to a length that fits into a message.
func shorten(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
