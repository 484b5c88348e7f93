package movies

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// validation is the answer of POST /movies/validate: the expected result of a submission, as far as the movie's JSON tells.
// Decision 32.
type validation struct {
	Success bool `json:"success"`
	Valid   bool `json:"valid"` // a submission would be accepted, and no certain failure was found
	// Errors are the findings of severity error. Each has the code of the error that it would cause: of the refusal of
	// the movie, or of its failed render.
	Errors   []finding `json:"errors"`
	Warnings []string  `json:"warnings"`
	Problems []finding `json:"problems"`
	Total    int       `json:"problems_total"`
	// Unchecked has sentences about parts that were not checked.
	Unchecked []string `json:"unchecked"`
	Width     *int     `json:"width"`
	Height    *int     `json:"height"`
	FPS       *float64 `json:"fps"`
	Draft     *bool    `json:"draft"`
	// Duration and Credits are those of the finished movie when Exact is set, unless its file is copied from the cache:
	// then it costs nothing. Otherwise they are usually lower bounds, because sources of unknown length are counted as 0.
	Duration  *float64  `json:"duration"`
	Credits   *int64    `json:"credits"`
	Exact     *bool     `json:"exact"`
	Timeline  *schedule `json:"timeline"`
	Timestamp string    `json:"timestamp"`
}

// finding is an error in the JSON, or a property that the render does not follow as given.
type finding struct {
	Pointer string `json:"pointer"` // place of the finding in the body or the template, as a JSON pointer (RFC 6901)
	// Line and Column are counted from 1, columns in characters; 0: the text is not available.
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Remedy   string `json:"remedy"`
	// id of the saved template, or of the earlier movie that is to be rendered again, in whose JSON the finding is;
	// empty: it is in the body of the request
	Template string `json:"template,omitempty"`
}

func findingOf(p lint.Problem) finding {
	return finding{
		Pointer: p.Pointer, Line: p.Line, Column: p.Column, Code: p.Code, Severity: string(p.Severity), Message: p.Message,
		Remedy:   p.Remedy,
		Template: p.Template,
	}
}

// schedule has the times at which each scene and element is shown.
type schedule struct {
	Scenes   []sceneTime   `json:"scenes"`
	Elements []elementTime `json:"elements"` // elements of the movie itself, outside of scenes
}

type sceneTime struct {
	Scene int    `json:"scene"` // number of the scene, from 1
	ID    string `json:"id"`
	spanTime
	Elements []elementTime `json:"elements"`
}

type elementTime struct {
	Element int    `json:"element"` // number of the element, from 1
	Type    string `json:"type"`
	ID      string `json:"id"`
	spanTime
}

// spanTime is a time range in seconds from the movie's start. Exact reports whether the range is independent of the lengths
// of sources.
type spanTime struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Exact bool    `json:"exact"`
}

// validateMovie serves POST /movies/validate. It stores nothing and charges nothing. An invalid movie is a result, not an
// error. Errors are, for example, a body that is too large or incomplete, and failures of the service.
func (a *API) validateMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := web.ReadBody(w, r, maxMovieBytes, errTooLarge)
	if err != nil {
		return err
	}
	markDeprecated(w.Header(), body)
	answer := validation{
		Success: true, Errors: []finding{}, Warnings: []string{}, Problems: []finding{}, Unchecked: []string{},
		Timestamp: web.Stamp(a.now()),
	}
	input, err := a.cfg.Submit.Preview(r.Context(), c.Account, body)
	if err != nil {
		return err
	}
	if a.cfg.Outside != nil {
		input.Outside = a.cfg.Outside.Of(r.Context(), c.Account)
	}
	if input.Movie != nil {
		answer.describe(input.Movie)
		answer.survey(a.cfg.Survey, r, &input)
	}
	report := lint.Check(input)
	if input.Outside.Failed != nil {
		if err := input.Outside.Failed(); err != nil {
			return err
		}
	}
	answer.take(report, input.Refused)
	return web.Write(w, http.StatusOK, answer)
}

// survey lays out the movie as far as possible without its sources.
func (v *validation) survey(surveyor Surveyor, r *http.Request, input *lint.Input) {
	if len(document.Sources(input.Movie)) > 0 {
		v.Unchecked = append(v.Unchecked, "The sources are not fetched: whether they are there, what they hold and how long they are")
	}
	if input.Movie.Waits() {
		v.Unchecked = append(v.Unchecked, "What depends on the lengths of sources or on the results of preloads")
	}
	if surveyor == nil {
		surveyor = fontless{}
	}
	survey := surveyor.Survey(r.Context(), input.Movie, *v.Exact)
	input.Notes = append(input.Notes, survey.Notes...)
	v.Unchecked = append(v.Unchecked, survey.Unchecked...)
	if input.Refused == nil && document.Validate(input.Movie) == nil {
		input.Refused = survey.Err
	}
}

// take adds the findings of a report. The error with which a submission would be refused comes first.
func (v *validation) take(report lint.Report, refused error) {
	v.Total = report.Total
	for _, p := range report.Problems {
		v.Problems = append(v.Problems, findingOf(p))
	}
	for _, p := range report.Errors() {
		one := findingOf(p)
		one.Message = p.Sentence()
		one.Code = cmp.Or(p.Refusal, "element_invalid")
		v.Errors = append(v.Errors, one)
	}
	var refusal *domain.Error
	if errors.As(refused, &refusal) {
		slices.SortStableFunc(v.Errors, func(a, b finding) int {
			return cmp.Compare(b.rank(refusal.Code), a.rank(refusal.Code))
		})
	}
	v.Warnings = append(v.Warnings, report.Warnings...)
	v.Valid = len(v.Errors) == 0
}

// describe sets the properties of the finished movie, as far as the JSON tells.
func (v *validation) describe(m *document.Movie) {
	o := document.OutlookOf(m)
	short, long := o.Short, o.Long
	fps := 1 / m.FPS.Seconds(1).Float()
	v.Width, v.Height, v.FPS, v.Draft = &m.Width, &m.Height, &fps, &m.Draft
	v.Duration, v.Credits, v.Exact = &o.Duration, &o.Credits, &o.Exact
	v.Timeline = &schedule{Scenes: []sceneTime{}, Elements: elementTimes(m.FPS, m.Elements, short.Elements, long.Elements)}
	for i, scene := range m.Scenes {
		v.Timeline.Scenes = append(v.Timeline.Scenes, sceneTime{
			Scene: scene.Number, ID: scene.ID, spanTime: spanOf(m.FPS, short.Scenes[i], long.Scenes[i]),
			Elements: elementTimes(m.FPS, scene.Elements, short.SceneElements[i], long.SceneElements[i]),
		})
	}
}

func elementTimes(fps document.Rate, elements []document.Element, short, long []document.Span) []elementTime {
	times := make([]elementTime, 0, len(elements))
	for i, e := range elements {
		times = append(times, elementTime{Element: e.Ref.Element, Type: e.Ref.Type, ID: e.ID, spanTime: spanOf(fps, short[i], long[i])})
	}
	return times
}

// spanOf returns the time span short, with its ends moved to frames of the movie. short is computed with length 0 for
// sources whose length is not known, long with a very long length for them. When both are equal, the span does not
// depend on the sources, and the result is marked as exact. Decision 28.
func spanOf(fps document.Rate, short, long document.Span) spanTime {
	return spanTime{
		Start: fps.Seconds(fps.Frame(short.Start)).Float(), End: fps.Seconds(fps.Frame(short.End)).Float(),
		Exact: short.Start.Equal(long.Start) && short.End.Equal(long.End),
	}
}

// rank returns 1 for a finding with the given code, and 0 for all other findings. Findings are sorted by their rank.
func (f finding) rank(code string) int {
	if f.Code == code {
		return 1
	}
	return 0
}
