package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"moviola/domain/result"
)

// The names of tools that other tools name as the next call.
const (
	validateTool = "validate_movie"
	previewTool  = "preview_movie"
	renderTool   = "render_movie"
	statusTool   = "movie_status"
	cancelTool   = "cancel_movie"
)

const (
	// maxWait is the maximum time for which a call waits for the end of a movie.
	maxWait = 45 * time.Second
	// lookEvery is the time between two reads of a movie's state while a call waits for the end of the movie.
	lookEvery = time.Second
	// maxShown is the maximum number of problems in one reply.
	maxShown = 20
)

// movieArgument is the schema of a movie as an argument. The resources and the validation describe the movie's contents.
const movieArgument = `"movie": {"type": "object", "description": "The movie JSON, such as ` +
	`{\"resolution\":\"hd\",\"scenes\":[{\"duration\":3,\"elements\":[{\"type\":\"text\",\"text\":\"Hello\"}]}]}"}`

// costArguments are the schema of the arguments that every render has.
const costArguments = `"max_credits": {"type": "integer", "minimum": 1, "description": "The budget: the most credits that may ` +
	`be spent; a started second of video costs one credit"},
	"request_id": {"type": "string", "minLength": 1, "maxLength": 255, "description": "A name of your own for this render: ` +
	`calling again with the same name and movie makes nothing twice"}`

// projectArgument is the schema of the argument that names a submitted movie.
const projectArgument = `"project": {"type": "string", "description": "The project id that a render answered"}`

var movieTools = []tool{
	{
		name: validateTool, title: "Check a movie for mistakes", asks: []string{"POST /v2/movies/validate"}, run: validate,
		about: "Check a movie JSON for mistakes before it is rendered: all problems at once, each with a JSON pointer into the movie " +
			"and a remedy that says what to change; " +
			"then its size, length and price in credits. Costs nothing.",
		schema: `{"type": "object", "required": ["movie"], "additionalProperties": false, "properties": {` + movieArgument + `}}`,
	},
	{
		name: previewTool, title: "Look at a movie", asks: []string{"POST /v2/movies/still"}, run: preview,
		about: "Look at moments of a movie JSON as pictures before it is rendered. Costs nothing.",
		schema: `{"type": "object", "required": ["movie"], "additionalProperties": false, "properties": {` + movieArgument + `,
	"time": {"type": "array", "maxItems": 4, "items": {"type": "number", "minimum": 0}, "description": "Up to four moments, in ` +
			`seconds from the start; left out: that of the thumbnail"},
	"fetch": {"type": "boolean", "description": "Load pictures and videos that the movie names; otherwise what is not at hand has ` +
			`a placeholder"}}}`,
	},
	{
		name: renderTool, title: "Render a movie", asks: []string{"POST /v2/movies"}, changes: true, run: render,
		about: "Render a movie JSON to an MP4 video. Spends credits, never more than max_credits. Check the movie for mistakes first.",
		schema: `{"type": "object", "required": ["movie", "max_credits"], "additionalProperties": false, "properties": {` +
			movieArgument + `,
	` + costArguments + `}}`,
	},
	{
		name: statusTool, title: "See how far a movie is", asks: []string{"GET /v2/movies"}, run: status,
		about: "See how far a render is, and get the address of the finished video.",
		schema: `{"type": "object", "required": ["project"], "additionalProperties": false, "properties": {` + projectArgument + `,
	"wait": {"type": "number", "minimum": 0, "maximum": 45, "description": "How many seconds to wait for its end"}}}`,
	},
	{
		name: cancelTool, title: "Cancel a render", asks: []string{"POST /v2/movies/cancel"}, changes: true, run: cancel,
		about:  "Cancel a movie that waits or renders. It costs nothing then.",
		schema: `{"type": "object", "required": ["project"], "additionalProperties": false, "properties": {` + projectArgument + `}}`,
	},
	{
		name: "list_movies", title: "List movies", asks: []string{"GET /v2/movies"}, run: list,
		about: "List the movies of the account that were submitted before, the newest first.",
		schema: `{"type": "object", "additionalProperties": false, "properties": {
	"limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "How many; 10 when left out"},
	"next_token": {"type": "string", "description": "Of the answer before, for the page after it"}}}`,
	},
}

// problem is a finding of the validation.
type problem struct {
	Pointer  string `json:"pointer"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Remedy   string `json:"remedy"`
	Template string `json:"template,omitempty"`
}

// validate is the tool that checks a movie.
func validate(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct{ Movie json.RawMessage }
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	var found struct {
		Valid         bool
		Problems      []problem
		Total         int `json:"problems_total"`
		Unchecked     []string
		Width, Height *int
		Duration      *float64
		Credits       *int64
		Exact         *bool
	}
	if err := c.ask(ctx, http.MethodPost, "/v2/movies/validate", nil, given.Movie, &found); err != nil {
		return nil, err
	}
	r := &reply{facts: map[string]any{
		"valid": found.Valid, "problems": found.Problems[:min(len(found.Problems), maxShown)], "problems_total": found.Total,
		"unchecked": found.Unchecked,
		"width":     found.Width, "height": found.Height, "duration": found.Duration, "credits": found.Credits, "exact": found.Exact,
	}}
	switch {
	case found.Total > 0:
		r.next = "Apply the remedy of each problem at its pointer, and validate again. Warnings may stay when they are meant."
		r.call = &step{Tool: validateTool}
		if found.Valid {
			r.next += " The movie can be rendered as it is."
		}
	default:
		r.next = "Render it, or look at it first."
		r.call = &step{Tool: renderTool}
	}
	return r, nil
}

// preview is the tool that returns pictures of moments of a movie.
func preview(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct {
		Movie json.RawMessage
		Time  []float64
		Fetch bool
	}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	query := url.Values{"size": {"640"}, "format": {"jpg"}, "fetch": {strconv.FormatBool(given.Fetch)}}
	for _, seconds := range given.Time {
		query.Add("time", strconv.FormatFloat(seconds, 'f', -1, 64))
	}
	var drawn struct {
		Stills []struct {
			Time        float64
			ContentType string `json:"content_type"`
			Data        string
		}
		Duration float64
		Warnings []string
		Missing  []string
	}
	if err := c.ask(ctx, http.MethodPost, "/v2/movies/still", query, given.Movie, &drawn); err != nil {
		return nil, err
	}
	r := &reply{next: "Change the movie until the pictures are right, then render it.", call: &step{Tool: renderTool}}
	var times []float64
	for _, still := range drawn.Stills {
		picture, err := base64.StdEncoding.DecodeString(still.Data)
		if err != nil {
			return nil, fmt.Errorf("decode a preview: %w", err)
		}
		times = append(times, still.Time)
		r.pictures = append(r.pictures, &mcp.ImageContent{Data: picture, MIMEType: still.ContentType})
	}
	r.facts = map[string]any{"times": times, "duration": drawn.Duration, "warnings": drawn.Warnings, "missing": drawn.Missing}
	if len(drawn.Missing) > 0 && !given.Fetch {
		r.next = "What is missing has a placeholder: call again with fetch, or go on."
	}
	return r, nil
}

// render is the tool that makes a video.
func render(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct {
		Movie      json.RawMessage
		MaxCredits whole  `json:"max_credits"`
		RequestID  string `json:"request_id"`
	}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	return c.submit(ctx, given.Movie, given.MaxCredits, given.RequestID)
}

// submit submits a movie with the price limit most and the idempotency key requestID.
func (c caller) submit(ctx context.Context, movie []byte, most whole, requestID string) (*reply, error) {
	c.repeat = requestID
	var accepted struct{ Project string }
	query := url.Values{"max_credits": {strconv.FormatInt(int64(most), 10)}}
	if err := c.ask(ctx, http.MethodPost, "/v2/movies", query, movie, &accepted); err != nil {
		return nil, err
	}
	return &reply{
		facts: map[string]any{"project": accepted.Project},
		next:  "It is rendered now. Ask for its status, and wait for its end.",
		call:  &step{Tool: statusTool, Arguments: map[string]any{"project": accepted.Project, "wait": maxWait.Seconds()}},
	}, nil
}

// movie is the state of a movie.
type movie struct {
	Project   string   `json:"project"`
	Status    string   `json:"status"`
	Message   string   `json:"message,omitempty"`
	URL       *string  `json:"url,omitempty"`
	Thumbnail *string  `json:"thumbnail,omitempty"`
	Progress  int      `json:"progress"`
	Duration  *float64 `json:"duration,omitempty"`
	Credits   int64    `json:"consumed_credits"`
	Warnings  []string `json:"warnings,omitempty"`
	CreatedAt string   `json:"created_at"`
	// Outputs are the outputs of the movie other than its MP4.
	Outputs []result.Output `json:"outputs,omitempty"`
}

// ended reports whether a call stops waiting for the movie, because the movie is done, has failed or has timed out. A movie
// that has timed out may still finish later; the call does not wait for that.
func (m movie) ended() bool {
	return m.Status == "done" || m.Status == "error" || m.Status == "timeout"
}

// status is the tool that returns the state and progress of a movie.
func status(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct {
		Project string
		Wait    float64
	}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	m, err := c.await(ctx, given.Project, min(time.Duration(given.Wait*float64(time.Second)), maxWait))
	if err != nil {
		return nil, err
	}
	r := &reply{facts: map[string]any{"movie": m}}
	switch {
	case m.Status == "done" && m.URL != nil:
		r.next = "It is finished. Give the user the url: it needs no key."
	case m.Status == "done":
		r.next = "It was finished, and its file is not there any more: render it again if it is wanted."
	case m.Status == "timeout":
		r.next = "It took too long, and costs nothing. It may still finish: ask again later, or render a shorter movie."
	case m.ended():
		r.next = "It has failed and cost nothing. Mend what the message says, and render it again."
	default:
		r.next = "It is not finished yet. Ask again."
		r.call = &step{Tool: statusTool, Arguments: map[string]any{"project": given.Project, "wait": maxWait.Seconds()}}
	}
	return r, nil
}

// await reads a movie repeatedly until the movie has ended or timed out, or the time is over.
func (c caller) await(ctx context.Context, project string, wait time.Duration) (movie, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		var answer struct{ Movie movie }
		if err := c.ask(ctx, http.MethodGet, "/v2/movies", url.Values{"project": {project}}, nil, &answer); err != nil ||
			answer.Movie.ended() {
			return answer.Movie, err
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return answer.Movie, nil
		case <-ctx.Done():
			return answer.Movie, ctx.Err()
		}
	}
}

// cancel is the tool that ends a render.
func cancel(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct{ Project string }
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	var done struct{ Status string }
	if err := c.ask(ctx, http.MethodPost, "/v2/movies/cancel", url.Values{"project": {given.Project}}, nil, &done); err != nil {
		return nil, err
	}
	return &reply{facts: map[string]any{"project": given.Project, "status": done.Status},
		next: "It is cancelled. Nothing is left to do."}, nil
}

// list is the tool that lists movies.
func list(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	given := struct {
		Limit whole
		Token string `json:"next_token"`
	}{Limit: 10}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	query := url.Values{"limit": {strconv.Itoa(int(given.Limit))}, "format": {"simple"}}
	if given.Token != "" {
		query.Set("next_token", given.Token)
	}
	var found struct {
		Movies []movie
		Next   *string `json:"next_token"`
	}
	if err := c.ask(ctx, http.MethodGet, "/v2/movies", query, nil, &found); err != nil {
		return nil, err
	}
	r := &reply{facts: map[string]any{"movies": found.Movies, "next_token": found.Next},
		next: "Ask for the status of one by its project."}
	if found.Next != nil {
		r.next += " There are more: call again with next_token."
	}
	return r, nil
}
