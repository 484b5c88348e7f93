package admin

import (
	"net/http"

	"moviola/domain/plan"
	"moviola/handlers/http/web"
)

// Plan is a plan in an answer.
type Plan struct {
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
}

// Plans is the answer of GET /admin/plans.
type Plans struct {
	Success bool   `json:"success"`
	Count   int    `json:"count"`
	Plans   []Plan `json:"plans"`
}

func showPlan(p plan.Plan) Plan {
	return Plan{
		Name: p.Name, Counted: p.Counted, LengthSeconds: p.Length.Seconds(), PackLengthSeconds: p.LongestFor(true).Seconds(),
		Width: p.Width, Height: p.Height, Movies: p.Movies, Drafts: p.Drafts, EmailRecipients: p.Recipients(),
		PreviewsPerHour: p.PreviewsAnHour(), Outputs: p.Outputs,
	}
}

// listPlans serves GET /admin/plans.
func (a *API) listPlans(w http.ResponseWriter, _ *http.Request) error {
	answer := Plans{Success: true, Plans: []Plan{}}
	for _, name := range a.cfg.Offered.Names() {
		answer.Plans = append(answer.Plans, showPlan(a.cfg.Offered.Of(name)))
	}
	answer.Count = len(answer.Plans)
	return web.Write(w, http.StatusOK, answer)
}
