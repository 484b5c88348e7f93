package connection

import (
	"slices"
	"strings"
)

// LiveEvent names an event that is sent to saved webhooks at the moment when it happens, if their setting events lists its name.
// Decision 79.
type LiveEvent string

// The names of all live events.
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

// Hears reports whether a live event is sent to a connection of the kind with these settings.
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
