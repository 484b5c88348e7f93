package speech

import (
	"time"

	"moviola/domain/caption"
)

// estimate times words by how long they take to say, over the parts of a sound that are not silent, and lets phrases end at
// pauses where there are some nearby.
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
	at := time.Duration(0) // of the voiced time
	for len(words) > 0 {
		n := phraseOf(words)
		// What is left of the time is shared by what is left of the words, so that one wrong guess does not shift all.
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

// phraseOf is how many of the words are spoken without a pause.
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

// part is a stretch of time.
type part struct{ from, to time.Duration }

const (
	minPause  = 120 * time.Millisecond // a shorter silence is part of a word
	nearPause = 500 * time.Millisecond // how far off a phrase's estimated end may be from its pause
	voice     = 0.45                   // loudness above which something is spoken: about 31 dB above the smallest sample
)

// voicedParts returns the stretches of a sound that are parted by pauses.
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

// pauseNear returns the pause nearest to a moment of the voiced time and after another one, or the moment itself where there is
// none nearby.
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

// startOf is the time at which what follows a moment of the voiced time begins.
func startOf(voiced []part, at time.Duration) time.Duration {
	for _, p := range voiced {
		if at < p.to-p.from {
			return p.from + at
		}
		at -= p.to - p.from
	}
	return voiced[len(voiced)-1].to
}

// endOf is the time at which what comes before a moment of the voiced time ends.
func endOf(voiced []part, at time.Duration) time.Duration {
	for _, p := range voiced {
		if at <= p.to-p.from {
			return p.from + at
		}
		at -= p.to - p.from
	}
	return voiced[len(voiced)-1].to
}
