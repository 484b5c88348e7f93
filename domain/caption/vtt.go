package caption

import (
	"strings"
	"time"
)

// readVTT reads WebVTT. Notes, styles, regions and cue settings are ignored; timestamps inside a cue give the times of its words.
func readVTT(lines []string) ([]timedText, bool) {
	var cues []timedText
	timed := false
	for i := 0; i < len(lines) && len(cues) <= maxCues; {
		start, end, ok := parseSpan(lines[i])
		if !ok {
			i = skipBlock(lines, i)
			continue
		}
		first := i + 1
		for i = first; i < len(lines) && strings.TrimSpace(lines[i]) != "" && !strings.Contains(lines[i], "-->"); {
			i++
		}
		c, own := vttCue(start, end, lines[first:i])
		timed = timed || own
		cues = append(cues, c)
	}
	return cues, timed
}

// skipBlock returns the index of the line after the note, style or region that begins at line i; if none begins there, i + 1.
func skipBlock(lines []string, i int) int {
	word, _, _ := strings.Cut(strings.TrimSpace(lines[i]), " ")
	i++
	if word != "NOTE" && word != "STYLE" && word != "REGION" {
		return i
	}
	for i < len(lines) && strings.TrimSpace(lines[i]) != "" {
		i++
	}
	return i
}

// vttCue parses the lines of a cue. own is true when they contain timestamps.
func vttCue(start, end time.Duration, lines []string) (c timedText, own bool) {
	c = timedText{start: start, end: end}
	p := vttText{cue: &c, at: start}
	for _, line := range lines {
		c.newLine()
		p.line(line)
	}
	p.close(end)
	if !p.stamped {
		for _, l := range c.lines {
			for i := range l {
				l[i].timed = false
			}
		}
	}
	return c, p.stamped
}

// vttText parses timestamps in the lines of a cue. Runs between two timestamps share the time between them.
type vttText struct {
	cue     *timedText
	at      time.Duration
	open    []place // places of the runs whose end time is not known yet
	stamped bool
	hidden  bool // the text is inside <rt>: ruby text, the small reading aid above a word
}

type place struct{ line, run int }

func (p *vttText) line(text string) {
	for text != "" {
		before, rest, ok := strings.Cut(text, "<")
		p.add(before)
		if !ok {
			return
		}
		inner, after, closed := strings.Cut(rest, ">")
		if !closed {
			return
		}
		text = after
		switch inner {
		case "rt":
			p.hidden = true
		case "/rt", "/ruby":
			p.hidden = false
		}
		if at, ok := parseTime(inner); ok && at >= p.at && at <= p.cue.end {
			p.stamped = true
			p.close(at)
			p.at = at
		}
	}
}

func (p *vttText) add(text string) {
	line := len(p.cue.lines) - 1
	if p.hidden || text == "" || line < 0 {
		return
	}
	before := len(p.cue.lines[line])
	p.cue.add(run{text: unescape(text), timed: true})
	if len(p.cue.lines[line]) > before {
		p.open = append(p.open, place{line, before})
	}
}

// close sets the times of the open runs, which are the texts since the last timestamp. The runs divide the time from that
// timestamp to the time `at` in proportion to their lengths in bytes.
func (p *vttText) close(at time.Duration) {
	total, done := 0, 0
	for _, o := range p.open {
		total += len(p.cue.lines[o.line][o.run].text)
	}
	for _, o := range p.open {
		r := &p.cue.lines[o.line][o.run]
		r.start = p.at + (at-p.at)*time.Duration(done)/time.Duration(total)
		done += len(r.text)
		r.end = p.at + (at-p.at)*time.Duration(done)/time.Duration(total)
	}
	p.open = p.open[:0]
}
