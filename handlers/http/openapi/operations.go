package openapi

import (
	"net/http"

	"moviola/handlers/http/operation"
)

// declared lists the operations and models of this package.
var declared = operation.Room{Operations: []operation.Operation{
	getDescription, getDocs, getMovieSchema, PostMcp, getLlms, getLlmsFull, getDocsPart,
}, Models: models}

// The declarations of this package's operations.
var (
	getDescription = operation.Operation{
		Method: http.MethodGet, Path: "/v2/openapi.json", ID: "getDescription", Tag: "Description", Caller: operation.Anyone,
		Summary: "This document",
		Answers: operation.OK("OpenAPI 3.1.", operation.Plain(operation.Map)),
		Fixed:   true,
	}
	getDocs = operation.Operation{
		Method: http.MethodGet, Path: "/docs", ID: "getDocs", Tag: "Description", Caller: operation.Anyone,
		Summary: "This document, to read",
		Answers: []operation.Answer{
			{Status: 200, Text: "A page that needs nothing from elsewhere.",
				Contents: []operation.Content{{Type: "text/html", Schema: operation.Plain()}}},
		},
		Fixed: true,
	}
	getMovieSchema = operation.Operation{
		Method: http.MethodGet, Path: "/v2/movie.schema.json", ID: "getMovieSchema", Tag: "Description", Caller: operation.Anyone,
		Summary: "The JSON Schema of movies",
		Text: "A JSON Schema (2020-12) of the movie JSON with descriptions and defaults, for editors: name it as `$schema` in a " +
			"movie, which is otherwise ignored. Its objects are closed, so that an editor marks what is not known; the schema Movie of " +
			"this document is the same with open objects.",
		Answers: operation.OK("The JSON Schema.", operation.Plain(operation.Map)),
		Fixed:   true,
	}
	// PostMcp is the endpoint for agents. It is declared here because handlers/mcp, which serves it, imports this package.
	PostMcp = operation.Operation{
		Method: http.MethodPost, Path: "/mcp", ID: "postMcp", Tag: "Description", Caller: operation.Agent,
		Summary: "Tools of agents: the Model Context Protocol",
		Text: "JSON-RPC messages of the Model Context Protocol, without sessions. Here alone the key may also stand in " +
			"`Authorization: Bearer`. A tool needs the role of the operations that it asks; docs/mcp.md lists them. A request whose " +
			"Host is neither the public name nor an IP address nor localhost is answered 421, one of a page of another origin 403.",
		Body: operation.JSON(operation.Plain(operation.Map)).Example(`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`).OwnErrors(),
		Answers: []operation.Answer{
			{Status: 200, Text: "The answer to the message.",
				Contents: []operation.Content{{Type: "application/json", Schema: operation.Plain(operation.Map)}}},
			{Status: 202, Text: "A notification was taken."},
		},
		Fixed: true,
		Refusals: []operation.Refusal{
			operation.On(400,
				"It is no message of the protocol, or of a version that is not known.").As("text/plain", operation.Plain()),
			operation.On(401, "The key is missing, not valid, or given twice.", "api_key_invalid", "api_key_missing"),
			operation.On(403, "Pages of this origin may not call.", "origin_not_allowed"),
			operation.On(413, "The message is larger than 4 MB.", "body_too_large"),
			operation.On(421, "The service is called by a name that it does not have.", "host_not_allowed"),
			operation.Unavailable,
		},
	}
	getLlms = operation.Operation{
		Method: http.MethodGet, Path: "/llms.txt", ID: "getLlms", Tag: "Description", Caller: operation.Anyone,
		Summary: "What language models can read",
		Text:    "The pages that say how movies are made, as llmstxt.org describes.",
		Answers: []operation.Answer{
			{Status: 200, Text: "Text.", Contents: []operation.Content{{Type: "text/plain", Schema: operation.Plain()}}},
		},
		Fixed: true,
	}
	getLlmsFull = operation.Operation{
		Method: http.MethodGet, Path: "/v2/llms-full.txt", ID: "getLlmsFull", Tag: "Description", Caller: operation.Anyone,
		Summary: "How movies are made, in one text",
		Text:    "Every property of the movie JSON, components, text styles, fonts, voices, templates and expressions, as Markdown.",
		Answers: []operation.Answer{
			{Status: 200, Text: "Text.", Contents: []operation.Content{{Type: "text/plain", Schema: operation.Plain()}}},
		},
		Fixed: true,
	}
	getDocsPart = operation.Operation{
		Method: http.MethodGet, Path: "/docs/{part}", ID: "getDocsPart", Tag: "Description", Caller: operation.Anyone,
		Summary:    "Pages and files of the documentation",
		Text:       "`movie` is the reference of the movie JSON; the others are what the pages need.",
		Parameters: []operation.Parameter{operation.InPath("part", "The name of the page or file.")},
		Answers: []operation.Answer{
			{Status: 200, Text: "The page or file.", Contents: []operation.Content{
				{Type: "text/html", Schema: operation.Plain()},
				{Type: "text/javascript", Schema: operation.Plain()},
				{Type: "image/jpeg", Schema: operation.Binary},
			}},
		},
		Fixed: true,
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such file any more, or never was.", "not_found"),
		},
	}
)
