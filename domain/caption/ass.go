package caption

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// karaokeEffect marks the comments of a file whose dialogues were made from them, as programs for karaoke write it. They hold
// the plain text with its syllables; the dialogues, marked with fxEffect, hold what is drawn.
const (
	karaokeEffect = "karaoke"
	fxEffect      = "fx"
)

// assEvent is a line of the section [Events].
type assEvent struct {
	comment    bool
	effect     string
	start, end time.Duration
	text       string
}

// assFields are the fields of an event in the usual order; a Format line may change it.
var assFields = []string{"layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"}

// readASS reads ASS and SSA. Of styles and overrides only line breaks, karaoke times and drawings are minded: how captions
// look is a matter of the settings.
func readASS(lines []string) ([]timedText, bool) {
	events := assEvents(lines)
	if slices.ContainsFunc(events, assEvent.isKaraoke) {
		events = slices.DeleteFunc(events, func(e assEvent) bool { return !e.isKaraoke() })
	} else {
		events = slices.DeleteFunc(events, func(e assEvent) bool { return e.comment })
	}
	var cues []timedText
	timed := false
	for _, group := range sameText(events) {
		c, own := assCue(group)
		timed = timed || own
		cues = append(cues, c)
	}
	return cues, timed
}

func (e assEvent) isKaraoke() bool { return e.comment && e.effect == karaokeEffect }

func assEvents(lines []string) []assEvent {
	var events []assEvent
	fields := assFields
	section := ""
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		kind, rest, ok := strings.Cut(line, ":")
		if !ok || section != "" && section != "[events]" {
			continue
		}
		switch strings.ToLower(kind) {
		case "format":
			fields = strings.Split(strings.ToLower(strings.ReplaceAll(rest, " ", "")), ",")
		case "dialogue", "comment":
			if e, ok := parseEvent(rest, fields); ok && len(events) <= maxCues*maxStates {
				e.comment = strings.EqualFold(kind, "comment")
				events = append(events, e)
			}
		}
	}
	return events
}

// maxStates is how many dialogues a cue may be made of.
const maxStates = 50

// parseEvent reads the fields of an event. The text is the last of them and may hold commas.
func parseEvent(line string, fields []string) (assEvent, bool) {
	values := strings.SplitN(line, ",", len(fields))
	if len(values) != len(fields) || len(fields) > 50 {
		return assEvent{}, false
	}
	var e assEvent
	okStart, okEnd := false, false
	for i, name := range fields {
		switch name {
		case "start":
			e.start, okStart = parseTime(values[i])
		case "end":
			e.end, okEnd = parseTime(values[i])
		case "effect":
			e.effect = strings.ToLower(strings.TrimSpace(values[i]))
		case "text":
			e.text = values[i]
		}
	}
	return e, okStart && okEnd && e.end > e.start
}

// assCue reads events that show the same text one after the other: one event, or one for each word that is highlighted.
func assCue(group []assEvent) (timedText, bool) {
	if c, ok := highlightedCue(group); ok {
		return c, true
	}
	c := timedText{start: group[0].start, end: group[len(group)-1].end}
	c.newLine()
	at, next := c.start, c.start
	timed := false
	for _, p := range splitOverrides(group[0].text) {
		if k, ok := karaoke(p.override); ok {
			at = next + k.skip
			next = min(at+k.length, c.end)
			timed = true
		}
		for i, text := range assLines(p.text) {
			if i > 0 {
				c.newLine()
			}
			c.add(run{text: text, start: min(at, c.end), end: next, timed: true})
		}
	}
	if !timed {
		for _, l := range c.lines {
			for i := range l {
				l[i].timed = false
			}
		}
	}
	return c, timed
}

// part is an override block without its braces, and the text after it.
type part struct{ override, text string }

// splitOverrides takes a text apart at its override blocks and leaves out drawings.
func splitOverrides(text string) []part {
	var parts []part
	override := ""
	drawing := false
	for {
		shown, rest, ok := cutBlock(text)
		if !drawing {
			parts = append(parts, part{override, shown})
		} else {
			parts = append(parts, part{override, ""})
		}
		if !ok {
			return parts
		}
		if override, text, ok = strings.Cut(rest, "}"); !ok {
			return append(parts, part{"", ""})
		}
		drawing = drawingAfter(override, drawing)
	}
}

// cutBlock cuts text at the first brace that is not escaped.
func cutBlock(text string) (before, after string, ok bool) {
	for i := range len(text) {
		if text[i] == '{' && (i == 0 || text[i-1] != '\\') {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// drawingAfter says whether what follows an override is a drawing instead of text: \p1 begins one, \p0 ends it.
func drawingAfter(override string, before bool) bool {
	for _, tag := range strings.Split(override, `\`) {
		if scale, ok := strings.CutPrefix(tag, "p"); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(scale)); err == nil {
				before = n > 0
			}
		}
	}
	return before
}

// syllable is a karaoke tag: how long the text after it is spoken, and how much later than the one before it begins.
type syllable struct{ skip, length time.Duration }

// karaoke reads \k, \K, \kf and \ko, in hundredths of a second. Of several in one block all but the last are pauses.
func karaoke(override string) (syllable, bool) {
	var s syllable
	found := false
	for _, tag := range strings.Split(override, `\`) {
		if len(tag) < 2 || tag[0] != 'k' && tag[0] != 'K' {
			continue
		}
		n, ok := digits(strings.TrimLeft(tag[1:], "fo"))
		if !ok {
			continue
		}
		s.skip += s.length
		s.length = time.Duration(n) * 10 * time.Millisecond
		found = true
	}
	return s, found
}

// assLines resolves the escapes of a text: \N and \n break the line, \h is a blank, and braces and backslashes may be escaped.
func assLines(text string) []string {
	var lines []string
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 'N', 'n':
			lines = append(lines, b.String())
			b.Reset()
		case 'h':
			b.WriteByte(' ')
		case '{', '}':
			b.WriteByte(text[i])
		default:
			b.WriteByte('\\')
			if after, ok := strings.CutPrefix(text[i:], guard); ok {
				i = len(text) - len(after) - 1
			} else {
				b.WriteByte(text[i])
			}
		}
	}
	return append(lines, b.String())
}

// guard stands after a backslash that is meant as one. It is not seen.
const guard = "\u2060"
