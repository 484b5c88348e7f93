package caption

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
)

// sameText groups consecutive events that show the same text, with gaps of at most 50 ms and no overlap, at most maxStates
// in a group. Files contain such groups to highlight one word after the other in players without karaoke. An event with
// karaoke tags, or without text, is a group alone.
func sameText(events []assEvent) [][]assEvent {
	var groups [][]assEvent
	last := ""
	for _, e := range events {
		plain := plainText(e.text)
		if n := len(groups); n > 0 && plain == last && plain != "" {
			group := groups[n-1]
			gap := e.start - group[len(group)-1].end
			if gap >= 0 && gap <= 50*time.Millisecond && len(group) < maxStates {
				groups[n-1] = append(group, e)
				continue
			}
		}
		groups = append(groups, []assEvent{e})
		last = plain
	}
	return groups
}

// plainText returns the text of an event without override blocks; empty if it has karaoke tags.
func plainText(text string) string {
	var b strings.Builder
	for _, p := range splitOverrides(text) {
		if _, ok := karaoke(p.override); ok {
			return ""
		}
		b.WriteString(p.text)
	}
	return strings.TrimSpace(b.String())
}

// colored is a word of a dialogue event of an ASS file, with the colour that the word's first letter has.
type colored struct {
	text, color string
	breaks      bool // the word begins a line
}

// highlightedCue makes a cue of a group of several events, each of which gives one word another colour than the other words;
// later events give it to later words. The word with the other colour is spoken during its event.
func highlightedCue(group []assEvent) (timedText, bool) {
	if len(group) < 2 {
		return timedText{}, false
	}
	all := make([][]colored, len(group))
	for i, e := range group {
		all[i] = coloredWords(e.text)
	}
	base := usualColor(all)
	c := timedText{start: group[0].start, end: group[len(group)-1].end}
	done := 0
	for i, e := range group {
		lit, ok := litWord(all[i], base)
		if !ok || lit < done || len(all[i]) != len(all[0]) {
			return timedText{}, false
		}
		for ; done < lit; done++ { // a word that is never highlighted starts and ends when the next highlighted word starts
			c.addWord(all[i][done], e.start, e.start)
		}
		c.addWord(all[i][lit], e.start, e.end)
		done = lit + 1
	}
	for ; done < len(all[0]); done++ {
		c.addWord(all[0][done], c.end, c.end)
	}
	return c, true
}

func (c *timedText) addWord(w colored, start, end time.Duration) {
	if w.breaks || len(c.lines) == 0 {
		c.newLine()
	}
	c.add(run{text: w.text + " ", start: start, end: end, timed: true})
}

func coloredWords(text string) []colored {
	var words []colored
	color := ""
	breaks, joined := false, false
	for _, p := range splitOverrides(text) {
		color = colorAfter(p.override, color)
		for i, line := range assLines(p.text) {
			if i > 0 {
				breaks, joined = true, false
			}
			for _, field := range strings.SplitAfter(line, " ") {
				switch bare := strings.TrimSpace(field); {
				case bare == "":
				case joined:
					words[len(words)-1].text += bare
				default:
					words = append(words, colored{bare, color, breaks})
					breaks = false
				}
				if field != "" {
					joined = !unicode.IsSpace(lastRune(field))
				}
			}
		}
	}
	return words
}

// colorAfter returns the colour of the text after an override block; empty: the colour of the style. before is the colour of the
// text before the block.
func colorAfter(override, before string) string {
	for _, tag := range strings.Split(override, `\`) {
		value, ok := strings.CutPrefix(tag, "1c")
		if !ok {
			value, ok = strings.CutPrefix(tag, "c")
		}
		switch {
		case ok && (value == "" || value[0] == '&'):
			before = value
		case strings.HasPrefix(tag, "r"):
			// The tag \r resets the text to a style, which may be named after the \r. The style's name stands for its
			// colour here, because colours are only compared.
			before = strings.TrimPrefix(tag, "r")
		}
	}
	return before
}

// usualColor returns the most frequent colour of the words; of equally frequent colours it prefers that of the last word of
// the first event, because that word is not spoken yet.
func usualColor(events [][]colored) string {
	count := map[string]int{}
	for _, words := range events {
		for _, w := range words {
			count[w.color]++
		}
	}
	usual := ""
	if first := events[0]; len(first) > 0 {
		usual = first[len(first)-1].color
	}
	for _, color := range slices.Sorted(maps.Keys(count)) {
		if count[color] > count[usual] {
			usual = color
		}
	}
	return usual
}

func litWord(words []colored, base string) (int, bool) {
	lit := -1
	for i, w := range words {
		if w.color == base {
			continue
		}
		if lit >= 0 {
			return 0, false
		}
		lit = i
	}
	return lit, lit >= 0
}
