package movies

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	getMovies, postMovie, deleteMovie, validateMovie, drawStills, cancelMovie, getMovieEvents, followMovie, redeliverMovie,
}, Models: models}

// The parameters that several operations of this package have.
var (
	idParameter = operation.Query("id", "Alias of project. When both are given they must be the same.", operation.ShortID)
)

// movieBody is a movie as the body of a request.
var movieBody = operation.JSON(operation.Ref("Movie")).Example(`{"resolution": "full-hd", "scenes": [{"duration": 3,
	"elements": [{"type": "text", "text": "Hello"}]}]}`).OwnErrors()

// deprecation are the headers of answers to movies that use deprecated properties.
var deprecation = []operation.Parameter{
	operation.Header("Deprecation", "The movie uses a feature that will be removed; since when, by RFC 9745. See Link."),
	operation.Header("Link", "Where the deprecation is explained."),
}

// The declarations of this package's operations.
var (
	getMovies = operation.Operation{
		Method: http.MethodGet, Path: "/v2/movies", ID: "getMovies", Tag: "Movies", Role: key.Viewer,
		Summary: "Status of one movie, or a paged list",
		Text: "With project (or id): that movie. Without: the movies of a range, newest first, that pass all filters given. With " +
			"filters a page may be short, or empty, while has_next is true: a stretch of the range was looked through; go on with " +
			"next_token. A failed render is reported inside `movie` with HTTP 200.",
		Parameters: []operation.Parameter{
			operation.Query("project", "The movie.", operation.ShortID),
			idParameter,
			operation.Query("from", "Start of the range: a date or a date-time; no zone means UTC. Default: the first day of this "+
				"month."),
			operation.Query("date_start", "Alias of from."),
			operation.Query("to", "End of the range; a date means its end of day. Default: the end of today. At most 3 months after "+
				"from."),
			operation.Query("date_end", "Alias of to."),
			operation.Limit("Movies per page."),
			operation.RangeToken,
			operation.Query("format", "simple leaves json out of lists.", operation.Enum("simple")),
			operation.Query("status", "Only movies of this status.",
				operation.Enum("pending", "running", "done", "error", "timeout")),
			operation.Query("template", "Only movies that are made of this template: its id.", operation.Longest(1024)),
			operation.Query("movie_id", "Only movies whose JSON has exactly this `id`. (The parameter id is the project.)",
				operation.Longest(1024)),
			operation.Query("client-data", "Parameters `client-data.NAME=VALUE`, up to 5: only movies whose client-data has exactly "+
				"this value directly under NAME. A number is compared as it is written, a boolean as true or false. A movie is found by "+
				"the first 20 texts, numbers and booleans of its client-data.",
				operation.Values(operation.Longest(1024)), operation.Most(5), operation.Names(`^client-data\.`)).Members(),
			operation.Account,
			operation.OperatorToken,
		},
		Answers: operation.OK("A movie, or a page of a list.", operation.Either(operation.Ref("Single"), operation.Ref("List"))),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_ambiguous", "date_range_too_long", "end_date_invalid", "filter_invalid",
				"format_invalid", "limit_invalid", "next_token_invalid", "project_ambiguous", "project_invalid",
				"start_date_invalid", "status_invalid"),
			operation.On(403, "The key's role is below the one that is needed, or the account may not do this now."),
			operation.On(404, "Unknown, or another account's: `Movie {id} not found`.", "account_not_found", "movie_not_found"),
		},
	}
	postMovie = operation.Operation{
		Method: http.MethodPost, Path: "/v2/movies", ID: "postMovie", Tag: "Movies", Role: key.Render,
		Summary: "Submit a movie",
		Text: "Answers at once with a project; poll GET /movies, follow /movies/progress, or take a webhook. Not idempotent, unless " +
			"Idempotency-Key is given.",
		Parameters: []operation.Parameter{
			operation.Header("Idempotency-Key", "A name of the client's own for this submission, kept for 24 hours per account. The "+
				"same name with the same body gets the first answer again and makes nothing new. Only an accepted submission is "+
				"remembered.", operation.Shortest(1), operation.Longest(255)),
			operation.Query("max_credits", "The most credits that the movie may cost, 1 or more. A movie that is known to cost more is "+
				"refused; one whose sources turn out to be longer ends with status error before it is encoded, "+
				"and costs nothing.", operation.Integer, operation.Min(1)),
			operation.OwnAccount,
			operation.OperatorToken,
		},
		Body: movieBody,
		Answers: []operation.Answer{
			{Status: 200, Text: "Accepted.",
				Headers: deprecation,
				Contents: []operation.Content{{Type: "application/json", Schema: operation.A[submitted](),
					Example: `{"success": true, "project": "aBcDeFgHiJkLmNoP", "timestamp": "2026-11-21T12:00:00.000Z"}`}}},
		},
		Refusals: []operation.Refusal{
			operation.On(400, "The movie is refused as it is. Do not retry; fix the payload.", "account_read_only",
				"aws_keys_in_movie", "azure_keys_in_movie", "body_unreadable", "google_keys_in_movie", "idempotency_key_invalid",
				"insufficient_credits", "invalid_movie_status", "max_credits_exceeded", "max_credits_invalid", "movie_expansion_too_large",
				"movie_json_invalid", "movie_json_missing", "movie_json_not_object", "movie_json_too_complex",
				"movie_json_too_deep", "movie_too_long", "movie_too_many_elements", "movie_too_many_scenes",
				"template_chain_too_long", "template_circle", "template_secret_used"),
			operation.On(401, "The key is missing or not valid, or the plan does not allow the movie.",
				"draft_quota_exceeded", "movie_quota_exceeded", "movie_too_large", "not_enough_credits"),
			operation.On(403, "The key's role is below the one that is needed, or the account may not do this now.",
				"account_closed", "account_suspended", "storage_full"),
			operation.On(404, "The template or movie that is referred to is unknown, or another account's.",
				"movie_not_found", "template_not_found"),
			operation.On(409, "The same Idempotency-Key came with another body.", "idempotency_key_reused"),
			operation.On(413, "The body is over 2 MB (2,097,152 bytes).", "movie_json_too_large"),
			operation.On(500, "", "movie_json_damaged", "movie_json_not_stored", "movie_not_created"),
		},
	}
	deleteMovie = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/movies", ID: "deleteMovie", Tag: "Movies", Role: key.Render,
		Summary: "Delete a rendered file",
		Text:    "The record stays. Deleting twice, or after expiry, succeeds. Every failure is 400.",
		Parameters: []operation.Parameter{
			operation.Query("project", "The movie.", operation.ShortID),
			idParameter,
			operation.OwnAccount,
			operation.OperatorToken,
		},
		Answers: operation.OK("The file is gone.", operation.A[deleted]()),
		Alone:   true,
		Refusals: []operation.Refusal{
			operation.On(400, "Every failure, a missing key included.", "account_read_only", "api_key_invalid",
				"api_key_missing", "insufficient_permissions", "movie_files_not_deleted", "movie_not_found",
				"movie_still_rendering", "project_invalid", "query_invalid"),
			operation.On(403, "The parameter account was given without the operator's token.", "token_invalid"),
		},
	}
	validateMovie = operation.Operation{
		Method: http.MethodPost, Path: "/v2/movies/validate", ID: "validateMovie", Tag: "Movies", Role: key.Render,
		Summary: "What would become of a movie",
		Text:    "Nothing is stored and nothing is charged. A movie that is wrong is answered with its mistakes, not refused.",
		Body:    movieBody,
		Answers: []operation.Answer{
			{Status: 200, Text: "Validity, warnings, size, seconds, credits and the timeline of each scene.",
				Headers:  deprecation,
				Contents: []operation.Content{{Type: "application/json", Schema: operation.A[validation]()}}},
		},
		Refusals: []operation.Refusal{
			operation.On(400, "The body could not be received.", "body_unreadable"),
			operation.On(413, "The body is over 2 MB.", "movie_json_too_large"),
		},
	}
	drawStills = operation.Operation{
		Method: http.MethodPost, Path: "/v2/movies/still", ID: "drawStills", Tag: "Movies", Role: key.Render,
		Summary: "What moments of a movie will look like",
		Text: "Draws up to 12 moments of a movie by what would render it: each picture is composed as the movie's frame would be, " +
			"and marked as a preview. Nothing is stored, held or charged, and no provider is paid. What is not at hand (a source that " +
			"no movie or preload of the account has fetched, a voice or picture that would have to be made, a page with `src`) has a " +
			"placeholder in its place, and a sentence in `missing`; with `fetch=true` sources, fonts and pages are loaded. `exports`, " +
			"`preload` and saving to the media library are passed over. One moment is answered as the picture itself, unless the " +
			"request's `Accept` names application/json; several are JSON. An account has one request drawn at a time: a newer one " +
			"takes the place of the one that waits. Its plan bounds the requests of an hour.",
		Parameters: []operation.Parameter{
			operation.Query("time", "Seconds from the movie's start, or several with commas between. Without it: the moment of the "+
				"thumbnail. Later than the end is the last frame.").Example("0.5,2"),
			operation.Query("fetch",
				"Whether sources, fonts and pages that are not at hand are loaded, for 5 seconds each at most.",
				operation.Boolean, operation.Default(false)),
			operation.Query("format", "", operation.Enum("png", "jpg"), operation.Default("png")),
			operation.Query("size", "Pixels of the longer side, at most those of the movie.", operation.Integer,
				operation.Min(16), operation.Max(1280), operation.Default(1280)),
		},
		Body: movieBody,
		Answers: []operation.Answer{
			{Status: 200, Text: "The pictures.", Headers: deprecation, Contents: []operation.Content{
				{Type: "image/png", Schema: operation.Binary},
				{Type: "image/jpeg", Schema: operation.Binary},
				{Type: "application/json", Schema: operation.A[stills]()},
			}},
		},
		Refusals: []operation.Refusal{
			operation.On(400, "The movie or a parameter is refused as it is: the message says what to change.",
				"asset_failed", "aws_keys_in_movie", "azure_keys_in_movie", "body_unreadable", "element_invalid", "fetch_invalid",
				"format_invalid", "google_keys_in_movie", "html_failed", "html_too_large", "html_unavailable",
				"invalid_movie_status", "movie_duration_zero", "movie_expansion_too_large", "movie_invalid", "movie_json_invalid",
				"movie_json_missing", "movie_json_not_object", "movie_json_too_complex", "movie_json_too_deep", "movie_limits",
				"movie_too_complex",
				"movie_too_long", "movie_too_many_elements", "movie_too_many_scenes", "prompt_too_long", "size_invalid",
				"svg_unavailable", "template_chain_too_long", "template_circle", "template_secret_used", "time_invalid"),
			operation.On(401, "The key is missing or not valid, or the plan does not allow a movie of this size.",
				"movie_too_large"),
			operation.On(403, "The key's role is below the one that is needed, the account may not do this now, or its plan allows no "+
				"more previews in this hour.", "account_closed", "account_suspended", "preview_quota"),
			operation.On(404, "The template or movie that is referred to is unknown, or another account's.",
				"movie_not_found", "template_not_found"),
			operation.On(409, "A newer request of the account has taken the place of this one.", "preview_replaced"),
			operation.On(413, "The body is over 2 MB (2,097,152 bytes).", "movie_json_too_large"),
			operation.On(503, "Nothing can be drawn now: too much is under way, it took too long, or this process has no "+
				"renderer.", "preview_too_slow", "preview_unavailable"),
		},
	}
	cancelMovie = operation.Operation{
		Method: http.MethodPost, Path: "/v2/movies/cancel", ID: "cancelMovie", Tag: "Movies", Role: key.Render,
		Summary: "End a movie that waits or renders",
		Text: "Its status becomes error with the message `Movie was cancelled`; the credits held for it are released; its webhooks " +
			"run.",
		Parameters: []operation.Parameter{operation.Query("project", "The movie.", operation.ShortID), idParameter},
		Answers:    operation.OK("It will not be rendered.", operation.A[cancelled]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The project is missing or malformed.", "project_ambiguous", "project_invalid"),
			operation.On(404, "Unknown, or another account's.", "movie_not_found"),
			operation.On(409, "It has finished or timed out.", "movie_already_finished"),
		},
	}
	getMovieEvents = operation.Operation{
		Method: http.MethodGet, Path: "/v2/movies/events", ID: "getMovieEvents", Tag: "Movies", Role: key.Viewer,
		Summary:    "The whole history of one movie",
		Parameters: []operation.Parameter{operation.Query("project", "The movie.", operation.ShortID), idParameter},
		Answers:    operation.OK("All that happened, oldest first.", operation.A[history]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The project is missing or malformed.", "project_ambiguous", "project_invalid"),
			operation.On(404, "Unknown, or another account's.", "movie_not_found"),
		},
	}
	followMovie = operation.Operation{
		Method: http.MethodGet, Path: "/v2/movies/progress", ID: "followMovie", Tag: "Movies", Role: key.Viewer,
		Summary: "Follow a movie until its end",
		Text: "Server-sent events: `progress` at every change of a movie, `end` once it is closed; after the last of the movies the " +
			"stream ends. A comment comes when it is quiet. The stream also ends after 30 minutes and when the server stops: open " +
			"another.",
		Parameters: []operation.Parameter{
			operation.Query("project", "The movie. Given several times: up to 100 movies in one stream.",
				operation.List(operation.ShortID), operation.Most(100)),
			operation.Query("all", "true: all movies of the account that are open, and those that come later; not beside project. Such "+
				"a stream does not end with a movie.", operation.Enum("true", "false")),
			idParameter,
		},
		Answers: []operation.Answer{
			{Status: 200, Text: "The stream.",
				Contents: []operation.Content{{Type: "text/event-stream",
					Schema: operation.Stream("The data of each event is a Moment, as JSON.", "text/event-stream",
						operation.Ref("Moment")),
					Example: `"id: 1\nevent: progress\n` +
						`data: {\"project\":\"aBcDeFgHiJkLmNoP\",\"status\":\"running\",\"success\":true,\"progress\":42,\"message\":\"\"}\n\n"`}}},
		},
		Refusals: []operation.Refusal{
			operation.On(400, "The project is missing or malformed.", "all_invalid", "project_ambiguous", "project_count",
				"project_invalid"),
			operation.On(404, "Unknown, or another account's.", "movie_not_found"),
			operation.On(503,
				"Too many streams are open: poll GET /movies instead. Or a part of the service does not answer.",
				"too_many_streams"),
		},
	}
	redeliverMovie = operation.Operation{
		Method: http.MethodPost, Path: "/v2/movies/redeliver", ID: "redeliverMovie", Tag: "Movies", Role: key.Render,
		Summary: "Run the destinations of a movie again",
		Text:    "The new result replaces the entry of its index in destinations_result.",
		Parameters: []operation.Parameter{
			operation.Query("project", "The movie.", operation.ShortID),
			idParameter,
			operation.Query("index", "Position of one destination; left out: all of them.", operation.Integer, operation.Min(0)),
		},
		Answers: operation.OK("The delivery is open again.", operation.A[redelivered]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The project is malformed, or the movie has no such destination.", "index_invalid",
				"no_destinations", "project_ambiguous", "project_invalid"),
			operation.On(404, "Unknown, or another account's.", "movie_not_found"),
			operation.On(409, "A delivery is open, or the movie has not ended.", "delivery_in_progress", "movie_still_rendering"),
		},
	}
)
