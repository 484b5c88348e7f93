package speech

import (
	"encoding/json"
	"html"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// script is a text in passages that are spoken one after the other.
type script []passage

// passage is a part of a script that is spoken without a break.
type passage struct {
	text  string
	pause time.Duration // silence before the passage
	rate  float64       // speed relative to the normal speed, 1
	pitch float64       // pitch relative to the normal pitch, 1
}

func (s script) length() int {
	n := 0
	for _, p := range s {
		n += len([]rune(p.text))
	}
	return n
}

// Bounds of what a script may contain.
const (
	maxPause    = 10 * time.Second
	maxPassages = 200  // after so many passages, tags begin no further passage
	maxPassage  = 1000 // largest number of characters in a passage
	maxNested   = 50
)

// readScript reads plain text or SSML. Of SSML it uses pauses, the rate and pitch of prosody, the aliases of sub, and the ends of
// p and s; other tags are dropped and their text is spoken.
func readScript(text string) script {
	r := scriptReader{now: []prosody{{1, 1}}}
	if isSSML(text) {
		r.markup(text)
	} else {
		r.add(text)
	}
	r.close()
	return r.script
}

// isSSML distinguishes markup from a text that contains a less-than sign.
func isSSML(text string) bool {
	for _, sign := range []string{"<speak", "<break", "<prosody", "<voice", "<emphasis", "<say-as", "<sub", "<phoneme",
		"<mstts", "<p>", "<s>", "</"} {
		if strings.Contains(strings.ToLower(text), sign) {
			return true
		}
	}
	return false
}

type prosody struct{ rate, pitch float64 }

type scriptReader struct {
	script script
	text   strings.Builder
	pause  time.Duration
	now    []prosody // rate and pitch of each open tag, the innermost last
	silent string    // name of the open tag whose content is not spoken; empty: none
}

func (r *scriptReader) markup(text string) {
	for {
		before, rest, ok := strings.Cut(text, "<")
		r.add(html.UnescapeString(before))
		if !ok {
			return
		}
		inside, after, closed := strings.Cut(rest, ">")
		if !closed {
			return
		}
		text = after
		r.tag(strings.TrimSpace(inside))
	}
}

// tag processes one tag; inside is the text between its angle brackets.
func (r *scriptReader) tag(inside string) {
	inside, empty := strings.CutSuffix(inside, "/") // a tag that ends at once has no content
	name, attributes, _ := strings.Cut(strings.Join(strings.Fields(inside), " "), " ")
	name = strings.ToLower(name)
	switch {
	case r.silent != "":
		if name == "/"+r.silent {
			r.silent = ""
		}
	case len(r.script) >= maxPassages:
		r.add(" ")
	case name == "break":
		r.close()
		r.pause = min(r.pause+breakTime(attributes), maxPause)
	case name == "prosody" && !empty && len(r.now) < maxNested:
		r.close()
		last := r.now[len(r.now)-1]
		r.now = append(r.now, prosody{
			rate:  min(max(last.rate*factor(attribute(attributes, "rate"), rates), 0.5), 2),
			pitch: min(max(last.pitch*factor(attribute(attributes, "pitch"), pitches), 0.5), 2),
		})
	case name == "/prosody" && len(r.now) > 1:
		r.close()
		r.now = r.now[:len(r.now)-1]
	case name == "sub" && attribute(attributes, "alias") != "":
		r.add(html.UnescapeString(attribute(attributes, "alias")))
		if !empty {
			r.silent = name
		}
	case name == "/p", name == "/s":
		r.close()
	default:
		r.add(" ")
	}
}

func (r *scriptReader) add(text string) {
	if r.silent == "" {
		r.text.WriteString(text)
	}
}

// close ends the passage. A long one becomes several, split at ends of sentences if possible.
func (r *scriptReader) close() {
	text := sayable(r.text.String())
	r.text.Reset()
	last := r.now[len(r.now)-1]
	for text != "" {
		var part string
		part, text = cutText(text, maxPassage)
		if !speaks(part) {
			continue
		}
		r.script = append(r.script, passage{text: part, pause: r.pause, rate: last.rate, pitch: last.pitch})
		r.pause = 0
	}
}

// sayable returns a text on one line, without parts that espeak-ng would read as commands.
func sayable(text string) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c), c == unicode.ReplacementChar, unicode.Is(unicode.Cf, c) && c != '\u200c' && c != '\u200d':
			return -1
		}
		return c
	}, text)
	// espeak-ng would read text in double brackets as phonemes.
	text = strings.ReplaceAll(strings.ReplaceAll(text, "[[", "[ ["), "]]", "] ]")
	return strings.Join(strings.Fields(text), " ")
}

// speaks reports whether a text contains something to say.
func speaks(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.So, c) || unicode.Is(unicode.Sc, c)
	})
}

// cutText cuts at most n characters off a text. It cuts after the last end of a sentence in the second half of these
// characters, otherwise at the last blank there, otherwise after n characters.
func cutText(text string, n int) (first, rest string) {
	runes := []rune(text)
	if len(runes) <= n {
		return text, ""
	}
	at := n
	for i := n - 1; i > n/2; i-- {
		if strings.ContainsRune("。！？", runes[i]) || strings.ContainsRune(".!?…", runes[i]) && runes[i+1] == ' ' {
			return strings.TrimSpace(string(runes[:i+1])), strings.TrimSpace(string(runes[i+1:]))
		}
		if runes[i] == ' ' && at == n {
			at = i
		}
	}
	return strings.TrimSpace(string(runes[:at])), strings.TrimSpace(string(runes[at:]))
}

// attribute returns the value of an attribute of a tag.
func attribute(attributes, name string) string {
	for _, quote := range []string{`"`, `'`} {
		_, rest, found := strings.Cut(" "+attributes, " "+name+"="+quote)
		if value, _, ok := strings.Cut(rest, quote); found && ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

var strengths = map[string]time.Duration{
	"none": 0, "x-weak": 0, "weak": 250 * time.Millisecond, "medium": 500 * time.Millisecond,
	"strong": 750 * time.Millisecond, "x-strong": 1250 * time.Millisecond,
}

func breakTime(attributes string) time.Duration {
	if length, err := time.ParseDuration(strings.ReplaceAll(attribute(attributes, "time"), " ", "")); err == nil {
		return min(max(length, 0), maxPause)
	}
	if strength, ok := strengths[strings.ToLower(attribute(attributes, "strength"))]; ok {
		return strength
	}
	return strengths["medium"]
}

var (
	rates   = map[string]float64{"x-slow": 0.6, "slow": 0.8, "medium": 1, "fast": 1.25, "x-fast": 1.6}
	pitches = map[string]float64{"x-low": 0.6, "low": 0.8, "medium": 1, "high": 1.2, "x-high": 1.4}
)

// factor returns the number that a rate or pitch in SSML means, from 0.5 to 2; normal is 1. value is a key of names, or a text
// such as "+20%", "-10%", "120%" or "1.2". Any other value is 1.
func factor(value string, names map[string]float64) float64 {
	value = strings.ToLower(value)
	if f, ok := names[value]; ok {
		return f
	}
	number, percent := strings.CutSuffix(value, "%")
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(f) {
		return 1
	}
	if percent {
		f /= 100
	}
	if strings.HasPrefix(value, "+") || strings.HasPrefix(value, "-") {
		f++
	}
	return min(max(f, 0.5), 2)
}

// speedOf reads the speed in model-settings: voice_settings.speed, otherwise speed. It is 1 when neither is a number.
func speedOf(settings map[string]any) float64 {
	for _, name := range []string{"voice_settings", "voice-settings"} {
		if inner, ok := settings[name].(map[string]any); ok {
			if speed, ok := number(inner["speed"]); ok {
				return speed
			}
		}
	}
	if speed, ok := number(settings["speed"]); ok {
		return speed
	}
	return 1
}

// number reads a speed and limits it to the range from 0.5 to 2. false: value is not a number.
func number(value any) (float64, bool) {
	f, ok := plainNumber(value)
	return min(max(f, 0.5), 2), ok
}

// plainNumber reads a number in model-settings. The number may be written as a JSON string. false: value is not a finite
// number.
func plainNumber(value any) (float64, bool) {
	var f float64
	var err error
	switch v := value.(type) {
	case float64:
		f = v
	case int:
		f = float64(v)
	case json.Number:
		f, err = v.Float64()
	case string:
		f, err = strconv.ParseFloat(strings.TrimSpace(v), 64)
	default:
		return 0, false
	}
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}
