package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// TextMotion is the animation of a text style. The first of the text's units, in reading order, begins after Delay, each
// further unit Step later (unless Random is set), and each unit takes Each. All are in seconds.
type TextMotion struct {
	Unit              TextUnit
	Delay, Step, Each float64
	// Random, if not 0, is the time span in which units begin in random order; Step is not used then. In seconds.
	Random float64
	// Least is the minimum duration of the animation in seconds; 0: none. In style 008, the two lines above and below the text move
	// too: their movement takes this time.
	Least float64
	// Intro is the length in seconds of a text element with duration -1 in this style; it does not depend on the text. A
	// text whose animation needs more time is cut at the end of its element. Intro is 0 for PlainStyle, which does not
	// move, and for our own styles. In our own styles such an element lasts as long as the animation plus readingTime, and
	// an animation that needs more time than its element is sped up.
	Intro float64
	// Leaves reports whether the text is complete at first and then disappears, instead of appearing.
	Leaves bool
}

// TextUnit is the part of a text that moves as one.
type TextUnit string

// The units of animation.
const (
	BlockUnit  TextUnit = "block"  // the text as a whole
	LineUnit   TextUnit = "line"   // a line as broken when the text is drawn
	WordUnit   TextUnit = "word"   // text between blanks
	PhraseUnit TextUnit = "phrase" // part of the text between commas, bars and line breaks; in a text without any of these, a word
	LetterUnit TextUnit = "letter" // a letter with its marks, or an emoji; blanks do not count
)

// PlainStyle is the default style of texts, which does not move.
const PlainStyle = "001"

// documentedIntro is the Intro of most documented styles in TextMotions, in seconds. The exceptions are style 001 with none,
// and style 003 with ten seconds.
const documentedIntro = 5

// TextMotions maps the text styles to their animations. Styles with numbers are documented (vendor-catalogue §2); of these, 001
// and 011 do not move. The others are our own.
var TextMotions = map[string]TextMotion{
	PlainStyle: {Unit: BlockUnit},
	"002":      {Unit: BlockUnit, Each: 2, Intro: documentedIntro},
	"003":      {Unit: WordUnit, Step: 0.4, Each: 0.5, Intro: 10},
	"004":      {Unit: LetterUnit, Step: 0.025, Each: 0.05, Intro: documentedIntro},
	"005":      {Unit: LetterUnit, Step: 0.05, Each: 0.75, Intro: documentedIntro},
	"006":      {Unit: LetterUnit, Delay: 0.5, Step: 0.03, Each: 1.2, Intro: documentedIntro},
	"007":      {Unit: LetterUnit, Step: 0.045, Each: 1.2, Intro: documentedIntro},
	"008":      {Unit: LetterUnit, Step: 0.07, Each: 0.6, Least: 2, Intro: documentedIntro},
	"009":      {Unit: LetterUnit, Random: 2.5, Each: 0.4, Intro: documentedIntro},
	"010":      {Unit: LetterUnit, Random: 2.5, Each: 0.4, Intro: documentedIntro, Leaves: true},
	"011":      {Unit: WordUnit, Intro: documentedIntro},
	"012":      {Unit: LetterUnit, Step: 0.055, Each: 0.75, Intro: documentedIntro},
	"013":      {Unit: PhraseUnit, Step: 0.14, Each: 0.65, Intro: documentedIntro},

	"moviola/fade":   {Unit: BlockUnit, Each: 2},
	"moviola/settle": {Unit: WordUnit, Step: 0.25, Each: 0.4},
	"moviola/spring": {Unit: LetterUnit, Step: 0.025, Each: 0.65}, // a letter has its full size after 0.05 s, and then oscillates
	"moviola/jump":   {Unit: LetterUnit, Step: 0.05, Each: 0.75},
	"moviola/rise":   {Unit: WordUnit, Step: 0.12, Each: 0.6},
	"moviola/focus":  {Unit: LetterUnit, Step: 0.035, Each: 0.5},
	"moviola/slide":  {Unit: LineUnit, Step: 0.2, Each: 0.7},
	"moviola/grow":   {Unit: BlockUnit, Each: 0.9},
	"moviola/type":   {Unit: LetterUnit, Step: 0.06, Each: 0.01},
}

// formerStyles maps the number of a text style to the style that this number meant in the first look (the constant
// FirstLook). Empty: the number meant no style in the first look. Decision 69.
var formerStyles = map[string]string{
	"002": "moviola/fade", "003": "moviola/settle", "004": "moviola/spring", "005": "moviola/jump", "006": "moviola/rise",
	"007": "moviola/focus", "008": "moviola/slide", "009": "moviola/grow", "010": "moviola/type", "011": "", "012": "", "013": "",
}

// TextStyles returns the names of all styles, sorted.
func TextStyles() []string { return slices.Sorted(maps.Keys(TextMotions)) }

// textStyle finds a style by its name, or by its number with or without leading zeros.
func textStyle(word string) (string, bool) {
	if _, known := TextMotions[word]; !known {
		word = numbered(word)
		if _, known = TextMotions[word]; !known {
			return "", false
		}
	}
	if former, has := formerStyles[word]; has && Look() == FirstLook {
		return former, former != ""
	}
	return word, true
}

// numbered writes a whole number from 0 to 99 with three digits, as in the names of styles. It returns any other text
// unchanged.
func numbered(word string) string {
	n, err := parseDecimal(word)
	if err != nil {
		return word
	}
	f := n.Float()
	if f < 0 || f >= 100 || !n.Equal(SecondsOf(int64(f))) {
		return word
	}
	return fmt.Sprintf("%03d", int64(f))
}

// Moves reports whether the style has an animation.
func (m TextMotion) Moves() bool { return m.Each > 0 }

// Seconds returns the length of the animation for a number of units, in seconds.
func (m TextMotion) Seconds(units int) float64 {
	last := m.Step * float64(max(units, 1)-1)
	if m.Random > 0 {
		last = m.Random
	}
	return max(m.Delay+last+m.Each, m.Least)
}

// Phrases splits a text at commas, bars and line breaks. A text without any of these is split at blanks.
func Phrases(text string) []string {
	cut := func(r rune) bool { return r == ',' || r == '|' || r == '\n' }
	if !strings.ContainsFunc(text, cut) {
		return strings.Fields(text)
	}
	var phrases []string
	for _, phrase := range strings.FieldsFunc(text, cut) {
		if phrase = strings.TrimSpace(phrase); phrase != "" {
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// Count returns the number of units in a text, at least 1. Lines are counted as written.
func (u TextUnit) Count(text string) int {
	n := 1
	switch u {
	case LineUnit:
		n = strings.Count(text, "\n") + 1
	case WordUnit:
		n = len(strings.Fields(text))
	case PhraseUnit:
		n = len(Phrases(text))
	case LetterUnit:
		n = letters(text)
	}
	return max(n, 1)
}

// letters counts the visible letters of a text, precisely enough for timing: marks, joiners and joined characters belong to the
// letter before, as do skin tones; two regional indicators are one flag.
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

// readingTime is the time in seconds for which a text in one of our own styles, or a component, stays after its animation,
// so that it can be read.
const readingTime = 3

// animated returns the length that an animation gives to an element of duration -1: the Intro of a text's style, or the
// animation and readingTime; the capture of a page; the longest duration in a component's settings and readingTime. 0: the
// element has no animation.
func (e *Element) animated() Seconds {
	switch {
	case e.Ref.Type == TypeText:
		switch motion := TextMotions[e.Style]; {
		case motion.Intro > 0:
			return SecondsOfFloat(motion.Intro)
		case motion.Moves():
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

// longest returns the longest setting named duration in a component's settings, at any depth. The settings give
// milliseconds; durations of more than a minute are ignored.
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
			text, _ := Scalar(item)
			if n, err := parseDecimal(text); err == nil && settingName(name) == "duration" && n.Cmp(SecondsOf(tooLong)) <= 0 {
				most = most.Max(SecondsOfFloat(n.Float() / perSecond))
			}
		}
	}
	return most
}
