package admin

import (
	"net/http"

	"moviola/domain/plan"
	"moviola/handlers/http/web"
)

// PlanAnswer is a plan in an answer.
type PlanAnswer struct {
	Name              string  `json:"name"`
	Counted           bool    `json:"counted"`
	LengthSeconds     float64 `json:"length_seconds"`
	PackLengthSeconds float64 `json:"pack_length_seconds"`
	Width             int     `json:"width"`
	Height            int     `json:"height"`
	Movies            int64   `json:"movies"`
	Drafts            int64   `json:"drafts"`
	EmailRecipients   int     `json:"email_recipients"`
	PreviewsPerHour   int     `json:"previews_per_hour"`
	Outputs           int     `json:"outputs"`
	// HistorySeconds is how long events of accounts on the plan stay in the log before they are archived; 0: for ever; nil: as long
	// as the installation says. Decision 96.
	HistorySeconds *float64 `json:"history_seconds"`
}

// PlansAnswer is the answer of GET /admin/plans.
type PlansAnswer struct {
	Success bool         `json:"success"`
	Count   int          `json:"count"`
	Plans   []PlanAnswer `json:"plans"`
}

func showPlan(p plan.Plan) PlanAnswer {
	shown := PlanAnswer{
		Name: p.Name, Counted: p.Counted, LengthSeconds: p.Length.Seconds(), PackLengthSeconds: p.LongestFor(true).Seconds(),
		Width: p.Width, Height: p.Height, Movies: p.Movies, Drafts: p.Drafts, EmailRecipients: p.Recipients(),
		PreviewsPerHour: p.PreviewsAnHour(), Outputs: p.Outputs,
	}
	if p.History != 0 {
		seconds := p.Kept(0).Seconds()
		shown.HistorySeconds = &seconds
	}
	return shown
}

// listPlans serves GET /admin/plans.
func (a *API) listPlans(w http.ResponseWriter, _ *http.Request) error {
	answer := PlansAnswer{Success: true, Plans: []PlanAnswer{}}
	for _, name := range a.cfg.Offered.Names() {
		answer.Plans = append(answer.Plans, showPlan(a.cfg.Offered.Of(name)))
	}
	answer.Count = len(answer.Plans)
	return web.Write(w, http.StatusOK, answer)
}
