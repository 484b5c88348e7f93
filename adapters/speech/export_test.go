package speech

import (
	"time"

	"moviola/domain/caption"
)

// ReadAnswer reads a file that an endpoint sent for a text, and returns its length and words.
func ReadAnswer(raw []byte, text string) (time.Duration, []caption.Word, error) {
	made, err := readSpoken(raw, text)
	return made.length(), made.words, err
}

// ReadTranscript reads what an endpoint heard.
var ReadTranscript = readTranscript

// Passage is a part of a script.
type Passage struct {
	Text        string
	Pause       time.Duration
	Rate, Pitch float64
}

// ReadScript reads text or SSML.
func ReadScript(text string) []Passage {
	var all []Passage
	for _, p := range readScript(text) {
		all = append(all, Passage{p.text, p.pause, p.rate, p.pitch})
	}
	return all
}
