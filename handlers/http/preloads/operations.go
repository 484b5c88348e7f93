package preloads

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	requestPreload, getPreload,
}, Models: models}

// The declarations of this package's operations.
var (
	requestPreload = operation.Operation{
		Method: http.MethodPost, Path: "/v2/preloads", ID: "requestPreload", Tag: "Preloads", Role: key.Render,
		Summary: "Have assets made ready",
		Text: "Items are prepared while other things happen; look at them with GET /v2/preloads/{preload_id}. What comes of them is " +
			"shared with movies. Credits are held for what a provider generates, and charged for each item that it did.",
		Body: operation.JSON(operation.Inline(
			operation.F("preload", "", operation.List(operation.Is(operation.Inline(
				operation.F("id", "Unique within the batch."),
				operation.F("type", "", operation.Enum("image", "video", "audio", "voice", "html", "component")),
				operation.F("save-to-media", "Keep it in the media library, as generated/{preload_id}-{id}.",
					operation.Boolean, operation.Default(false), operation.Optional),
			)), operation.Text("The other properties are those of the element of the same type.")), operation.Fewest(1),
				operation.Most(10)),
		)).OwnErrors(),
		Answers: operation.OK("The batch was accepted.", operation.Ref("PreloadRequested")),
		Refusals: []operation.Refusal{
			operation.On(400, "The batch is not valid.", "body_unreadable", "payload_invalid", "payload_missing",
				"preload_count", "preload_id_duplicate", "preload_id_invalid", "preload_id_missing", "preload_invalid",
				"preload_type_invalid", "preload_type_missing", "property_unknown"),
			operation.On(402, "Not enough credits to generate the batch's AI assets. Nothing was held.",
				"insufficient_asset_credits"),
			operation.On(403, "The key's role is below the one that is needed, the account is closed, or it stores as much as "+
				"it may.", "account_closed", "storage_full"),
			operation.On(413, "The body is too large.", "preload_too_large"),
		},
	}
	getPreload = operation.Operation{
		Method: http.MethodGet, Path: "/v2/preloads/{preload_id}", ID: "getPreload", Tag: "Preloads", Role: key.Viewer,
		Summary:    "A batch of assets",
		Parameters: []operation.Parameter{operation.InPath("preload_id", "")},
		Answers:    operation.OK("How far the items have come.", operation.A[answer]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id has not 16 characters.", "preload_id_malformed"),
			operation.On(404, "Unknown, or another account's.", "preload_not_found"),
		},
	}
)
