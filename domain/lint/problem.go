package lint

import (
	"cmp"
	"slices"
	"strings"

	"moviola/domain/jsontext"
)

// Severity is the seriousness of a problem.
type Severity string

// The severities. Error: the movie would be refused, or its render or delivery would fail. Warning: a property is not
// followed as written. Info: nothing is wrong, but the user may want to know it.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// The codes of problems, besides those of document.Note. They are stable.
const (
	SyntaxError        = "json_syntax"          // the text is not valid JSON
	MovieRefused       = "movie_refused"        // the submission would be refused: see the code of the error
	PropertyUnknown    = "property_unknown"     // the service does not read the property
	PropertyOfOthers   = "property_unsupported" // the property is one of another service's format
	GroupUnknown       = "group_unknown"        // the component has no such group of settings
	ComponentUnknown   = "component_unknown"
	SourceUnreachable  = "source_unreachable" // the address cannot be fetched
	ProviderMissing    = "provider_missing"   // no provider is configured for the source
	DestinationInvalid = "destination_invalid"
	ElementNeverShown  = "element_never_shown" // the element begins when its scene or movie has ended, or lasts 0 seconds
)

// MaxProblems is the largest number of problems in a report.
const MaxProblems = 200

// maxWarnings is the largest number of warnings of a movie. They are stored in an event.
const maxWarnings = 50

// Problem is one finding.
type Problem struct {
	Template string // id of the saved template into which Pointer leads; empty: Pointer leads into the posted JSON
	Pointer  string // JSON pointer (RFC 6901) to what is wrong
	// Line and Column are counted from 1, columns in characters. They are the position of the property's name if the problem
	// is the name, otherwise that of the value or, if there is no value, of the innermost object or list around it.
	Line, Column int
	Code         string
	Severity     Severity
	Message      string
	Remedy       string // tells the user what to change in the JSON

	// Refusal is the error code that the client gets because of the problem: the movie is refused with this code, its
	// render fails with it, or nothing is delivered. Empty means element_invalid for a problem of severity Error. For a
	// warning, empty means that none of these happens.
	Refusal string
	warning string // text for the movie's warnings; empty: Message with its place
	atName  bool   // the position is that of the property's name
	ruled   bool   // the problem was found only by comparing with the table of properties
}

// Report is the result of Check.
type Report struct {
	Problems []Problem // problems in the order of the texts: those of the body first, then those of the templates
	Total    int       // number of problems, including those beyond MaxProblems
	// Warnings are the texts of the problems of severity Warning, for the movie's list of warnings: at most maxWarnings.
	Warnings []string
}

// Errors returns the problems of severity Error.
func (r Report) Errors() []Problem {
	var errs []Problem
	for _, p := range r.Problems {
		if p.Severity == Error {
			errs = append(errs, p)
		}
	}
	return errs
}

// place is the text and the pointer of a problem.
type place struct{ template, pointer string }

// collector collects problems, at most one for each place and kind of mistake.
type collector struct {
	found []Problem
	at    map[place][]int
	extra int // number of problems that were counted but not kept

	warned int // number of warnings found
	most   int // the checks stop after this number of warnings; 0: everything is checked
}

// maxFound is the largest number of problems that are kept; the most important ones are chosen from them.
const maxFound = 2000

func newCollector() *collector { return &collector{at: map[place][]int{}} }

// enough reports whether the limit of warnings is reached. No more checks are needed then.
func (c *collector) enough() bool { return c.most > 0 && c.warned >= c.most }

// full reports whether the collector is full. Further problems are then only counted.
func (c *collector) full() bool { return len(c.found) >= maxFound }

// add keeps a problem. If a problem with the same mistake is known at that place, the two are merged.
func (c *collector) add(p Problem) {
	key := place{p.Template, p.Pointer}
	for _, i := range c.at[key] {
		if known := &c.found[i]; known.same(p) {
			known.merge(p)
			return
		}
	}
	if c.full() {
		c.extra++
		return
	}
	if p.Severity == Warning {
		c.warned++
	}
	c.at[key] = append(c.at[key], len(c.found))
	c.found = append(c.found, p)
}

// same reports whether two problems at one place are about the same mistake.
func (p *Problem) same(other Problem) bool {
	value := func(code string) bool { return strings.HasPrefix(code, "value_") }
	return p.Code == other.Code || value(p.Code) && value(other.Code)
}

// merge combines p with another problem about the same mistake. One of the two may come from reading the value and the
// other from comparing with the table of properties (its field ruled is true). Then the message of the former is kept,
// which tells the consequence, and the remedy of the latter.
func (p *Problem) merge(other Problem) {
	if p.ruled && !other.ruled {
		remedy := p.Remedy
		*p = other
		if remedy != "" {
			p.Remedy = remedy
		}
		return
	}
	if p.Remedy == "" || other.ruled && other.Remedy != "" {
		p.Remedy = other.Remedy
	}
	if other.Severity == Error {
		p.Severity = Error
		p.Refusal = cmp.Or(p.Refusal, other.Refusal)
	}
}

// report selects the problems to report, and adds their positions.
func (c *collector) report(texts []Text) Report {
	r := Report{Total: len(c.found) + c.extra}
	var order = map[string]int{}
	for i, t := range texts {
		if _, known := order[t.Template]; !known {
			order[t.Template] = i
		}
	}
	rank := map[Severity]int{Error: 0, Warning: 1, Info: 2}
	r.Problems = c.found
	if len(r.Problems) > MaxProblems {
		slices.SortStableFunc(r.Problems, func(a, b Problem) int { return cmp.Compare(rank[a.Severity], rank[b.Severity]) })
		r.Problems = r.Problems[:MaxProblems]
	}
	r.Warnings = c.warnings()
	locate(r.Problems, texts)
	slices.SortStableFunc(r.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(order[a.Template], order[b.Template]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r
}

// warnings returns the texts of the first maxWarnings problems of severity Warning.
func (c *collector) warnings() []string {
	var all []string
	for _, p := range c.found {
		if p.Severity == Warning && len(all) < maxWarnings {
			all = append(all, p.text())
		}
	}
	return all
}

// Sentence returns the problem as a text that names the scene and element, as the movie's list of warnings does. For a
// problem without such a text, it returns the message alone.
func (p Problem) Sentence() string { return cmp.Or(p.warning, p.Message) }

// text returns the problem as a text for the movie's list of warnings. It names the place of the problem and tells the
// message.
func (p Problem) text() string {
	if p.warning != "" {
		return p.warning
	}
	where := placeName(p.Pointer)
	if p.Template != "" {
		where = "Template " + p.Template + ", " + where
	}
	return where + ": " + p.Message
}

// placeName names the scene and element of a pointer in the style of other messages.
func placeName(pointer string) string {
	tokens := jsontext.Tokens(pointer)
	name := "Movie"
	if len(tokens) >= 2 && tokens[0] == "scenes" {
		name, tokens = "Scene #"+next(tokens[1]), tokens[2:]
	}
	if len(tokens) >= 2 && tokens[0] == "elements" {
		name += " Element #" + next(tokens[1])
	}
	return name
}

// locate sets line and column of problems.
func locate(problems []Problem, texts []Text) {
	for _, t := range texts {
		var pointers []string
		for _, p := range problems {
			if p.Template == t.Template && p.Line == 0 {
				pointers = append(pointers, p.Pointer)
			}
		}
		if len(pointers) == 0 {
			continue
		}
		places := jsontext.Locate(t.Raw, pointers)
		var offsets []int
		for _, at := range places {
			offsets = append(offsets, at.Key, at.Value)
		}
		positions := jsontext.Positions(t.Raw, offsets)
		for i := range problems {
			p := &problems[i]
			if p.Template != t.Template || p.Line != 0 {
				continue
			}
			at := places[p.Pointer]
			position := positions[at.Value]
			if p.atName {
				position = positions[at.Key]
			}
			p.Line, p.Column = position.Line, position.Column
		}
	}
}
