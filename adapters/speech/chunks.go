package speech

import (
	"strings"
	"time"
)

// maxChunk is the maximum number of characters of spoken text in one request to Azure Speech or ElevenLabs. The model
// eleven_v3 of ElevenLabs accepts 5,000. SSML that Azure Speech gets as it is (job.markup) is not split.
const maxChunk = 4_800

// chunk is the content of one request.
type chunk struct {
	pause    time.Duration // silence before the chunk: that of its first passage
	passages script
}

// chunks splits a script into requests of at most maxChunk characters. If the parameter apart is true, a pause or another rate
// begins a new chunk, for services that support neither inside a text. If the parameter speed is not 0, the chunks are for
// Azure Speech at that speed, and no chunk takes longer than azureLongest.
func chunks(s script, apart bool, speed float64) []chunk {
	var all []chunk
	length, took := 0, time.Duration(0)
	for _, p := range s.fitting(speed) {
		size, takes := len([]rune(p.text))+1, p.longest(speed)
		last := len(all) - 1
		switch {
		case last < 0, length+size > maxChunk, took+takes > azureLongest,
			apart && (p.pause > 0 || p.rate != all[last].passages[0].rate):
			all = append(all, chunk{pause: p.pause, passages: script{p}})
			length, took = size, takes
		default:
			all[last].passages = append(all[last].passages, p)
			length, took = length+size, took+takes
		}
	}
	return all
}

// fitting returns the script with its passages divided so that each takes at most azureLongest.
func (s script) fitting(speed float64) script {
	var all script
	for _, p := range s {
		all = append(all, p.fitting(speed)...)
	}
	return all
}

func (p passage) fitting(speed float64) script {
	n := len([]rune(p.text))
	if n < 2 || p.longest(speed) <= azureLongest {
		return script{p}
	}
	first, rest := p, p
	first.text, rest.text = cutText(p.text, (n+1)/2)
	rest.pause = 0
	return append(first.fitting(speed), rest.fitting(speed)...)
}

// slowPace is the pace of a slow voice at normal speed: letters per second, as caption.Weight counts them.
const slowPace = 10

// longest is a time in which a slow voice of Azure Speech speaks a passage, with its pause. It is 0 if speed is 0.
func (p passage) longest(speed float64) time.Duration {
	if speed == 0 {
		return 0
	}
	return p.pause + time.Duration(float64(weigh(flatten(units(p.text))))/(slowPace*speed*p.rate)*float64(time.Second))
}

// text returns the spoken text of a script on one line.
func (s script) text() string {
	texts := make([]string, len(s))
	for i, p := range s {
		texts[i] = p.text
	}
	return strings.Join(texts, " ")
}
