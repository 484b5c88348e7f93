package caption

import (
	"slices"
	"time"
)

// hold is the longest gap to the next word, or to the end of the cue, in which a word stays highlighted after its end. In a
// longer gap the highlight ends with the word. Without hold the highlight would flicker in short gaps.
const hold = 500 * time.Millisecond

// States returns the states of a track in the style, in order and without overlap. Between two states that do not touch nothing
// is shown. States that touch differ. States beyond maxShown are left out.
func (s Style) States(t Track) []State {
	var states []State
	var active []Cue
	next, shown := 0, 0
	points := moments(t)
	for i, at := range points[:max(len(points)-1, 0)] {
		active = slices.DeleteFunc(active, func(c Cue) bool { return c.End <= at })
		for ; next < len(t.Cues) && t.Cues[next].Start <= at; next++ {
			if c := t.Cues[next]; c.End > at && len(active) < maxAtOnce {
				active = append(active, c)
			}
		}
		state := State{From: at, To: points[i+1]}
		for _, c := range active {
			state.Rows = append(state.Rows, s.rows(c, at)...)
		}
		if shown += state.size(); shown > maxShown {
			break
		}
		states = join(states, state)
	}
	return states
}

// size returns the approximate memory of a state, in bytes. A text counts twice, because it is written to a file, too.
func (s State) size() int {
	const each = 24 // memory of a row or piece besides its text
	n := 0
	for _, r := range s.Rows {
		n += each * (1 + len(r.Pieces))
		for _, p := range r.Pieces {
			n += 2 * len(p.Text)
		}
	}
	return n
}

// join appends a state. If the last state shows the same content, it extends that state instead.
func join(states []State, state State) []State {
	if len(state.Rows) == 0 {
		return states
	}
	if n := len(states); n > 0 && states[n-1].To == state.From && sameRows(states[n-1].Rows, state.Rows) {
		states[n-1].To = state.To
		return states
	}
	return append(states, state)
}

func sameRows(a, b []Row) bool {
	return slices.EqualFunc(a, b, func(a, b Row) bool { return a.Boxed == b.Boxed && slices.Equal(a.Pieces, b.Pieces) })
}

// moments returns the times at which the captions may change, in order.
func moments(t Track) []time.Duration {
	var points []time.Duration
	for _, c := range t.Cues {
		points = append(points, c.Start, c.End)
		for _, l := range lit(c) {
			points = append(points, l.from, l.to)
		}
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// light is the time during which a word is highlighted.
type light struct{ from, to time.Duration }

// lit returns, for each word of a cue, the time during which it is highlighted: at most one word at a time. In a cue with too
// many words none is highlighted.
func lit(c Cue) []light {
	words := c.Words()
	if len(words) > maxLitWords {
		return nil
	}
	lights := make([]light, len(words))
	for i, w := range words {
		until := c.End
		if i+1 < len(words) {
			until = words[i+1].Start
		}
		from := min(max(w.Start, c.Start), c.End)
		to := min(w.End, until)
		if until-to <= hold {
			to = until
		}
		lights[i] = light{from, min(max(to, from), c.End)}
	}
	return lights
}

// rows returns the lines of a cue as they are shown at the time at.
func (s Style) rows(c Cue, at time.Duration) []Row {
	lights := lit(c)
	var rows []Row
	n := 0
	for _, line := range c.Lines {
		row := Row{Boxed: s.Name == BoxedLine, Pieces: make([]Piece, 0, len(line))}
		for i, w := range line {
			role := Coming
			if lights != nil {
				role = lights[n].role(at)
			}
			n++
			if p, ok := s.piece(w.Text, role, lights != nil); ok {
				p.Glued = i > 0 && len(row.Pieces) > 0 && Glued(line[i-1].Text, w.Text)
				row.Pieces = append(row.Pieces, p)
			}
		}
		if len(row.Pieces) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

func (l light) role(at time.Duration) Role {
	switch {
	case at < l.from:
		return Coming
	case at < l.to:
		return Now
	}
	return Said
}

// piece returns a word as the style shows it. It returns false when the style does not show the word.
func (s Style) piece(text string, role Role, lit bool) (Piece, bool) {
	if !lit {
		return Piece{Text: text, Role: role}, true
	}
	switch s.Name {
	case OneWord:
		return Piece{Text: text, Role: role}, role == Now
	case Progressive:
		if role == Coming {
			role = Hidden
		}
	case BoxedWord:
		return Piece{Text: text, Role: role, Boxed: role == Now}, true
	}
	return Piece{Text: text, Role: role}, true
}
