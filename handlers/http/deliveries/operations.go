package deliveries

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	listDeliveries, showDeliveries, listInboxes, openInbox, showInbox, deleteInbox,
}, Models: models}

// The declarations of the operations on deliveries.
var (
	listDeliveries = operation.Operation{
		Method: http.MethodGet, Path: "/v2/deliveries", ID: "listDeliveries", Tag: "Deliveries", Role: key.Manager,
		Summary:    "Where movies were delivered to",
		Text:       "Each destination of a movie once it was tried, as its last try left it; the last tried first.",
		Parameters: []operation.Parameter{operation.Limit("Destinations per page."), operation.NextToken},
		Answers:    operation.OK("A page of destinations.", operation.A[listed]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "limit_invalid", "next_token_invalid"),
		},
	}
	showDeliveries = operation.Operation{
		Method: http.MethodGet, Path: "/v2/deliveries/{project}", ID: "showDeliveries", Tag: "Deliveries", Role: key.Manager,
		Summary: "The tries to deliver one movie",
		Text: "The newest 100 tries, the newest first, with what was sent to a webhook and the first 2 kB of its answer. That is " +
			"kept for 30 days, encrypted; headers, paths and queries are not kept.",
		Parameters: []operation.Parameter{operation.InPath("project", "Project of the movie.")},
		Answers:    operation.OK("The tries.", operation.A[shown]()),
		Refusals: []operation.Refusal{
			operation.On(404, "No movie of the account has this project.", "movie_not_found"),
		},
	}
)
