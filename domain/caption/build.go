package caption

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// The rules for building cues from words.
const (
	longPause = 700 * time.Millisecond // a cue ends at a pause that is at least so long
	linger    = 300 * time.Millisecond // time that a cue stays after its last word, if no other cue follows soon
)

// FromWords builds captions from spoken or transcribed words: one line at a time, of at most s.MaxWords average words,
// broken at ends of sentences and at long pauses too. It applies the style's replacements and capitals.
func (s Style) FromWords(words []Word) Track {
	t := Track{WordTimed: true}
	words = s.replace(tidy(words))
	for len(words) > 0 {
		n := phrase(words)
		for _, line := range balance(words[:n], s.MaxWords) {
			t.Cues = append(t.Cues, Cue{Start: line[0].Start, End: line[len(line)-1].End, Lines: []Line{line}})
		}
		words = words[n:]
	}
	closeGaps(t.Cues)
	return s.capitals(t)
}

// tidy splits words at blanks, sorts them by their start, removes overlaps, and drops characters that cannot be shown. It
// keeps the first maxWords words.
func tidy(words []Word) []Word {
	var tidied []Word
	for _, w := range words {
		tidied = append(tidied, splitWord(w)...)
	}
	slices.SortStableFunc(tidied, func(a, b Word) int { return cmp.Compare(a.Start, b.Start) })
	tidied = tidied[:min(len(tidied), maxWords)]
	for i := range tidied {
		w := &tidied[i]
		w.Start = min(max(w.Start, 0), maxTime)
		w.End = min(max(w.End, w.Start), maxTime)
		if i > 0 {
			tidied[i-1].End = min(tidied[i-1].End, w.Start)
		}
	}
	return tidied
}

// splitWord splits a word whose text has several words. The new words share its time.
func splitWord(w Word) []Word {
	w.End = max(w.End, w.Start)
	parts := strings.Fields(clean(w.Text))
	if len(parts) == 1 {
		return []Word{{parts[0], w.Start, w.End}}
	}
	return spread(parts, w.Start, w.End)
}

// spread divides a time among words, in proportion to how long they take to say.
func spread(texts []string, start, end time.Duration) []Word {
	total, done := 0, 0
	for _, text := range texts {
		total += weight(text)
	}
	words := make([]Word, len(texts))
	at := func() time.Duration { return start + (end-start)*time.Duration(done)/time.Duration(total) }
	for i, text := range texts {
		words[i] = Word{Text: text, Start: at()}
		done += weight(text)
		words[i].End = at()
	}
	return words
}

// phrase returns the number of words up to the end of a sentence or a long pause.
func phrase(words []Word) int {
	for i := 1; i < len(words); i++ {
		if endsSentence(words[i-1].Text) || words[i].Start-words[i-1].End >= longPause {
			return i
		}
	}
	return len(words)
}

// balance breaks a phrase into lines of about equal length. most is the maximum length of a line in average words, the unit
// of the function breadth. If most is 0, the phrase stays one line.
func balance(words []Word, most int) []Line {
	if most <= 0 {
		return []Line{words}
	}
	total := 0.0
	for _, w := range words {
		total += breadth(w.Text)
	}
	lines := math.Ceil(total/float64(most) - 1e-9)
	var broken []Line
	done, first := 0.0, 0
	for i, w := range words {
		done += breadth(w.Text)
		// A line ends when its share of the total length is reached.
		if done >= total*float64(len(broken)+1)/lines-1e-9 || i == len(words)-1 || i+1-first == maxWordsPerLine {
			broken = append(broken, slices.Clone(words[first:i+1]))
			first = i + 1
		}
	}
	return broken
}

// breadth returns the width of a word on a line, counted in average words. In scripts without blanks several characters
// count as one word.
func breadth(word string) float64 {
	n := 0
	for _, r := range word {
		if unspaced(r) {
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return 0.4 * float64(n)
}

// closeGaps extends each cue to the start of the next cue. It extends the last cue, and those before a pause longer than
// longPause, by linger.
func closeGaps(cues []Cue) {
	for i := range cues {
		end := cues[i].End
		if i+1 == len(cues) || cues[i+1].Start-end > longPause {
			cues[i].End = end + linger
		} else {
			cues[i].End = cues[i+1].Start
		}
	}
}
