package commands

import (
	"context"
	"fmt"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// PlanRender checks whether a movie may be encoded. It is handled when the movie's exact length and size are known.
type PlanRender struct {
	Account domain.AccountID
	Project domain.ProjectID
	Attempt int
	Counted bool // the movie is on a counted plan: it is not paid for in credits
	// MaxCredits is the maximum price that the client accepts; 0: any price.
	MaxCredits int64
	Plan       movie.Dimensions
}

// PlanRenderConfig is what NewPlanRenderHandler needs. Every field but Plans is required.
type PlanRenderConfig struct {
	Log     *eventstore.Log
	Ledgers *ledgers.Ledgers
	Plans   plan.Plans // zero: the built-in plans
	Now     func() time.Time
}

// PlanRenderHandler handles PlanRender.
type PlanRenderHandler struct {
	plans   *AccountPlans
	ledgers *ledgers.Ledgers
}

// NewPlanRenderHandler returns a handler.
func NewPlanRenderHandler(cfg PlanRenderConfig) PlanRenderHandler {
	return PlanRenderHandler{plans: NewAccountPlans(cfg.Log, cfg.Now, cfg.Plans), ledgers: cfg.Ledgers}
}

// Handle changes the hold to the exact price, or refuses the render with the *domain.Error that becomes the movie's message:
// the movie exceeds the account's plan (decision 17), or costs more than MaxCredits or than the available credits. On a
// counted plan it changes no hold. Other errors are those of Ledgers.ChangeHold and of reading the log. Design §5.
func (h PlanRenderHandler) Handle(ctx context.Context, cmd PlanRender) error {
	allowed, err := h.plans.Of(ctx, cmd.Account)
	if err != nil {
		return err
	}
	totals, err := h.ledgers.State(ctx, cmd.Account)
	if err != nil {
		return fmt.Errorf("look at the ledger of account %s: %w", cmd.Account, err)
	}
	if err := allowed.CheckSize(cmd.Plan.Width, cmd.Plan.Height); err != nil {
		return err
	}
	if err := allowed.CheckLength(cmd.Plan.Credits(), totals.Pack); err != nil {
		return err
	}
	if cmd.Counted {
		return nil
	}
	if err := plan.CheckCredits(cmd.Plan.Credits(), cmd.MaxCredits); err != nil {
		return err
	}
	_, err = h.ledgers.ChangeHold(ctx, ledgers.ChangeHold{
		Account: cmd.Account, Project: cmd.Project, Attempt: cmd.Attempt, Amount: cmd.Plan.Credits(),
	})
	return err
}
