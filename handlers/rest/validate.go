package rest

import (
	"errors"
	"net/http"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/handlers/access"
	"moviola/handlers/web"
)

// validation is what would become of a movie, as far as its JSON tells. Decision 32.
type validation struct {
	Success  bool      `json:"success"`
	Valid    bool      `json:"valid"` // it would be accepted, and nothing in it is known to fail
	Errors   []mistake `json:"errors"`
	Warnings []string  `json:"warnings"`
	Width    *int      `json:"width"`
	Height   *int      `json:"height"`
	FPS      *float64  `json:"fps"`
	Draft    *bool     `json:"draft"`
	// Duration and Credits are those of the finished movie when Exact; otherwise they grow by what its sources turn out to last.
	Duration  *float64  `json:"duration"`
	Credits   *int64    `json:"credits"`
	Exact     *bool     `json:"exact"`
	Timeline  *schedule `json:"timeline"`
	Timestamp string    `json:"timestamp"`
}

// mistake is why a movie would be refused, or would end with status error.
type mistake struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// schedule says when everything is shown.
type schedule struct {
	Scenes   []sceneTime   `json:"scenes"`
	Elements []elementTime `json:"elements"` // of the movie itself
}

type sceneTime struct {
	Scene int    `json:"scene"` // from 1
	ID    string `json:"id"`
	spanTime
	Elements []elementTime `json:"elements"`
}

type elementTime struct {
	Element int    `json:"element"` // from 1
	Type    string `json:"type"`
	ID      string `json:"id"`
	spanTime
}

// spanTime is a stretch of time in seconds from the movie's start. Exact: no source can move it.
type spanTime struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Exact bool    `json:"exact"`
}

// validateMovie serves POST /movies/validate. Nothing is stored and nothing is charged. A movie that is wrong is a good question:
// only a body that cannot be read is refused.
func (a *API) validateMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := web.ReadBody(w, r, maxMovieBytes, errTooLarge)
	if err != nil {
		return err
	}
	markDeprecated(w.Header(), body)
	answer := validation{Success: true, Errors: []mistake{}, Warnings: []string{}, Timestamp: web.Stamp(a.now())}
	m, err := a.cfg.Submit.Preview(r.Context(), c.Account, body)
	if m != nil {
		answer.describe(m)
	}
	if err == nil {
		err = answer.check(m)
	}
	var refusal *domain.Error
	switch {
	case err == nil:
	case !errors.As(err, &refusal) || refusal.Kind == domain.Internal:
		return err
	default:
		answer.Errors = append(answer.Errors, mistake{Message: refusal.Message, Code: refusal.Code})
	}
	answer.Valid = len(answer.Errors) == 0
	return web.Write(w, http.StatusOK, answer)
}

// check finds the first mistake that would end the movie's render, and notes one that keeps it from being delivered.
func (v *validation) check(m *document.Movie) error {
	if err := document.CheckDestinations(m); err != nil {
		var refusal *domain.Error
		if errors.As(err, &refusal) {
			v.Errors = append(v.Errors, mistake{Message: refusal.Message, Code: refusal.Code})
		}
	}
	if err := document.Validate(m); err != nil {
		return err
	}
	// Without its sources, only some movies can be laid out; an error that is no mistake of the movie says that this one cannot.
	plan, err := timeline.Lay(m, nil)
	var refusal *domain.Error
	switch {
	case err == nil:
		v.Warnings = append([]string{}, plan.Warnings...)
	case *v.Exact && errors.As(err, &refusal):
		return err
	}
	return nil
}

// describe fills in what the JSON says of the finished movie.
func (v *validation) describe(m *document.Movie) {
	v.Warnings = append(v.Warnings, m.Warnings...)
	short, long := bounds(m)
	frames := m.FPS.Frame(short.Length)
	duration, credits := m.FPS.Seconds(frames).Float(), m.FPS.Credits(frames)
	fps, exact := m.FPS.Seconds(1).Float(), short.Length.Equal(long.Length) && !m.Waits()
	fps = 1 / fps
	v.Width, v.Height, v.FPS, v.Draft = &m.Width, &m.Height, &fps, &m.Draft
	v.Duration, v.Credits, v.Exact = &duration, &credits, &exact
	v.Timeline = &schedule{Scenes: []sceneTime{}, Elements: elementTimes(m.FPS, m.Elements, short.Elements, long.Elements)}
	for i, scene := range m.Scenes {
		v.Timeline.Scenes = append(v.Timeline.Scenes, sceneTime{
			Scene: scene.Number, ID: scene.ID, spanTime: spanOf(m.FPS, short.Scenes[i], long.Scenes[i]),
			Elements: elementTimes(m.FPS, scene.Elements, short.SceneElements[i], long.SceneElements[i]),
		})
	}
}

// bounds lays a movie out twice: with sources that last no time at all, and with very long ones. What is the same in both follows
// from the JSON alone.
func bounds(m *document.Movie) (short, long document.Timing) {
	const veryLong = 24 * 3600
	short = document.Time(m, func(string) (document.Seconds, bool) { return document.Seconds{}, false })
	long = document.Time(m, func(string) (document.Seconds, bool) { return document.SecondsOf(veryLong), true })
	return short, long
}

func elementTimes(fps document.Rate, elements []document.Element, short, long []document.Span) []elementTime {
	times := make([]elementTime, 0, len(elements))
	for i, e := range elements {
		times = append(times, elementTime{Element: e.Ref.Element, Type: e.Ref.Type, ID: e.ID, spanTime: spanOf(fps, short[i], long[i])})
	}
	return times
}

// spanOf is a stretch of time on the movie's frames. Decision 28.
func spanOf(fps document.Rate, short, long document.Span) spanTime {
	return spanTime{
		Start: fps.Seconds(fps.Frame(short.Start)).Float(), End: fps.Seconds(fps.Frame(short.End)).Float(),
		Exact: short.Start.Equal(long.Start) && short.End.Equal(long.End),
	}
}
