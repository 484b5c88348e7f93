package speech

import (
	"time"

	"moviola/domain/caption"
)

// estimate estimates the times of words in a sound. It takes the time that each word takes to say, and divides the parts of
// the sound that are not silent accordingly. The end of a phrase is moved to a pause nearby, if there is one. A sound that
// is silent throughout is divided as a whole.
func estimate(s sound, words []string) []caption.Word {
	voiced := voicedParts(s)
	if len(voiced) == 0 {
		return caption.Spread(words, 0, s.length())
	}
	var total time.Duration
	for _, p := range voiced {
		total += p.to - p.from
	}
	timed := make([]caption.Word, 0, len(words))
	at := time.Duration(0) // position in the voiced time, without pauses
	for len(words) > 0 {
		n := phraseOf(words)
		// The remaining time is divided among the remaining words, so that one wrong estimate does not shift all of them.
		end := at + (total-at)*time.Duration(weigh(words[:n]))/time.Duration(weigh(words))
		if n < len(words) {
			end = pauseNear(voiced, at, end)
		}
		for _, w := range caption.Spread(words[:n], at, end) {
			start := startOf(voiced, w.Start)
			timed = append(timed, caption.Word{Text: w.Text, Start: start, End: max(endOf(voiced, w.End), start)})
		}
		at, words = end, words[n:]
	}
	return timed
}

// phraseOf returns the number of words up to the first word after which a speaker pauses.
func phraseOf(words []string) int {
	for i, w := range words {
		if caption.EndsPhrase(w) {
			return i + 1
		}
	}
	return len(words)
}

func weigh(words []string) int {
	sum := 0
	for _, w := range words {
		sum += caption.Weight(w)
	}
	return sum
}

// part is a stretch of a sound, from and to counted from the start of the sound.
type part struct{ from, to time.Duration }

const (
	minPause  = 120 * time.Millisecond // a shorter silence is part of a word
	nearPause = 500 * time.Millisecond // largest distance of a pause from the estimated end of a phrase
	voice     = 0.45                   // smallest loudness (0 to 1) of speech: about 31 dB above the smallest sample
)

// voicedParts returns the intervals of a sound between pauses.
func voicedParts(s sound) []part {
	const frame = time.Second / framesPerSecond
	var parts []part
	for i, f := range features(s) {
		if f.loudness < voice {
			continue
		}
		from := time.Duration(i) * frame
		if n := len(parts); n > 0 && from-parts[n-1].to < minPause {
			parts[n-1].to = from + frame
		} else {
			parts = append(parts, part{from, from + frame})
		}
	}
	return parts
}

// pauseNear returns the pause (or the end of the speech) that is nearest to the parameter at, less than nearPause away, and
// later than the parameter after. Without such a pause it returns the value of at. All three are voiced time: time without
// the pauses.
func pauseNear(voiced []part, after, at time.Duration) time.Duration {
	best, sum := at, time.Duration(0)
	distance := nearPause
	for _, p := range voiced {
		sum += p.to - p.from
		if d := (sum - at).Abs(); sum > after && d < distance {
			best, distance = sum, d
		}
	}
	return best
}

// startOf converts the moment at of voiced time (the time of a sound without its pauses) to a moment of the whole sound.
// If a pause is at that moment, startOf returns the end of the pause, where the speech after it begins.
func startOf(voiced []part, at time.Duration) time.Duration {
	for _, p := range voiced {
		if at < p.to-p.from {
			return p.from + at
		}
		at -= p.to - p.from
	}
	return voiced[len(voiced)-1].to
}

// endOf converts the moment at of voiced time (the time of a sound without its pauses) to a moment of the whole sound. If
// a pause is at that moment, endOf returns the beginning of the pause, where the speech before it ends.
func endOf(voiced []part, at time.Duration) time.Duration {
	for _, p := range voiced {
		if at <= p.to-p.from {
			return p.from + at
		}
		at -= p.to - p.from
	}
	return voiced[len(voiced)-1].to
}
