package keys

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	listKeys, issueKey, revokeKey,
}, Models: models}

// The declarations of this package's operations.
var (
	listKeys = operation.Operation{
		Method: http.MethodGet, Path: "/v2/keys", ID: "listKeys", Tag: "Keys", Role: key.Admin,
		Summary:    "The account's keys",
		Text:       "The keys that were not revoked, those that have expired among them, the newest first. Never a key itself.",
		Parameters: []operation.Parameter{operation.Limit("Keys per page."), operation.NextToken},
		Answers:    operation.OK("A page of keys.", operation.A[Page]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "limit_invalid", "next_token_invalid"),
		},
	}
	issueKey = operation.Operation{
		Method: http.MethodPost, Path: "/v2/keys", ID: "issueKey", Tag: "Keys", Role: key.Admin,
		Summary: "Issue a key",
		Text:    "The answer has the key itself, this once: only its SHA-256 is stored.",
		Body:    operation.JSON(operation.A[issueRequest]()),
		Answers: operation.OK("Issued.", operation.A[issued]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "expires_at_invalid", "name_required", "name_too_long", "role_invalid"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	revokeKey = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/keys", ID: "revokeKey", Tag: "Keys", Role: key.Admin,
		Summary: "Revoke a key",
		Text: "It opens nothing from the next request on, in every process of the installation within a second. Renders that were " +
			"begun with it go on. Revoking twice says when the key was revoked. A key may revoke itself.",
		Parameters: []operation.Parameter{
			operation.Query("id", "The id of the key.", operation.Pattern(`^[0-9a-f]{32}$`)).Needed(),
		},
		Answers: operation.OK("Revoked, now or before.", operation.A[revoked]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id is missing or malformed.", "key_id_invalid"),
			operation.On(404, "Unknown, or another account's.", "key_not_found"),
		},
	}
)
