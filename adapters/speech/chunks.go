package speech

import (
	"strings"
	"time"
)

// maxChunk is the maximum number of characters of spoken text in one request to Azure Speech or ElevenLabs. The model
// eleven_v3 of ElevenLabs accepts 5,000. Azure Speech returns at most ten minutes of sound, and 4,800 characters take less
// to speak at normal speed. SSML that Azure Speech gets as it is (job.markup) is not split.
const maxChunk = 4_800

// chunk is the content of one request.
type chunk struct {
	pause    time.Duration // silence before the chunk: that of its first passage
	passages script
}

// chunks splits a script into requests of at most maxChunk characters. If the parameter apart is true, a pause or another rate
// begins a new chunk, for services that support neither inside a text.
func chunks(s script, apart bool) []chunk {
	var all []chunk
	length := 0
	for _, p := range s {
		size := len([]rune(p.text)) + 1
		last := len(all) - 1
		switch {
		case last < 0, length+size > maxChunk, apart && (p.pause > 0 || p.rate != all[last].passages[0].rate):
			all = append(all, chunk{pause: p.pause, passages: script{p}})
			length = size
		default:
			all[last].passages = append(all[last].passages, p)
			length += size
		}
	}
	return all
}

// text returns the spoken text of a script on one line.
func (s script) text() string {
	texts := make([]string, len(s))
	for i, p := range s {
		texts[i] = p.text
	}
	return strings.Join(texts, " ")
}
