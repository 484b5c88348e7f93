package tracing

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"moviola/eventstore"
)

// The attributes that spans may have, with the names of the OpenTelemetry conventions where these define one.
var (
	projectID    = attribute.Key("moviola.project")
	accountID    = attribute.Key("moviola.account")
	requestID    = attribute.Key("moviola.request")
	kindOf       = attribute.Key("moviola.kind")     // kind of work or of destination
	resultIs     = attribute.Key("moviola.result")   // result of an item of work, or of a try
	attemptNo    = attribute.Key("moviola.attempt")  // number of a render's attempt, or of a delivery's run
	tryNo        = attribute.Key("moviola.try")      // number of a delivery's try at a destination
	category     = attribute.Key("moviola.category") // category of the stream that is appended to
	eventTypes   = attribute.Key("moviola.events")
	purposeOf    = attribute.Key("moviola.purpose") // purpose of a request to another server
	method       = attribute.Key("http.request.method")
	route        = attribute.Key("http.route")
	status       = attribute.Key("http.response.status_code")
	host         = attribute.Key("server.address") // host of another server, without a path
	processRoles = attribute.Key("moviola.roles")

	serviceName     = attribute.Key("service.name")
	serviceVersion  = attribute.Key("service.version")
	serviceInstance = attribute.Key("service.instance.id")
)

// mostTypes is the maximum number of event types in the span of an append.
const mostTypes = 8

// typesOf returns the types of events, each type once, and at most mostTypes of them.
func typesOf(events []eventstore.Proposed) []string {
	var types []string
	for _, event := range events {
		if name := event.Type; !slices.Contains(types, name) && len(types) < mostTypes {
			types = append(types, name)
		}
	}
	return types
}
