package tracing

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"moviola/eventstore"
)

// The attributes that spans may have. Names of the OpenTelemetry conventions are used where there are some.
var (
	projectID    = attribute.Key("moviola.project")
	accountID    = attribute.Key("moviola.account")
	requestID    = attribute.Key("moviola.request")
	kindOf       = attribute.Key("moviola.kind")     // of work or of a destination
	resultIs     = attribute.Key("moviola.result")   // what came of it
	attemptNo    = attribute.Key("moviola.attempt")  // of a render, or the run of a delivery
	tryNo        = attribute.Key("moviola.try")      // at a destination
	category     = attribute.Key("moviola.category") // of the stream of an append
	eventTypes   = attribute.Key("moviola.events")
	purposeOf    = attribute.Key("moviola.purpose") // of a request to another server
	method       = attribute.Key("http.request.method")
	route        = attribute.Key("http.route")
	status       = attribute.Key("http.response.status_code")
	host         = attribute.Key("server.address") // without path
	processRoles = attribute.Key("moviola.roles")

	serviceName     = attribute.Key("service.name")
	serviceVersion  = attribute.Key("service.version")
	serviceInstance = attribute.Key("service.instance.id")
)

// mostTypes limits the types of events that an append's span names.
const mostTypes = 8

// typesOf returns the types of events, each once.
func typesOf(events []eventstore.Proposed) []string {
	var types []string
	for _, event := range events {
		if name := event.Type; !slices.Contains(types, name) && len(types) < mostTypes {
			types = append(types, name)
		}
	}
	return types
}
