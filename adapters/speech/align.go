package speech

import (
	"fmt"
	"math"
	"strings"
	"time"

	"moviola/domain/caption"
)

// How the words of the built-in voice are timed. espeak-ng does not report when it speaks which word. But its text may
// contain marks: commands that set the loudness from a word on. So a passage is spoken three times. The sound clean has no
// marks, and is usually the one that a movie uses. The sound plain has a mark at every unit of the text (usually one word),
// all with the same loudness. The sound stepped has a mark at every unit, with four loudnesses in turn. plain and stepped
// differ in loudness only, so the ratio of their loudness at any moment tells which unit is spoken then. Marks change the
// speech a little (a mark separates "the" from the vowel after it). So plain is aligned to clean by dynamic time warping,
// which gives the times of the words in clean.

// alignVersion is part of the keys of cached speech, because a cached speech keeps the word times of the method that timed it.
// A change of the method needs a new version.
const alignVersion = "words-2"

// levels are the loudnesses in per cent that the units of a text get in turn.
var levels = []int{100, 60, 36, 20}

// units splits a text into units: lists of words before each of which a mark can be put, a command that sets the voice's
// loudness. A unit is the text between blanks, or between punctuation after which a speaker pauses. A text without blanks
// is split only at such punctuation, because a mark inside a phrase would separate sounds that belong together.
func units(text string) [][]string {
	var all [][]string
	for _, field := range strings.Fields(text) {
		var unit []string
		for _, word := range caption.SplitWords(field) {
			unit = append(unit, word)
			if caption.EndsPhrase(word) {
				all = append(all, unit)
				unit = nil
			}
		}
		if len(unit) > 0 {
			all = append(all, unit)
		}
	}
	return all
}

// marked returns the text of the units, with a mark before each: a command that sets the loudness of the voice. The unit
// with the index i gets loudness(i), in per cent.
func marked(units [][]string, loudness func(i int) int) string {
	var b strings.Builder
	for i, unit := range units {
		if i > 0 && !caption.Glued(units[i-1][len(units[i-1])-1], unit[0]) {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "\x01%dA", loudness(i))
		for j, word := range unit {
			if j > 0 && !caption.Glued(unit[j-1], word) {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
	}
	return b.String()
}

// timeWords returns the times of the words of text in the sound clean, in which the voice speaks text as it is. The
// function say speaks a text with marks, which are commands that set the loudness. If the marks cannot be recognised in
// its sounds, all times are estimated.
func timeWords(clean sound, text string, say func(string) (sound, error)) ([]caption.Word, error) {
	units := units(text)
	if len(units) == 0 {
		return nil, nil
	}
	plain, err := say(marked(units, func(int) int { return levels[0] }))
	if err != nil {
		return nil, err
	}
	stepped, err := say(marked(units, func(i int) int { return levels[i%len(levels)] }))
	if err != nil {
		return nil, err
	}
	spans, ok := readMarks(plain, stepped, len(units))
	if !ok {
		return estimate(clean, flatten(units)), nil
	}
	// The marks (commands that set the loudness) usually make plain longer than clean. In the worst case all of the added
	// time is at one moment. So warp may depart from an even stretching of plain by the added time, and 0.4 s more.
	added := (plain.length() - clean.length()).Abs() + 400*time.Millisecond
	onto := warp(plain, clean, int(added.Seconds()*framesPerSecond))
	var words []caption.Word
	for _, s := range spans {
		var texts []string
		for _, unit := range units[s.first : s.last+1] {
			texts = append(texts, unit...)
		}
		words = append(words, caption.Spread(texts, onto(plain.at(s.from)), onto(plain.at(s.to)))...)
	}
	return words, nil
}

func flatten(units [][]string) []string {
	var words []string
	for _, u := range units {
		words = append(words, u...)
	}
	return words
}

// span is a stretch of a sound in which one unit of the text (usually one word) is spoken, or several units if the voice
// joins them. first and last are the indexes of these units, from and to are indexes of samples.
type span struct{ first, last, from, to int }

// windowsPerSecond is the number of equal intervals of a second of sound in which loudness is measured.
const windowsPerSecond = 200

// readMarks computes in which samples the units of a text (usually single words) are spoken. It compares the loudness of
// stepped with that of plain: the ratio tells the unit. The parameter units is the number of units. readMarks returns false
// when the two sounds cannot be compared, because they differ in length, for example, or when the loudnesses do not fit the
// units.
func readMarks(plain, stepped sound, units int) ([]span, bool) {
	window := plain.rate / windowsPerSecond
	if len(plain.samples) != len(stepped.samples) || window == 0 {
		return nil, false
	}
	var spans []span
	now, before := -1, -1
	for from := 0; from+window <= len(plain.samples); from += window {
		level, ok := levelOf(plain.samples[from:from+window], stepped.samples[from:from+window])
		// An interval at a word's edge may contain two words, so a loudness is used when two consecutive intervals have it.
		steady := ok && level == before
		if ok {
			before = level
		}
		if !steady {
			continue
		}
		if now >= 0 && now%len(levels) == level {
			spans[len(spans)-1].to = from + window
			continue
		}
		// The loudness level is that of another unit of the text. now becomes the index of the next unit that is spoken
		// with this loudness. Units that are skipped were not recognised, and are joined with the unit before them.
		now += 1 + ((level-now-1)%len(levels)+len(levels))%len(levels)
		if now >= units {
			return nil, false
		}
		spans = append(spans, span{first: now, from: from - window, to: from + window})
	}
	return joined(spans, units)
}

// joined sets the fields first and last of each span, so that each unit of the text (usually one word) is in exactly one
// span. It returns false when there is no span, or when more than len(levels) units are left from the first unit of the
// last span on.
func joined(spans []span, units int) ([]span, bool) {
	if len(spans) == 0 || units-spans[len(spans)-1].first > len(levels) {
		return nil, false
	}
	spans[0].first = 0
	for i := range spans {
		spans[i].last = units - 1
		if i+1 < len(spans) {
			spans[i].last = spans[i+1].first - 1
		}
	}
	return spans, true
}

// audible is the least mean square of the samples of an interval whose loudness can be measured.
const audible = 400

// levelOf returns the index of the level in levels that the interval stepped has relative to the interval plain. false: the ratio
// is none of the levels, or cannot be measured.
func levelOf(plain, stepped []int16) (int, bool) {
	var own, shared float64
	for i, a := range plain {
		own += float64(a) * float64(a)
		shared += float64(a) * float64(stepped[i])
	}
	if own < audible*float64(len(plain)) {
		return 0, false
	}
	ratio := shared / own
	for i, level := range levels {
		if want := float64(level) / float64(levels[0]); math.Abs(ratio-want) < 0.14*want+0.01 {
			return i, true
		}
	}
	return 0, false
}
