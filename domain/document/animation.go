package document

import (
	"strings"
	"unicode"
)

// TextMotion is how the text of a style comes in. Its units, in reading order, begin Step seconds after one another, and each
// takes Each seconds.
type TextMotion struct {
	Unit       TextUnit
	Step, Each float64
}

// TextUnit is what moves by itself.
type TextUnit string

// The units of animation.
const (
	BlockUnit  TextUnit = "block"  // the text as a whole
	LineUnit   TextUnit = "line"   // as the text is broken when drawn
	WordUnit   TextUnit = "word"   // between blanks
	LetterUnit TextUnit = "letter" // what is read as one: a letter with its marks, an emoji. Blanks are none
)

// TextMotions are the animations of the text styles; 001 has none. Those of 002, 004 and 005 are documented (movie-schema §4.3),
// the others are ours: 003 words appear one by one, 006 words rise from below, 007 letters come out of a blur, 008 lines slide in
// from the left, 009 the block grows, 010 letters are typed.
var TextMotions = map[string]TextMotion{
	"002": {BlockUnit, 0, 2},
	"003": {WordUnit, 0.25, 0.4},
	"004": {LetterUnit, 0.025, 0.65}, // it has its size after 0.05 s, and swings
	"005": {LetterUnit, 0.05, 0.75},
	"006": {WordUnit, 0.12, 0.6},
	"007": {LetterUnit, 0.035, 0.5},
	"008": {LineUnit, 0.2, 0.7},
	"009": {BlockUnit, 0, 0.9},
	"010": {LetterUnit, 0.06, 0.01},
}

// Seconds is how long the animation of so many units lasts.
func (m TextMotion) Seconds(units int) float64 { return m.Step*float64(max(units, 1)-1) + m.Each }

// Count is how many units a text has, at least 1. Lines are counted as written.
func (u TextUnit) Count(text string) int {
	n := 1
	switch u {
	case LineUnit:
		n = strings.Count(text, "\n") + 1
	case WordUnit:
		n = len(strings.Fields(text))
	case LetterUnit:
		n = letters(text)
	}
	return max(n, 1)
}

// letters counts what is read as one letter, near enough for timing: marks, joiners and what they join belong to the letter
// before, as do skin tones; two regional indicators are a flag.
func letters(text string) int {
	const joiner = '\u200d'
	n, joined, flag := 0, false, false
	for _, r := range text {
		indicator := r >= 0x1f1e6 && r <= 0x1f1ff
		switch {
		case unicode.IsSpace(r) || unicode.IsMark(r) || unicode.Is(unicode.Cf, r) || r >= 0x1f3fb && r <= 0x1f3ff:
		case joined:
		case indicator && flag:
			indicator = false
		default:
			n++
		}
		joined, flag = r == joiner, indicator
	}
	return n
}

// readingTime is how long what has come in stays, in seconds: an animation that ended when it is complete could not be read. With
// it the documented length of style 002 is 5 seconds.
const readingTime = 3

// animated is how long the element is by its own movement: 0 without any.
func (e *Element) animated() Seconds {
	switch {
	case e.Ref.Type == TypeText:
		if motion, ok := TextMotions[e.Style]; ok {
			return SecondsOfFloat(motion.Seconds(motion.Unit.Count(e.Text)) + readingTime)
		}
	case e.Page != nil:
		return e.Page.Capture
	case e.Component != nil:
		if length := longest(e.Component.Settings); length.Sign() > 0 {
			return length.Add(SecondsOf(readingTime))
		}
	}
	return Seconds{}
}

// longest is the longest of the animations that a component's settings name, at any depth, which are in milliseconds.
func longest(settings any) Seconds {
	const perSecond, tooLong = 1000, 60_000
	var most Seconds
	switch v := settings.(type) {
	case []any:
		for _, item := range v {
			most = most.Max(longest(item))
		}
	case map[string]any:
		for name, item := range v {
			most = most.Max(longest(item))
			text, _ := scalar(item)
			if n, err := parseDecimal(text); err == nil && settingName(name) == "duration" && n.Cmp(SecondsOf(tooLong)) <= 0 {
				most = most.Max(SecondsOfFloat(n.Float() / perSecond))
			}
		}
	}
	return most
}
