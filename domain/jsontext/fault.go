package jsontext

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Fault is the first syntax error of a text.
type Fault struct {
	Offset  int
	Message string
	Remedy  string // tells the user what to change
	// open holds the offsets of brackets that the message names; the message has a %s for each.
	open []int
}

// maxDepth is the maximum nesting of brackets. Deeper nesting is a fault.
const maxDepth = 1000

// FindFault returns the first syntax error of a text. It returns false when the text is one valid JSON value. A nesting of
// more than 1,000 levels is an error too.
func FindFault(raw []byte) (Fault, bool) {
	s := scanner{raw: raw}
	if at := invalidUTF8(raw); at >= 0 {
		s.raw = raw[:at]
		if f := s.run(); f != nil && s.at < at {
			return s.told(f), true
		}
		return Fault{Offset: at, Message: "The text is not UTF-8", Remedy: "Save the file as UTF-8"}, true
	}
	f := s.run()
	if f == nil {
		return Fault{}, false
	}
	return s.told(f), true
}

func invalidUTF8(raw []byte) int {
	if utf8.Valid(raw) {
		return -1
	}
	for at := 0; at < len(raw); {
		r, size := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// bracket is an open bracket.
type bracket struct {
	at     int
	closer byte
}

// state is the state of the scanner: which token may come next.
type state int

const (
	value       state = iota // a value may come next
	valueOrEnd               // a value or the closing bracket may come next: after the opening bracket of a list
	memberOrEnd              // a member or the closing bracket may come next: after the opening bracket of an object
	member                   // a member may come next: after a comma in an object
	colon                    // a colon may come next: after the name of a member
	next                     // a comma or a closing bracket may come next: after a value
)

// scanner scans a text for its first fault.
type scanner struct {
	raw   []byte
	at    int
	state state
	open  []bracket
	comma int // offset of the last comma
	end   int // offset of the end of the last value, or of the colon after the last name
	// odd is the first bracket whose closing bracket is indented differently: this suggests that a bracket is missing
	// inside of it.
	odd    bracket
	hasOdd bool
}

// run returns the first fault, nil when there is none.
func (s *scanner) run() *Fault {
	for {
		for s.at < len(s.raw) && bytes.IndexByte([]byte(" \t\r\n"), s.raw[s.at]) >= 0 {
			s.at++
		}
		if s.at == len(s.raw) {
			return s.ending()
		}
		if f := s.step(s.raw[s.at]); f != nil {
			return f
		}
	}
}

func (s *scanner) step(c byte) *Fault {
	closes := c == '}' || c == ']'
	switch {
	case s.state == next:
		return s.afterValue(c)
	case s.state == colon:
		return s.afterName(c)
	case closes && (s.state == valueOrEnd || s.state == memberOrEnd):
		return s.closing(c)
	case s.state == member || s.state == memberOrEnd:
		return s.name(c)
	}
	return s.begin(c)
}

// afterValue reads the comma after a value, or the bracket that closes the surrounding object or list.
func (s *scanner) afterValue(c byte) *Fault {
	switch {
	case len(s.open) == 0:
		return s.fault("There is text after the end of the JSON value",
			"Remove it, or check the brackets before it: one may be closed too early")
	case c == '}' || c == ']':
		return s.closing(c)
	case c != ',':
		return s.unseparated(c)
	}
	s.comma, s.at = s.at, s.at+1
	s.state = value
	if s.top().closer == '}' {
		s.state = member
	}
	return nil
}

// afterName reads the colon between the name of a member and its value.
func (s *scanner) afterName(c byte) *Fault {
	if c != ':' {
		return s.fault("A colon is missing after the name of a property", "Write a colon between the name and its value")
	}
	s.at++
	s.end, s.state = s.at, value
	return nil
}

func (s *scanner) top() bracket { return s.open[len(s.open)-1] }

// name reads the name of a member.
func (s *scanner) name(c byte) *Fault {
	switch {
	case c == '"':
		s.state = colon
		return s.text()
	case c == '}' && s.state == member:
		return s.trailing()
	case c == ']' && s.state == member:
		return s.wrongCloser(c)
	}
	if f := s.foreign(c); f != nil {
		return f
	}
	if c == '{' || c == '[' {
		f := s.fault("The name of a property is expected here, inside the '{' of %s",
			"Write a name and a colon before it, or close that '{' first")
		f.open = []int{s.top().at}
		return f
	}
	return s.fault("The name of a property must stand in double quotes", "Write \"name\": value")
}

// begin reads a text, number or word as a whole, and of an object or a list only the opening bracket. c is the value's first
// character.
func (s *scanner) begin(c byte) *Fault {
	switch {
	case c == '{' || c == '[':
		return s.opening(c)
	case c == '"':
		f := s.text()
		s.ended()
		return f
	case c == '-' || c >= '0' && c <= '9':
		f := s.number()
		s.ended()
		return f
	case (c == ']' || c == '}') && s.comma >= s.end && s.state == value && len(s.open) > 0:
		if s.top().closer == c {
			return s.trailing()
		}
		return s.wrongCloser(c)
	case s.word():
		s.ended()
		return nil
	}
	if f := s.foreign(c); f != nil {
		return f
	}
	return s.fault("A value is expected here", "Write a value: a text in double quotes, a number, true, false, null, {…} or […]")
}

// opening reads the bracket that opens an object or a list.
func (s *scanner) opening(c byte) *Fault {
	if len(s.open) == maxDepth {
		return s.fault("The JSON is nested too deep", "Make it flatter")
	}
	b := bracket{s.at, '}'}
	s.state = memberOrEnd
	if c == '[' {
		b.closer, s.state = ']', valueOrEnd
	}
	s.open = append(s.open, b)
	s.at++
	return nil
}

// word reads true, false or null, and says whether it found one of them.
func (s *scanner) word() bool {
	for _, word := range []string{"true", "false", "null"} {
		if rest := s.raw[s.at:]; bytes.HasPrefix(rest, []byte(word)) && !(len(rest) > len(word) && isWord(rest[len(word)])) {
			s.at += len(word)
			return true
		}
	}
	return false
}

// ended records the end of a value: a comma or a closing bracket has to follow.
func (s *scanner) ended() { s.end, s.state = s.at, next }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (s *scanner) closing(c byte) *Fault {
	if len(s.open) == 0 || s.top().closer != c {
		return s.wrongCloser(c)
	}
	b := s.top()
	if !s.hasOdd && s.begins(s.at) {
		opened, closed := s.indent(b.at), s.indent(s.at)
		if opened >= 0 && closed >= 0 && opened != closed {
			s.odd, s.hasOdd = b, true
		}
	}
	s.open = s.open[:len(s.open)-1]
	s.at++
	s.ended()
	return nil
}

// begins reports whether an offset is that of the first character in its line that is not blank.
func (s *scanner) begins(at int) bool {
	for at > 0 && (s.raw[at-1] == ' ' || s.raw[at-1] == '\t') {
		at--
	}
	return at > 0 && s.raw[at-1] == '\n'
}

// farthest is the maximum number of bytes that are searched backwards for the start of a line. People seldom write longer
// lines, and searching a text without line breaks once per bracket would take quadratic time.
const farthest = 300

// indent returns the indentation of the line that contains an offset; -1: the line is too long to tell.
func (s *scanner) indent(at int) int {
	from := max(0, at-farthest)
	line := from + bytes.LastIndexByte(s.raw[from:at], '\n') + 1
	if line == from && from > 0 {
		return -1
	}
	n := line
	for n < at && (s.raw[n] == ' ' || s.raw[n] == '\t') {
		n++
	}
	return n - line
}

func (s *scanner) fault(message, remedy string) *Fault {
	return &Fault{Offset: s.at, Message: message, Remedy: remedy}
}

// told returns the fault after it has filled the positions (line and column) of the brackets in f.open into the message.
func (s *scanner) told(f *Fault) Fault {
	if len(f.open) == 0 {
		return *f
	}
	positions := Positions(s.raw, f.open)
	var places []any
	for _, at := range f.open {
		places = append(places, fmt.Sprintf("line %d, column %d", positions[at].Line, positions[at].Column))
	}
	f.Message = fmt.Sprintf(f.Message, places...)
	return *f
}
