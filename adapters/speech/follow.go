package speech

import (
	"context"
	"time"
	"unicode"

	"moviola/domain/caption"
)

// Azure Speech over REST and endpoints with OpenAI's protocol do not report the times of words. So the built-in voice speaks
// the same text, and the times of its words are measured (align.go). The provider's sound is then aligned to the sound of
// the built-in voice, by dynamic time warping (warp.go). The same is done for ElevenLabs when its answer has no usable
// times.

// maxFollowed is the length of the longest sound that is aligned. The memory for the alignment grows with the length.
const maxFollowed = 6 * time.Minute

// strayed is the largest permitted difference between the times of the same word in two sounds: in the sound of the
// provider, and in the sound of the built-in voice after it was stretched evenly to the length of the provider's sound.
const strayed = 5 * time.Second

// follow returns the times at which the words of the job's script are spoken in made. made is the sound in which a
// provider speaks the script. follow returns false when it cannot find the times.
func (e *espeak) follow(ctx context.Context, j job, made sound) ([]caption.Word, bool) {
	if made.length() > maxFollowed {
		return nil, false
	}
	j.voice = e.voiceOf(j.script)
	own, err := e.speak(ctx, j)
	if err != nil || own.length() > maxFollowed {
		return nil, false
	}
	reference := trim(sound{own.rate, own.joined()})
	target := trim(made)
	onto := warp(reference.sound, target.sound, int(strayed.Seconds()*framesPerSecond))
	at := func(t time.Duration) time.Duration { return target.from + onto(max(t-reference.from, 0)) }
	words := make([]caption.Word, len(own.words))
	last := time.Duration(0)
	for i, w := range own.words {
		start := max(at(w.Start), last)
		words[i] = caption.Word{Text: w.Text, Start: start, End: max(at(w.End), start)}
		last = start
	}
	return words, true
}

// trimmed is a sound without the silence at its ends, and the length of the removed silence at its start.
type trimmed struct {
	sound sound
	from  time.Duration
}

func trim(s sound) trimmed {
	parts := voicedParts(s)
	if len(parts) == 0 {
		return trimmed{sound: s}
	}
	index := func(t time.Duration) int { return min(int(t.Seconds()*float64(s.rate)), len(s.samples)) }
	from, to := parts[0].from, parts[len(parts)-1].to
	return trimmed{sound{s.rate, s.samples[index(from):index(to)]}, from}
}

// scripts lists systems of writing with a built-in voice that reads them. The first one that occurs in a text decides: kana
// come before Han, because Japanese texts contain both.
var scripts = []struct {
	letters *unicode.RangeTable
	voice   string
}{
	{unicode.Hiragana, "ja"}, {unicode.Katakana, "ja"}, {unicode.Han, "cmn"}, {unicode.Hangul, "ko"}, {unicode.Cyrillic, "ru"},
	{unicode.Greek, "el"}, {unicode.Arabic, "ar"}, {unicode.Hebrew, "he"}, {unicode.Devanagari, "hi"}, {unicode.Bengali, "bn"},
	{unicode.Tamil, "ta"}, {unicode.Telugu, "te"}, {unicode.Thai, "th"},
}

// voiceOf returns the built-in voice for the first entry of scripts whose letters occur in s and whose voice is installed,
// otherwise an English voice.
func (e *espeak) voiceOf(s script) string {
	for _, known := range scripts {
		for _, p := range s {
			for _, r := range p.text {
				if unicode.Is(known.letters, r) && e.voices[known.voice] {
					return known.voice
				}
			}
		}
	}
	return e.first("en-us", "en-gb", "en")
}
