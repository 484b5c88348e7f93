package caption

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// karaokeEffect is the effect of ASS comments that contain the plain text with karaoke syllables. Karaoke programs make dialogues
// from these comments and give them the effect fxEffect. Such a dialogue contains the drawn result, not plain text.
const (
	karaokeEffect = "karaoke"
	fxEffect      = "fx"
)

// assEvent is a line of the section [Events] of an ASS file: a dialogue or a comment.
type assEvent struct {
	comment    bool
	effect     string
	start, end time.Duration
	text       string
}

// assFields are the default fields of an event, in order; a Format line may change them.
var assFields = []string{"layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"}

// readASS reads ASS and SSA. It reads escapes, karaoke times, drawings (which it drops), and colours that highlight one word
// after the other. It ignores styles and other override tags, because the look of captions comes from the settings. It
// returns true when an event gives its words times.
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

// maxStates is the maximum number of consecutive dialogues with the same text that are joined to one cue.
const maxStates = 50

// parseEvent parses the fields of an event. The text is the last field and may contain commas.
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

// assCue makes one cue from a group of events that show the same text: group is one of the results of sameText. The cue
// lasts from the start of the group's first event to the end of its last one. assCue returns true when the group tells the
// times of single words, either by karaoke tags or because each event highlights another word.
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

// part is an override block, without its braces, and the text after it.
type part struct{ override, text string }

// splitOverrides splits a text at its override blocks, and drops drawings.
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

// cutBlock splits a text at the first opening brace that is not escaped.
func cutBlock(text string) (before, after string, ok bool) {
	for i := range len(text) {
		if text[i] == '{' && (i == 0 || text[i-1] != '\\') {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// drawingAfter reports whether a drawing, not text, follows an override block: \p1 begins a drawing, \p0 ends it. before says
// whether a drawing is before the block.
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

// syllable is a karaoke tag: the duration of the text after it, and a pause before it.
type syllable struct{ skip, length time.Duration }

// karaoke reads \k, \K, \kf and \ko, in hundredths of a second. When a block has several tags, the last tag is the duration,
// and the others are pauses.
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

// assLines resolves the escapes in a text of the format ASS, and splits the text into lines. \N and \n end a line, \h
// becomes a blank, and \{ and \} become braces. Any other backslash stays. After a backslash, the invisible character guard
// is removed.
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

// guard is an invisible character that is written after a literal backslash, so that the backslash does not begin a tag.
const guard = "\u2060"
