package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// TextMotion is how the text of a style comes in. Its units, in reading order, begin Step seconds after one another, the first after Delay,
// and each takes Each seconds. All are in seconds.
type TextMotion struct {
	Unit              TextUnit
	Delay, Step, Each float64
	// Random is the time within which each unit begins when it likes; Step counts nothing then.
	Random float64
	Least  float64 // how long the animation lasts at least: other things than units move too
	// Intro is how long an element lasts whose duration is -1, however long its text is. A text that needs longer than its element lasts is
	// cut. 0, of our own styles: its animation and three seconds more, and a text that needs longer than its element lasts comes in faster.
	Intro float64
	// Leaves says that the text is there at first and leaves instead of coming in.
	Leaves bool
}

// TextUnit is what moves by itself.
type TextUnit string

// The units of animation.
const (
	BlockUnit  TextUnit = "block"  // the text as a whole
	LineUnit   TextUnit = "line"   // as the text is broken when drawn
	WordUnit   TextUnit = "word"   // between blanks
	PhraseUnit TextUnit = "phrase" // between commas, bars and line breaks; a word of a text without any
	LetterUnit TextUnit = "letter" // what is read as one: a letter with its marks, an emoji. Blanks are none
)

// PlainStyle is the style of texts that name none, which stand still.
const PlainStyle = "001"

// documentedIntro is how long most styles last, by their pages; ten seconds is that of 003.
const documentedIntro = 5

// TextMotions are the styles of texts and their animations. Those with numbers are the documented ones (vendor-catalogue §2), of which 001 and
// 011 stand still. The others are ours.
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
	"moviola/spring": {Unit: LetterUnit, Step: 0.025, Each: 0.65}, // it has its size after 0.05 s, and swings
	"moviola/jump":   {Unit: LetterUnit, Step: 0.05, Each: 0.75},
	"moviola/rise":   {Unit: WordUnit, Step: 0.12, Each: 0.6},
	"moviola/focus":  {Unit: LetterUnit, Step: 0.035, Each: 0.5},
	"moviola/slide":  {Unit: LineUnit, Step: 0.2, Each: 0.7},
	"moviola/grow":   {Unit: BlockUnit, Each: 0.9},
	"moviola/type":   {Unit: LetterUnit, Step: 0.06, Each: 0.01},
}

// formerStyles are the styles that the numbers stood for in the first look. Decision 69.
var formerStyles = map[string]string{
	"002": "moviola/fade", "003": "moviola/settle", "004": "moviola/spring", "005": "moviola/jump", "006": "moviola/rise",
	"007": "moviola/focus", "008": "moviola/slide", "009": "moviola/grow", "010": "moviola/type", "011": "", "012": "", "013": "",
}

// TextStyles are the names of all styles, in order.
func TextStyles() []string { return slices.Sorted(maps.Keys(TextMotions)) }

// textStyle finds a style by its name, or by its number with or without zeros before it.
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

// numbered is a number below 100 as styles have it, with three digits; anything else is left as it is.
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

// Moves says whether anything does.
func (m TextMotion) Moves() bool { return m.Each > 0 }

// Seconds is how long the animation of so many units lasts.
func (m TextMotion) Seconds(units int) float64 {
	last := m.Step * float64(max(units, 1)-1)
	if m.Random > 0 {
		last = m.Random
	}
	return max(m.Delay+last+m.Each, m.Least)
}

// Phrases takes a text apart at commas, bars and line breaks, or at blanks when it has none of these.
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

// Count is how many units a text has, at least 1. Lines are counted as written.
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

// readingTime is how long what has come in by a style of ours stays, in seconds: an animation that ended when it is complete could not be read.
const readingTime = 3

// animated is how long the element is by its own movement: 0 without any.
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
			text, _ := Scalar(item)
			if n, err := parseDecimal(text); err == nil && settingName(name) == "duration" && n.Cmp(SecondsOf(tooLong)) <= 0 {
				most = most.Max(SecondsOfFloat(n.Float() / perSecond))
			}
		}
	}
	return most
}
