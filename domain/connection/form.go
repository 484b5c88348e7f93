package connection

import "regexp"

// form is the form of a text, such as a setting or an id: a regular expression, and the maximum length in bytes. The length
// is checked apart, because an expression that counts to 200 takes milliseconds to compile, at each start of the program.
type form struct {
	expression *regexp.Regexp
	most       int
}

// MatchString reports whether a text has the form.
func (f form) MatchString(s string) bool { return len(s) <= f.most && f.expression.MatchString(s) }
