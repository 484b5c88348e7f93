package caption

import (
	"strings"
	"time"
	"unicode"
)

// timedText is a parsed cue before it is split into words: lines of runs, some of which have times of their own.
type timedText struct {
	start, end time.Duration
	lines      [][]run
	runes      int
}

// run is a piece of text. A word may consist of several runs, and a run may have several words.
type run struct {
	text       string
	start, end time.Duration
	timed      bool
}

// add appends a run to the last line. The run with which the cue would have more than maxCueRunes runes is dropped, and so
// are all runs after it.
func (c *timedText) add(r run) {
	r.text = clean(r.text)
	if c.runes += len([]rune(r.text)); c.runes > maxCueRunes || r.text == "" {
		return
	}
	if len(c.lines) == 0 {
		c.newLine()
	}
	last := len(c.lines) - 1
	c.lines[last] = append(c.lines[last], r)
}

func (c *timedText) newLine() {
	if len(c.lines) < maxCueRunes {
		c.lines = append(c.lines, nil)
	}
}

// cue splits the text into words. It returns false when the text has no words, or does not end after its start.
func (c *timedText) cue() (Cue, bool) {
	cue := Cue{Start: c.start, End: c.end}
	timed := false
	for _, runs := range c.lines {
		var words wordMaker
		for _, r := range runs {
			timed = timed || r.timed
			words.take(r)
		}
		if line := words.finish(); len(line) > 0 {
			cue.Lines = append(cue.Lines, line)
		}
	}
	if len(cue.Lines) == 0 || c.end <= c.start {
		return Cue{}, false
	}
	if timed {
		settle(cue)
	} else {
		share(cue)
	}
	return cue, true
}

// wordMaker assembles words from runs.
type wordMaker struct {
	line Line
	text strings.Builder
	word Word
	last rune
}

func (m *wordMaker) take(r run) {
	spoken := max(len([]rune(strings.Join(strings.Fields(r.text), ""))), 1)
	taken := 0
	at := func(n int) time.Duration { return r.start + (r.end-r.start)*time.Duration(n)/time.Duration(spoken) }
	for _, c := range r.text {
		if unicode.IsSpace(c) {
			m.close()
			continue
		}
		if m.text.Len() > 0 && breaksBetween(m.last, c) {
			m.close()
		}
		if m.text.Len() == 0 {
			m.word.Start = at(taken)
		}
		taken++
		m.word.End = at(taken)
		m.text.WriteRune(c)
		m.last = c
	}
}

func (m *wordMaker) close() {
	if m.text.Len() > 0 {
		m.word.Text = m.text.String()
		m.line = append(m.line, m.word)
		m.text.Reset()
	}
}

func (m *wordMaker) finish() Line {
	m.close()
	return m.line
}

// settle moves the times of the words of a cue into the time of the cue, and makes them ascend.
func settle(c Cue) {
	at := c.Start
	for _, line := range c.Lines {
		for i := range line {
			w := &line[i]
			w.Start = min(max(w.Start, at), c.End)
			w.End = min(max(w.End, w.Start), c.End)
			at = w.Start
		}
	}
}

// share divides the time of a cue among its words, in proportion to how long they take to say.
func share(c Cue) {
	words := c.Words()
	total := 0
	for _, w := range words {
		total += weight(w.Text)
	}
	done := 0
	for _, line := range c.Lines {
		for i := range line {
			line[i].Start = c.Start + (c.End-c.Start)*time.Duration(done)/time.Duration(total)
			done += weight(line[i].Text)
			line[i].End = c.Start + (c.End-c.Start)*time.Duration(done)/time.Duration(total)
		}
	}
}

// weight returns the approximate time that it takes to say a word and pause after it. The unit is the time for one letter.
func weight(word string) int {
	n := 2
	for _, r := range word {
		switch {
		case unicode.IsDigit(r), unspaced(r):
			n += 3 // a digit takes as long to say as a word; a character of a script without blanks takes as long as a syllable
		case unicode.IsLetter(r):
			n++
		}
	}
	switch {
	case endsSentence(word):
		n += 4
	case EndsPhrase(word):
		n += 2
	}
	return n
}

// SplitWords splits a text into words by the rules for captions.
func SplitWords(text string) []string {
	var m wordMaker
	m.take(run{text: clean(text)})
	line := m.finish()
	words := make([]string, len(line))
	for i, w := range line {
		words[i] = w.Text
	}
	return words
}

// Spread divides the time from start to end among words, in proportion to how long they take to say.
func Spread(words []string, start, end time.Duration) []Word { return spread(words, start, end) }

// Weight returns the approximate time that it takes to say a word and pause after it. The unit is the time for one letter.
func Weight(word string) int { return weight(word) }

// EndsPhrase reports whether a speaker pauses after the word, because it ends a sentence or a part of a sentence.
func EndsPhrase(word string) bool {
	return endsSentence(word) || strings.ContainsRune(",;:、，；：", lastRune(word))
}

// Fold returns a word in the form for comparisons: lower case, without surrounding punctuation.
func Fold(word string) string { return foldWord(word) }
