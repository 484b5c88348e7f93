package movies

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// status is the movie status object. Spec: Movie status object; decision 12.
type status struct {
	Success            bool            `json:"success"`
	Status             string          `json:"status"`
	Message            string          `json:"message"`
	Project            string          `json:"project"`
	ID                 *string         `json:"id"`
	URL                *string         `json:"url"`
	Thumbnail          *string         `json:"thumbnail"`
	ASS                *string         `json:"ass"`
	CreatedAt          string          `json:"created_at"`
	StartedAt          *string         `json:"started_at"`
	EndedAt            *string         `json:"ended_at"`
	DeletedAt          *string         `json:"deleted_at,omitempty"`
	Progress           int             `json:"progress"`
	Duration           *float64        `json:"duration"`
	Width              *int            `json:"width"`
	Height             *int            `json:"height"`
	Size               *int64          `json:"size"`
	Loudness           *movie.Loudness `json:"loudness"`
	RenderingTime      *float64        `json:"rendering_time"`
	ConsumedCredits    int64           `json:"consumed_credits"`
	Draft              bool            `json:"draft"`
	ClientData         json.RawMessage `json:"client-data"`
	Warnings           []string        `json:"warnings"`
	DestinationsResult []destination   `json:"destinations_result"`
	Outputs            []result.Output `json:"outputs,omitempty"`
}

// destination is a destination result entry. Spec: Destination result entry.
type destination struct {
	Index      int    `json:"index"`
	Type       string `json:"type"`
	ID         string `json:"id"`
	Status     string `json:"status"`
	HTTPStatus int    `json:"http_status"`
	Attempts   int    `json:"attempts"`
	Message    string `json:"message"`
	DurationMS int64  `json:"duration_ms"`
	At         string `json:"at"`
}

// statusOf returns the status object of a movie. It reads the client's id and data from the movie's document. Unless simple is
// set, the status object includes the whole document.
func (a *API) statusOf(ctx context.Context, m projections.Movie, simple bool) ([]byte, error) {
	doc, err := a.document(ctx, m, simple)
	if err != nil {
		return nil, err
	}
	m, percent, err := a.standing(ctx, m)
	if err != nil {
		return nil, err
	}
	s := describe(m, a.cfg.PublicURL, a.cfg.Tokens)
	s.ClientData = doc.echo.ClientData
	if doc.echo.ID != "" {
		s.ID = &doc.echo.ID
	}
	s.Progress = percent
	encoded, err := web.JSON(s)
	if err != nil {
		return nil, fmt.Errorf("encode movie %s: %w", m.Project, err)
	}
	if !simple {
		encoded = withMember(encoded, "json", doc.json)
	}
	return encoded, nil
}

// describe makes a status object from the read model.
func describe(m projections.Movie, base string, tokens result.Tokens) status {
	s := status{
		Success: m.Status != projections.StatusError && m.Status != projections.StatusTimeout,
		Status:  m.Status, Message: m.Message, Project: m.Project,
		CreatedAt: web.Stamp(m.CreatedAt), StartedAt: web.StampOrNull(m.StartedAt), EndedAt: web.StampOrNull(m.EndedAt),
		DeletedAt: web.StampOrNull(m.DeletedAt), ConsumedCredits: m.Credits, Draft: m.Draft, Warnings: m.Warnings,
		DestinationsResult: destinations(m.Deliveries),
	}
	if s.Warnings == nil {
		s.Warnings = []string{}
	}
	if m.StartedAt != nil && m.EndedAt != nil {
		// Seconds() could give a number such as 1.1219999999999999, which JSON would show
		took := float64(m.EndedAt.Sub(*m.StartedAt).Milliseconds()) / 1000
		s.RenderingTime = &took
	}
	if m.File != nil {
		s.Size, s.Loudness = &m.File.Size, m.File.Loudness
		describePlan(&s, m.Plan)
	}
	s.Outputs = tokens.OutputsOf(base, domain.ProjectID(m.Project), m.File, m.Gone, m.Outputs)
	if m.File != nil && !m.Gone {
		at := tokens.AddressesOf(base, domain.ProjectID(m.Project), m.File)
		s.URL = &at.Movie
		if at.Thumbnail != "" {
			s.Thumbnail = &at.Thumbnail
		}
		if at.Subtitles != "" {
			s.ASS = &at.Subtitles
		}
	}
	return s
}

// describePlan sets the length and the size of the finished video in a status object.
func describePlan(s *status, plan *movie.Dimensions) {
	if plan == nil {
		return
	}
	duration := result.Duration(*plan)
	s.Duration, s.Width, s.Height = &duration, &plan.Width, &plan.Height
}

// destinations returns the results of the destinations in the form of an answer; nil until the first destination has its final
// result. Decision 33.
func destinations(results []projections.DeliveryResult) []destination {
	var list []destination
	for _, r := range results {
		list = append(list, destination{
			Index: r.Index, Type: r.Type, ID: r.ID, Status: r.Status, HTTPStatus: r.HTTPStatus, Attempts: r.Attempts,
			Message: r.Message, DurationMS: r.DurationMS, At: web.Stamp(r.At),
		})
	}
	return list
}

// standing returns a movie's state and the rendered percentage, 0 to 100. A worker that finishes appends its event first
// and then leaves the presence board. So when the board has no row of the current attempt, standing reads the movie once
// more.
func (a *API) standing(ctx context.Context, m projections.Movie) (projections.Movie, int, error) {
	percent, known, err := a.progress(ctx, m)
	if known || err != nil {
		return m, percent, err
	}
	now, ok, err := a.cfg.Movies.Get(ctx, domain.ProjectID(m.Project))
	if err != nil || !ok {
		return m, 0, err
	}
	percent, _, err = a.progress(ctx, now)
	return now, percent, err
}

// progress returns the rendered percentage, 0 to 100, that the worker has written last. known is false when the presence
// board has no percentage of the current attempt.
func (a *API) progress(ctx context.Context, m projections.Movie) (percent int, known bool, err error) {
	switch {
	case m.Status == projections.StatusDone:
		return 100, true, nil
	case m.Closed || m.Attempt == 0:
		return 0, true, nil
	}
	presence, ok, err := a.cfg.Presence.Of(ctx, projections.WorkRender+"/"+m.Project)
	if err != nil {
		return 0, false, fmt.Errorf("read the progress of movie %s: %w", m.Project, err)
	}
	if !ok || presence.Attempt != m.Attempt {
		return 0, false, nil
	}
	return min(max(int(presence.Percent), 0), 99), true, nil
}

// document returns the JSON that was posted for a movie, with the secrets of destinations masked (decision 30). With
// echoOnly, the caller may use only the field echo of the result, which has the client's own values. If the stored JSON is
// missing or damaged, the result is JSON null, so that one movie does not break a list.
func (a *API) document(ctx context.Context, m projections.Movie, echoOnly bool) (posted, error) {
	key := blobkey.Document(domain.AccountID(m.Account), domain.ProjectID(m.Project))
	if doc, ok := a.documents.get(key); ok {
		return doc, nil
	}
	if echoOnly {
		if doc, ok := a.echoes.get(key); ok {
			return doc, nil
		}
	}
	raw, err := readDocument(ctx, a.cfg.Files, key)
	if errors.Is(err, commands.ErrDamaged) {
		a.cfg.Log.WithError(err).WithField("project", m.Project).Error("stored JSON of a movie cannot be read; the answer " +
			"shows null in its place")
	}
	if errors.Is(err, commands.ErrFileNotFound) || errors.Is(err, commands.ErrDamaged) {
		none := json.RawMessage("null")
		return posted{json: none, echo: result.ReadEcho(none)}, nil
	}
	if err != nil {
		return posted{}, fmt.Errorf("read the document of movie %s: %w", m.Project, err)
	}
	doc := posted{json: raw, echo: result.ReadEcho(raw)}
	if echoOnly {
		a.echoes.put(key, posted{echo: doc.echo})
	} else {
		a.documents.put(key, doc)
	}
	return doc, nil
}

// readDocument returns a stored document without secrets and without whitespace between values.
func readDocument(ctx context.Context, files Files, key string) (json.RawMessage, error) {
	file, err := files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	// A byte order mark is accepted at submission, but is invalid inside an answer.
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if raw = document.Sound(raw); !json.Valid(raw) {
		return nil, fmt.Errorf("read %s: %w: it is no JSON", key, commands.ErrDamaged)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document.Redact(raw, commands.SecretVariables(file)...)); err != nil {
		return nil, err
	}
	return compact.Bytes(), nil
}
