package templates

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	getTemplates, saveTemplate, deleteTemplate, getLibrary, getExample, publishTemplate, unpublishTemplate,
}, Models: models}

// The declarations of this package's operations.
var (
	getTemplates = operation.Operation{
		Method: http.MethodGet, Path: "/v2/templates", ID: "getTemplates", Tag: "Templates", Role: key.Viewer,
		Summary: "The account's templates, or one of them",
		Text:    "All at once, the last updated first; with `id` one template with its movie.",
		Parameters: []operation.Parameter{
			operation.Query("id", "The template."),
			operation.Query("tag", "Only templates that carry this tag."),
			operation.Query("format", "With id: the variables of the template as field definitions of an automation tool (`make`), or "+
				"as a JSON Schema of 2020-12, then without the movie (`jsonschema`).", operation.Enum("make", "jsonschema")),
			operation.Query("scopes",
				"With id: what to answer, with commas between: `movie` (the default), `prompt` (adds ai_prompt)."),
			operation.Account,
			operation.OperatorToken,
		},
		Answers: operation.OK("The list, or the template.", operation.Either(operation.A[list](), operation.A[single]())),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_ambiguous", "format_invalid", "scopes_invalid", "tag_ambiguous",
				"template_id_ambiguous"),
			operation.On(404, "The account has no such template. Message: `Template {id} not found`.", "account_not_found",
				"template_not_found"),
		},
	}
	saveTemplate = operation.Operation{
		Method: http.MethodPost, Path: "/v2/templates", ID: "saveTemplate", Tag: "Templates", Role: key.Editor,
		Summary: "Create, update or duplicate a template",
		Text: "Without id a template is created, with it updated: fields that are left out stay, the movie is replaced whole. Two " +
			"updates at once both apply, in order. `action=duplicate` copies the template `id`, one's own or one of the library, with " +
			"`variables` laid over its own key by key. A movie may refer to another template by its property `template`; that is " +
			"resolved when it is rendered.",
		Parameters: []operation.Parameter{
			operation.Query("id", "The template to be updated or duplicated."),
			operation.Query("action", "duplicate, or nothing.", operation.Enum("duplicate")),
		},
		Body:    operation.JSON(operation.Ref("SaveTemplate")).OwnErrors(),
		Answers: operation.OK("Saved.", operation.A[saved]()),
		Refusals: []operation.Refusal{
			operation.On(400, "A parameter or field is missing or not valid.", "action_invalid", "body_invalid",
				"body_missing", "body_unreadable", "movie_type", "name_required", "name_too_long", "name_type",
				"prompt_too_long", "prompt_type", "tags_too_long", "tags_type", "template_id_ambiguous",
				"template_id_missing", "variables_type"),
			operation.On(403, "The key's role is below the one that is needed, or the template to be updated is not the "+
				"account's. Message: `Template {id} is not owned by you`. Or the account stores as much as it "+
				"may.", "storage_full", "template_not_owned"),
			operation.On(404, "The template to be duplicated does not exist, or is private to another account.",
				"template_not_found"),
			operation.On(500, "The movie cannot be a template's (`Template movie is not valid JSON or it's too large`: over 102,400 "+
				"bytes), the source is corrupt (`Source template movie is not valid JSON`), or the service failed (`Error saving "+
				"template`).", "template_movie_invalid", "template_not_saved", "template_source_invalid"),
		},
	}
	deleteTemplate = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/templates", ID: "deleteTemplate", Tag: "Templates", Role: key.Editor,
		Summary:    "Delete a template",
		Text:       "Movies that were submitted with it still render.",
		Parameters: []operation.Parameter{operation.Query("id", "The template.")},
		Answers:    operation.OK("Deleted.", operation.A[done]()),
		Refusals: []operation.Refusal{
			operation.On(400, "id is missing or ambiguous.", "template_id_ambiguous", "template_id_missing"),
			operation.On(404, "The account has no such template.", "template_not_found"),
			operation.On(500, "", "template_not_saved"),
		},
	}
	getLibrary = operation.Operation{
		Method: http.MethodGet, Path: "/v2/templates/library", ID: "getLibrary", Tag: "Templates", Role: key.Render,
		Summary: "The library of templates",
		Text: "All published templates, the last updated first, and unpublished ones of the account itself that carry one of " +
			"`tags`. They can be rendered and duplicated by their id; their movies are not shown.",
		Parameters: []operation.Parameter{operation.Query("tags", "With commas between.")},
		Answers:    operation.OK("The library.", operation.A[libraryAnswer]()),
		OwnQuery:   true,
		Refusals: []operation.Refusal{
			operation.On(400, "tags is given twice, or badly encoded.", "tags_invalid"),
			operation.On(404, "The library could not be read. Retry with backoff.", "library_unavailable"),
		},
	}
	getExample = operation.Operation{
		Method: http.MethodGet, Path: examplesPath + "{id}/{name}", ID: "getExample", Tag: "Files", Caller: operation.Anyone,
		Summary: "An example of the library",
		Text: "The address comes from video_url and thumbnail_url of the library. No key is asked for. Ranges and conditional " +
			"requests are served.",
		Parameters: []operation.Parameter{
			operation.InPath("id", "The template."),
			operation.InPath("name", "The name of the file."),
		},
		Answers: []operation.Answer{
			{Status: 200, Text: "The file.", Contents: []operation.Content{
				{Type: "video/mp4", Schema: operation.Binary},
				{Type: "image/jpeg", Schema: operation.Binary},
			}},
			{Status: 206, Text: "A part of it.", Contents: []operation.Content{
				{Type: "video/mp4", Schema: operation.Binary},
				{Type: "image/jpeg", Schema: operation.Binary},
			}},
			{Status: 304, Text: "Not changed."},
		},
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such example.", "not_found"),
			operation.On(416, "The range lies outside of the file."),
		},
	}
	publishTemplate = operation.Operation{
		Method: http.MethodPost, Path: "/admin/templates/{id}/publish", ID: "publishTemplate",
		Tag: "Operator", Caller: operation.Operator,
		Summary: "Publish a template",
		Text: "Puts a template of any account into the library. Its example is rendered from the template as it is, after all " +
			"users' movies; the template is listed when that is ready.",
		Parameters: []operation.Parameter{operation.InPath("id", "The template.")},
		Answers:    operation.OK("What has become of it.", operation.A[publication]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The template cannot be rendered as it is.", "aws_keys_in_movie", "azure_keys_in_movie",
				"google_keys_in_movie", "insufficient_credits",
				"movie_expansion_too_large", "movie_json_invalid", "movie_json_too_complex", "movie_json_too_deep",
				"movie_too_long", "movie_too_many_elements", "movie_too_many_scenes", "template_chain_too_long",
				"template_circle", "template_secret_used"),
			operation.On(401, "The example would be beyond the plan of the account `library`.", "movie_too_large",
				"not_enough_credits"),
			operation.On(403, "", "account_suspended"),
			operation.On(404, "There is no such template.", "template_not_found"),
			operation.On(500, "", "movie_json_not_stored", "movie_not_created", "template_not_saved"),
		},
	}
	unpublishTemplate = operation.Operation{
		Method: http.MethodPost, Path: "/admin/templates/{id}/unpublish", ID: "unpublishTemplate",
		Tag: "Operator", Caller: operation.Operator,
		Summary:    "Take a template out of the library",
		Text:       "It stays its owner's. Publishing it again is quick: the example is kept.",
		Parameters: []operation.Parameter{operation.InPath("id", "The template.")},
		Answers:    operation.OK("What has become of it.", operation.A[publication]()),
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such template.", "template_not_found"),
			operation.On(500, "", "template_not_saved"),
		},
	}
)
