package lint

import (
	"cmp"
	"slices"
	"strings"

	"moviola/domain/jsontext"
)

// Severity says what becomes of the movie.
type Severity string

// The severities. With an Error the movie is refused, or its render or delivery fails; a Warning is something that is not done as it is
// written; Info is worth knowing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// The codes of problems beside those of document.Note. They are stable.
const (
	SyntaxError        = "json_syntax"          // the text is no JSON
	MovieRefused       = "movie_refused"        // the submission would be refused: see the code of the error
	PropertyUnknown    = "property_unknown"     // nobody reads it
	PropertyOfOthers   = "property_unsupported" // other services read it
	GroupUnknown       = "group_unknown"        // the component has no such group of settings
	ComponentUnknown   = "component_unknown"
	SourceUnreachable  = "source_unreachable" // no fetch can serve the address
	ProviderMissing    = "provider_missing"   // nobody is configured to make it
	DestinationInvalid = "destination_invalid"
	ElementNeverShown  = "element_never_shown" // it begins when its scene or movie has ended
)

// MaxProblems is how many problems a report holds at most.
const MaxProblems = 200

// maxWarnings is how many warnings a movie has at most. They end up in an event.
const maxWarnings = 50

// Problem is one finding.
type Problem struct {
	Template string // id of the saved template that Pointer leads into; empty: the body
	Pointer  string // RFC 6901
	// Line and Column count from 1, columns in characters. They are those of the name for what is wrong with a name, else of the value.
	Line, Column int
	Code         string
	Severity     Severity
	Message      string
	Remedy       string // what to change

	// Refusal is the code of the error with which the movie is refused or ends; empty: it does not, or it is element_invalid.
	Refusal string
	warning string // as it stands among the warnings of the movie; empty: as Message, with its place
	atName  bool   // its position is that of the name
	ruled   bool   // it comes from the table alone
}

// Report is what was found.
type Report struct {
	Problems []Problem // in the order of the text: the body first, then templates
	Total    int       // how many there are, also those above MaxProblems
	// Warnings are the texts of what is not fatal, for the movie's list of warnings; at most 50.
	Warnings []string
}

// Errors are the problems with which the movie fails.
func (r Report) Errors() []Problem {
	var errs []Problem
	for _, p := range r.Problems {
		if p.Severity == Error {
			errs = append(errs, p)
		}
	}
	return errs
}

// place names a problem's place.
type place struct{ template, pointer string }

// collector gathers problems, one for each place and kind of code.
type collector struct {
	found []Problem
	at    map[place][]int
	extra int // beyond what is kept

	warned int // how many of what was found are warnings
	most   int // so many warnings are enough: nothing more is looked for then; 0: everything is looked for
}

// maxFound bounds what is kept before the most important ones are chosen.
const maxFound = 2000

func newCollector() *collector { return &collector{at: map[place][]int{}} }

// enough says that nothing more has to be looked for.
func (c *collector) enough() bool { return c.most > 0 && c.warned >= c.most }

// full says that what is found is only counted.
func (c *collector) full() bool { return len(c.found) >= maxFound }

// add keeps a problem. One that says of its place what another one has said already only completes it.
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

// same says that two problems of one place are about the same.
func (p *Problem) same(other Problem) bool {
	value := func(code string) bool { return strings.HasPrefix(code, "value_") }
	return p.Code == other.Code || value(p.Code) && value(other.Code)
}

// merge completes a problem: what happens is known best by who reads the value, what to write instead by the table.
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

// report chooses what is told, and finds out where it is.
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

// warnings are the texts of what is not fatal.
func (c *collector) warnings() []string {
	var all []string
	for _, p := range c.found {
		if p.Severity == Warning && len(all) < maxWarnings {
			all = append(all, p.text())
		}
	}
	return all
}

// Sentence is the message with its scene and element before it, as the status of the movie would have it.
func (p Problem) Sentence() string { return cmp.Or(p.warning, p.Message) }

// text is a problem among the warnings of a movie.
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

// placeName names the scene and element of a pointer as other messages do.
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

// locate fills in lines and columns.
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
