package movies

import (
	"fmt"
	"net/http"

	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

type history struct {
	Success   bool             `json:"success"`
	Project   domain.ProjectID `json:"project"`
	Count     int              `json:"count"`
	Events    []pastEvent      `json:"events"`
	Timestamp string           `json:"timestamp"`
}

// pastEvent is one event of a movie in an answer. Fields that the event does not have are left out.
type pastEvent struct {
	Number   int64         `json:"number"` // number of the event, from 0
	Type     string        `json:"type"`
	At       string        `json:"at"`
	Status   string        `json:"status"`            // status of the movie after the event
	Request  string        `json:"request,omitempty"` // id of the request that has caused the event
	Worker   string        `json:"worker,omitempty"`
	Attempt  int           `json:"attempt,omitempty"`
	Success  *bool         `json:"success,omitempty"`
	Message  string        `json:"message,omitempty"`
	Credits  *int64        `json:"credits,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Delivery *pastDelivery `json:"delivery,omitempty"`
	// CachedFrom is the project of the movie whose file was copied.
	CachedFrom string     `json:"cached_from,omitempty"`
	Spent      *pastSpent `json:"spent,omitempty"`
}

// pastSpent is the time of a render, by what it was used for.
type pastSpent struct {
	TookMS        int64       `json:"took_ms"`
	FramesEncoded int64       `json:"frames_encoded"`
	FramesCached  int64       `json:"frames_cached"`
	Stages        []pastStage `json:"stages"`
}

type pastStage struct {
	Stage string `json:"stage"`
	MS    int64  `json:"ms"`
}

type pastDelivery struct {
	Run        int    `json:"run,omitempty"`
	Index      *int   `json:"index,omitempty"`
	Try        int    `json:"try,omitempty"`
	Final      bool   `json:"final,omitempty"`
	Type       string `json:"type,omitempty"`
	ID         string `json:"id,omitempty"`
	Status     string `json:"status,omitempty"`
	HTTPStatus int    `json:"http_status,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
}

// movieEvents serves GET /movies/events: all events of a movie, oldest first. Decision 32.
func (a *API) movieEvents(w http.ResponseWriter, r *http.Request, c access.Call) error {
	project, err := projectOf(c.Query)
	if err != nil {
		return err
	}
	entries, ok, err := a.cfg.History.History(r.Context(), c.Account, project)
	if err != nil {
		return fmt.Errorf("read the history of movie %s: %w", project, err)
	}
	if !ok {
		return errUnknown(project)
	}
	answer := history{Success: true, Project: project, Count: len(entries), Events: []pastEvent{}, Timestamp: web.Stamp(a.now())}
	for _, e := range entries {
		answer.Events = append(answer.Events, tell(e))
	}
	return web.Write(w, http.StatusOK, answer)
}

func tell(e projections.HistoryEntry) pastEvent {
	past := pastEvent{
		Number: e.Number, Type: e.Event, At: web.Stamp(e.At), Status: e.Status, Request: e.Correlation, Worker: e.Worker,
		Attempt: e.Attempt, Success: e.Success, Message: e.Message, Reason: e.Reason, CachedFrom: e.CachedFrom,
	}
	if s := e.Spent; s != nil {
		past.Spent = &pastSpent{TookMS: s.TookMS, FramesEncoded: s.FramesEncoded, FramesCached: s.FramesCached, Stages: []pastStage{}}
		for _, stage := range s.Stages {
			past.Spent.Stages = append(past.Spent.Stages, pastStage(stage))
		}
	}
	if e.Success != nil {
		past.Credits = &e.Credits
	}
	if d := e.Delivery; d != nil {
		past.Delivery = &pastDelivery{
			Run: d.Run, Index: d.Index, Try: d.Try, Final: d.Final, Type: d.Type, ID: d.ID, Status: d.Result,
			HTTPStatus: d.HTTPStatus, DurationMS: d.DurationMS,
		}
	}
	return past
}
