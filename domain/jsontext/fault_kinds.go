package jsontext

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ending returns the fault of a text that ends too early; nil: the text is complete.
func (s *scanner) ending() *Fault {
	switch {
	case s.state == next && len(s.open) == 0:
		return nil
	case len(s.open) == 0:
		return s.fault("There is no JSON in the text", "Write a value: {…} for a movie")
	}
	b := s.top()
	remedy := fmt.Sprintf("Close it with '%c'", b.closer)
	if s.hasOdd {
		// Several brackets are open. The first bracket whose closing bracket is indented differently most likely lacks its own
		// end.
		b, remedy = s.odd, "The indentation suggests that its end is missing: close it where it should end"
	}
	f := s.fault(fmt.Sprintf("The text ends, but the '%c' of %%s is not closed", s.raw[b.at]), remedy)
	f.open = []int{b.at}
	return f
}

// wrongCloser returns the fault of a closing bracket that does not match the open bracket.
func (s *scanner) wrongCloser(c byte) *Fault {
	if len(s.open) == 0 {
		return s.fault(fmt.Sprintf("'%c' closes nothing: no bracket is open", c), "Remove it")
	}
	b := s.top()
	f := s.fault(fmt.Sprintf("'%c' stands where the '%c' of %%s has to be closed first", c, s.raw[b.at]),
		fmt.Sprintf("Write '%c' before it", b.closer))
	f.open = []int{b.at}
	return f
}

// trailing returns the fault of a comma without a value after it.
func (s *scanner) trailing() *Fault {
	f := s.fault("There is a comma after the last item", "Remove the comma")
	f.Offset = s.comma
	return f
}

// unseparated returns the fault of a missing comma between two values.
func (s *scanner) unseparated(c byte) *Fault {
	if c == ':' {
		return s.fault("A colon is not possible here: the value before it is an item of a list",
			"Put the name and its value into {…}")
	}
	if f := s.foreign(c); f != nil && c != '\'' {
		return f
	}
	f := s.fault(fmt.Sprintf("A comma or '%c' is missing", s.top().closer),
		"Separate what comes before from what follows with a comma")
	f.Offset = s.end
	return f
}

// foreign returns the fault of a notation of other languages, such as comments or single quotes; nil: the text has no such
// notation here.
func (s *scanner) foreign(c byte) *Fault {
	rest := s.raw[s.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), c == '#':
		return s.fault("JSON has no comments", "Remove the comment, or use a property 'comment'")
	case c == '\'':
		return s.fault("A text stands in single quotes", "Write it in double quotes")
	case c == '`':
		return s.fault("A text stands in backticks", "Write it in double quotes")
	}
	switch r, _ := utf8.DecodeRune(rest); r {
	case '“', '”', '„', '«', '»', '‘', '’':
		return s.fault(fmt.Sprintf("The quotes '%c' are typographic ones", r), "Write straight double quotes: \"…\"")
	case '\ufeff', '\u00a0', '\u200b', '\u2028', '\u2029':
		return s.fault(fmt.Sprintf("There is an invisible character, %U, between values", r), "Remove it, or replace it by a blank")
	}
	for _, w := range []struct{ word, instead string }{
		{"True", "true"}, {"TRUE", "true"}, {"False", "false"}, {"FALSE", "false"}, {"None", "null"}, {"nil", "null"},
		{"NULL", "null"}, {"Null", "null"},
		{"undefined", "null"}, {"NaN", "null"}, {"Infinity", "null"},
	} {
		if bytes.HasPrefix(rest, []byte(w.word)) && !(len(rest) > len(w.word) && isWord(rest[len(w.word)])) &&
			s.state != member && s.state != memberOrEnd {
			return s.fault("'"+w.word+"' is no value of JSON", "Write "+w.instead)
		}
	}
	return nil
}

// text reads a string.
func (s *scanner) text() *Fault {
	begin := s.at
	for s.at++; s.at < len(s.raw); s.at++ {
		switch c := s.raw[s.at]; {
		case c == '"':
			s.at++
			return nil
		case c == '\n' || c == '\r':
			f := s.fault("A text ends with its line: its closing quote is missing",
				"Close it with '\"', or write \\n for a line break inside a text")
			f.Offset = begin
			return f
		case c < ' ':
			return s.fault(fmt.Sprintf("There is a control character, %U, in a text", rune(c)),
				fmt.Sprintf("Write \\u%04x for it, or \\t for a tab", c))
		case c == '\\':
			if f := s.escape(); f != nil {
				return f
			}
		}
	}
	f := s.fault("A text is not closed", "Close it with '\"'")
	f.Offset = begin
	return f
}

// escape reads an escape in a string, from the character after the backslash to its last character.
func (s *scanner) escape() *Fault {
	if s.at+1 >= len(s.raw) {
		return nil // the text ends inside of the string, which the caller reports
	}
	switch c := s.raw[s.at+1]; {
	case bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0:
		s.at++
		return nil
	case c == 'u':
		for i := 2; i < 6; i++ {
			if s.at+i >= len(s.raw) || !isHex(s.raw[s.at+i]) {
				return s.fault("\\u needs four hexadecimal digits after it", "Write \\u00e9, for example, or the character itself")
			}
		}
		s.at += 5
		return nil
	}
	r, _ := utf8.DecodeRune(s.raw[s.at+1:])
	return s.fault(fmt.Sprintf("'\\%c' means nothing in a text of JSON", r), "Write two backslashes for one")
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// number reads a number.
func (s *scanner) number() *Fault {
	begin := s.at
	bad := func(message, remedy string) *Fault {
		f := s.fault(message, remedy)
		f.Offset = begin
		return f
	}
	s.takes("-")
	first := s.at
	whole := s.digits()
	if whole == 0 || whole > 1 && s.raw[first] == '0' {
		return bad("A number is not written as JSON wants it", "Begin it with a digit, without further zeros before it")
	}
	if s.takes(".") && s.digits() == 0 {
		return bad("A number ends with its point", "Write digits after the point, or no point")
	}
	if s.takes("eE") {
		s.takes("+-")
		if s.digits() == 0 {
			return bad("A number has no digits in its exponent", "Write 1e3, for example, or 1000")
		}
	}
	if s.at < len(s.raw) && (isWord(s.raw[s.at]) || s.raw[s.at] == '%') {
		return bad("A number has letters behind it", "Write it without them, or as a text in double quotes")
	}
	return nil
}

// takes reads one character if it is among the given ones, and reports whether it did.
func (s *scanner) takes(some string) bool {
	if s.at == len(s.raw) || strings.IndexByte(some, s.raw[s.at]) < 0 {
		return false
	}
	s.at++
	return true
}

// digits reads digits and returns their number.
func (s *scanner) digits() (n int) {
	for s.takes("0123456789") {
		n++
	}
	return n
}
