package speech

import (
	"strings"
	"time"
)

// maxChunk is how many characters one request to a vendor's own protocol carries. ElevenLabs' eleven_v3 takes 5,000; ten minutes,
// the most that Azure Speech answers with, are more than that.
const maxChunk = 4_800

// chunk is what one request asks for: passages that are spoken in one go.
type chunk struct {
	pause    time.Duration // before it
	passages script
}

// chunks parts a script into requests of at most maxChunk characters. With apart, a pause or another rate begins a new one, for
// services that are not told of either inside a text.
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

// text is what is said in a script, on one line.
func (s script) text() string {
	texts := make([]string, len(s))
	for i, p := range s {
		texts[i] = p.text
	}
	return strings.Join(texts, " ")
}
