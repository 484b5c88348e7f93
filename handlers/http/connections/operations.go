package connections

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	listConnections, saveConnection, deleteConnection, testConnection, rotateSigningSecret, retireSigningSecret,
}, Models: models}

// Parameters used by several of the operations on connections.
var (
	idParameter = operation.Query("id", "The connection.", operation.Shortest(1), operation.Longest(64)).Needed()
)

// The declarations of the operations on connections.
var (
	listConnections = operation.Operation{
		Method: http.MethodGet, Path: "/v2/connections", ID: "listConnections", Tag: "Connections", Role: key.Manager,
		Summary:    "The account's saved connections",
		Text:       "By id. Secrets are shown as `***`.",
		Parameters: []operation.Parameter{operation.Limit("Connections per page."), operation.NextToken},
		Answers:    operation.OK("A page of connections.", operation.A[page]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "limit_invalid", "next_token_invalid"),
		},
	}
	saveConnection = operation.Operation{
		Method: http.MethodPost, Path: "/v2/connections", ID: "saveConnection", Tag: "Connections", Role: key.Manager,
		Summary: "Save a connection",
		Text: "Creates it, or replaces the one of the same id. Of one that exists, secret properties that are " +
			"left out or `***` stay what they were, as long as they go to the same place. A webhook that is " +
			"saved with `signed` true for the first time gets a signing secret, which is in this answer and " +
			"in no other.",
		Body:    operation.JSON(operation.Ref("SaveConnection")),
		Answers: operation.OK("It is saved.", operation.A[saved]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The body is not an object, or a property is missing, unknown or not valid.", "id_invalid",
				"id_required", "setting_invalid", "setting_required", "setting_unknown", "type_invalid"),
			operation.On(409, "A secret is to stay what it was, and cannot be decrypted any more. The message names what has "+
				"to be sent again.", "connection_unreadable"),
		},
	}
	deleteConnection = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/connections", ID: "deleteConnection", Tag: "Connections", Role: key.Manager,
		Summary:    "Delete a connection",
		Text:       "Destinations that name it end with status error from now on.",
		Parameters: []operation.Parameter{idParameter},
		Answers:    operation.OK("It is deleted.", operation.A[saved]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id is missing or given twice.", "id_ambiguous", "id_required"),
			operation.On(404, "Unknown, or another account's.", "connection_not_found"),
		},
	}
	testConnection = operation.Operation{
		Method: http.MethodPost, Path: "/v2/connections/test", ID: "testConnection", Tag: "Connections", Role: key.Manager,
		Summary: "Try a connection out",
		Text: "One call. A webhook gets the payload of a finished movie with made-up values and `test` true; " +
			"file servers, storages and folders get a small file, which is removed again; an e-mail is sent, if the plan has " +
			"e-mail and recipients left for the day; a provider is asked for its models. That it does not " +
			"work is the result, not an error.",
		Parameters: []operation.Parameter{idParameter},
		Answers:    operation.OK("What came of it.", operation.A[tested]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id is missing or given twice.", "id_ambiguous", "id_required"),
			operation.On(404, "Unknown, or another account's.", "connection_not_found"),
			operation.On(409, "Its secrets cannot be decrypted any more: they are damaged, or were encrypted with a key that "+
				"this server is not given any more.", "connection_unreadable"),
		},
	}
	rotateSigningSecret = operation.Operation{
		Method: http.MethodPost, Path: "/v2/connections/secret", ID: "rotateSigningSecret", Tag: "Connections", Role: key.Manager,
		Summary:    "Give a signed webhook a new signing secret",
		Text:       "The one so far stays valid: messages carry both signatures until it is retired.",
		Parameters: []operation.Parameter{idParameter},
		Answers:    operation.OK("The new secret, shown here and never again.", operation.A[saved]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id is missing, or the connection is not signed.", "connection_not_signed", "id_ambiguous",
				"id_required"),
			operation.On(404, "Unknown, or another account's.", "connection_not_found"),
			operation.On(409, "Its secrets cannot be decrypted any more: save it again.", "connection_unreadable"),
		},
	}
	retireSigningSecret = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/connections/secret", ID: "retireSigningSecret",
		Tag: "Connections", Role: key.Manager,
		Summary:    "End the signing secret before the present one",
		Text:       "Does nothing when there is none.",
		Parameters: []operation.Parameter{idParameter},
		Answers:    operation.OK("Only the present secret is valid.", operation.A[saved]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id is missing, or the connection is not signed.", "connection_not_signed", "id_ambiguous",
				"id_required"),
			operation.On(404, "Unknown, or another account's.", "connection_not_found"),
			operation.On(409, "Its secrets cannot be decrypted any more: save it again.", "connection_unreadable"),
		},
	}
)
