package domain

import "strings"

// maxBrief is the maximum length of a text that Brief returns, in bytes, without the ellipsis.
const maxBrief = 2000

// Brief shortens a text that becomes a part of an event, such as a message that quotes the movie: the store refuses an event
// that is too large, and work whose result cannot be stored would be repeated for ever.
func Brief(text string) string {
	if len(text) <= maxBrief {
		return text
	}
	return strings.ToValidUTF8(text[:maxBrief], "") + "…"
}

// MaxWarnings is the maximum number of warnings of a movie.
const MaxWarnings = 50

// Briefs returns a copy of the first MaxWarnings texts, each shortened by Brief.
func Briefs(texts []string) []string {
	var all []string
	for _, text := range texts[:min(len(texts), MaxWarnings)] {
		all = append(all, Brief(text))
	}
	return all
}
