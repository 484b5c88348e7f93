package connection

import (
	"slices"
	"strings"
)

// LiveEvent is a kind of event that is sent to saved webhooks at the moment it happens, if their setting `events` lists it.
// Decision 79.
type LiveEvent string

// The live events.
const (
	RenderStarted  LiveEvent = "render.started"
	RenderProgress LiveEvent = "render.progress"
	BatchFinished  LiveEvent = "batch.finished"
)

// LiveEvents are all live events.
var LiveEvents = []string{string(RenderStarted), string(RenderProgress), string(BatchFinished)}

// ListOf splits the text of a setting that is a list.
func ListOf(value string) []string {
	if value == "" {
		return nil
	}
	parts := strings.Split(value, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// Hears reports whether a connection with these settings gets a live event.
func (k Kind) Hears(settings Settings, event LiveEvent) bool {
	return k == Webhook && slices.Contains(ListOf(settings["events"]), string(event))
}

// checkEvents accepts a list of live events, each at most once.
func checkEvents(value string) bool {
	seen := map[string]bool{}
	for _, name := range ListOf(value) {
		if !slices.Contains(LiveEvents, name) || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}
