package speech

import (
	"fmt"
	"math"
	"strings"
	"time"

	"moviola/domain/caption"
)

// How the built-in voice's words are timed. The program says nothing about when it speaks which word, but it can be told to
// change its loudness at a word. So a passage is spoken twice more: once with every word marked with the usual loudness, once
// with the words at four loudnesses in turn. Those two are the same sound but for the loudness, hence their ratio at any moment
// tells which word is spoken. Marks change the speech a little (a mark parts "the" from the vowel after it), therefore they are
// not used for what is heard: the marked speech is laid over the clean one by dynamic time warping.

// alignVersion is part of the cache's keys: another way of timing makes other words.
const alignVersion = "words-2"

// levels are the loudnesses of the words in turn, in per cent.
var levels = []int{100, 60, 36, 20}

// units are the pieces of a text that are marked: what stands between blanks, and of scripts without blanks what stands between
// punctuation, since marks inside would part what is spoken as one.
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

// marked writes the units with the loudness of each before it.
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

// timeWords returns when the words of text are spoken in clean, which is its sound. What cannot be measured is estimated.
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
	// What the marks add may be added in one place, and a little more is allowed for.
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

// span is where some units are spoken: usually one, several where the voice runs them together.
type span struct{ first, last, from, to int } // units; samples

// windowsPerSecond is how finely loudness is read.
const windowsPerSecond = 200

// readMarks reads where the units are spoken from the ratio of two sounds. It fails where they do not fit together.
func readMarks(plain, stepped sound, units int) ([]span, bool) {
	window := plain.rate / windowsPerSecond
	if len(plain.samples) != len(stepped.samples) || window == 0 {
		return nil, false
	}
	var spans []span
	now, before := -1, -1
	for from := 0; from+window <= len(plain.samples); from += window {
		level, ok := levelOf(plain.samples[from:from+window], stepped.samples[from:from+window])
		// At a word's edge a window may hold two words, therefore a loudness counts when two windows in a row have it.
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
		// The next unit of this loudness is spoken. Units between are run together with the one before them.
		now += 1 + ((level-now-1)%len(levels)+len(levels))%len(levels)
		if now >= units {
			return nil, false
		}
		spans = append(spans, span{first: now, from: from - window, to: from + window})
	}
	return joined(spans, units)
}

// joined gives every unit to a span.
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

// audible is the mean square of a window in which loudness can be told.
const audible = 400

// levelOf tells which of the levels the second window has against the first.
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
