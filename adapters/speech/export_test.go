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

// ReadTranscript reads the words of an endpoint's answer to a transcription.
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

// ReadAzureName takes the name of a voice of Azure Speech apart.
func ReadAzureName(name string) (locale, gender string, ok bool) {
	v, ok := readAzureName(name)
	return v.locale, v.gender.word(), ok
}

// AzureDefault is the usual voice of a language or locale.
var AzureDefault = azureDefault

// RetryAfter reads the header of that name.
var RetryAfter = retryAfter
