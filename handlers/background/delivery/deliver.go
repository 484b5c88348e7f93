package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/background/claims"
	"moviola/handlers/background/submitted"
	"moviola/projections"
)

// Deliver sends a closed movie to those of its destinations that have no final result yet, one after the other. After the
// claim it usually ends in one of three ways: every destination has a result, the claim was released, or another worker
// has taken the claim. log is a logger whose lines name the movie.
func (p *Deliverer) Deliver(ctx context.Context, task projections.Task, log logrus.FieldLogger) error {
	project := domain.ProjectID(task.Subject)
	guard := p.config.Watch.Open(project, claims.EndsDelivery)
	defer guard.Close()
	claim, err := p.claim(ctx, project, task)
	if err != nil {
		return err
	}
	ctx, stop := guard.Claimed(ctx, claim.Run, p.config.Worker)
	defer stop()
	shown := p.config.Board.Appear(task.ID, claim.Run, claims.Untold)
	defer shown.End()

	now := p.config.Now()
	d := delivery{Deliverer: p, log: log, project: project, claim: claim, time: &spending{now: p.config.Now}, confirmed: now}
	err = d.run(ctx)
	if err == nil || errors.Is(err, commands.ErrNothingToDo) {
		return err
	}
	if errors.Is(context.Cause(ctx), claims.ErrLost) {
		return claims.ErrLost
	}
	return d.release(err)
}

func (p *Deliverer) claim(
	ctx context.Context, project domain.ProjectID, task projections.Task,
) (deliveries.DeliveryClaim, error) {
	ctx, cancel := claims.Grace(ctx, p.limits.Release)
	defer cancel()
	return p.config.Commands.StartDelivery.Handle(ctx, deliveries.StartDelivery{
		Project: project, Worker: p.config.Worker, Dead: task.Dead, Death: task.Death,
	})
}

// delivery is one run over the destinations of one movie.
type delivery struct {
	*Deliverer
	log     logrus.FieldLogger // logger whose lines name the movie
	project domain.ProjectID
	claim   deliveries.DeliveryClaim
	time    *spending // time of this run that counts towards the time limit
	payload []byte
	facts   connection.Facts // values of the macros in destinations

	confirmed time.Time // when a read of the log has last confirmed the claim
}

func (d *delivery) run(ctx context.Context) error {
	// Design §4: a receiver that queries the movie at once must find it closed.
	if err := d.config.Visible.WaitFor(ctx, d.claim.Position); err != nil {
		return fmt.Errorf("wait for the read models: %w", err)
	}
	destinations, err := d.destinations(ctx)
	if err != nil {
		return err
	}
	var damaged error
	for _, index := range d.claim.Order {
		err := d.serve(ctx, index, d.claim.Destinations[index], destinations[index])
		// A damaged file waits for the operator, maybe for days: destinations behind it, which may not need the file, do not.
		if errors.Is(err, commands.ErrFileDamaged) {
			damaged = errors.Join(damaged, err)
		} else if err != nil {
			return err
		}
	}
	if damaged != nil || len(d.claim.Order) > 0 { // the last try at the last destination has ended the delivery
		return damaged
	}
	return d.recorded(ctx, func(ctx context.Context) error {
		_, err := d.config.Commands.FinishDelivery.Handle(ctx, deliveries.FinishDelivery{
			Project: d.project, Worker: d.config.Worker, Run: d.claim.Run,
		})
		return err
	})
}

// destination is one destination of a movie. problem is the reason why nothing can be sent to the destination; empty: there
// is none.
type destination struct {
	document.Destination
	problem string
}

// destinations returns one element for each destination that the submission had, in the same order.
func (d *delivery) destinations(ctx context.Context) ([]destination, error) {
	all := make([]destination, len(d.claim.Destinations))
	raw, err := d.config.Documents.Read(ctx, d.claim.Account, d.project, d.claim.DocumentHash)
	if err != nil && !errors.Is(err, submitted.ErrChanged) && !errors.Is(err, commands.ErrFileNotFound) {
		return nil, err
	}
	var found []document.Destination
	if err == nil {
		found, err = parseDestinations(raw)
	}
	problem := "The destinations could not be read"
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		problem = refusal.Message
	} else if err != nil {
		d.log.WithError(err).Error("stored destinations of a movie cannot be read; each ends " +
			"with an error")
	}
	for i := range all {
		if i < len(found) {
			all[i].Destination = found[i]
		} else {
			all[i].problem = problem
		}
	}
	d.payload, err = d.announcement(raw)
	d.facts = connection.Facts{At: d.claim.ClosedAt, Source: string(d.project) + result.MovieExtension,
		VideoURL: d.addresses().Movie}
	return all, err
}

func parseDestinations(raw []byte) ([]document.Destination, error) {
	m, err := document.Parse(raw)
	if err != nil {
		return nil, err
	}
	return document.Destinations(m)
}

// announcement makes the payload of the movie's webhooks.
func (d *delivery) announcement(raw []byte) ([]byte, error) {
	return result.Payload(result.Ended{
		Project: d.project, Echo: result.ReadEcho(document.Sound(raw)), Success: d.claim.Success, Message: d.claim.Message,
		Plan: d.claim.Plan, File: d.claim.File, Addresses: d.addresses(), Outputs: d.outputs(),
	})
}

// addresses returns the present addresses of the movie's files.
func (d *delivery) addresses() result.Addresses {
	if d.claim.FileGone {
		return result.Addresses{}
	}
	return d.config.Tokens.AddressesOf(d.config.PublicURL, d.project, d.claim.File)
}

// outputs returns the outputs of the movie other than its MP4.
func (d *delivery) outputs() []result.Output {
	if d.claim.File == nil {
		return nil
	}
	return d.config.Tokens.OutputsOf(d.config.PublicURL, d.project, d.claim.File, d.claim.FileGone, d.claim.File.Outputs)
}

// confirmAfter is how long a confirmation of the claim by the log is valid for sending. It is well below the time without a sign
// of life after which another worker takes the claim.
const confirmAfter = 3 * time.Second

// confirm checks in the log that this run still has the claim, unless that was confirmed less than confirmAfter ago. A
// process that was suspended does not know how much time has passed. When a later run has the claim, confirm returns
// ErrNothingToDo and this run sends nothing more; only a transfer that is already running cannot be taken back.
func (d *delivery) confirm(ctx context.Context) error {
	if d.config.Now().Sub(d.confirmed) < confirmAfter {
		return nil
	}
	asked := d.config.Now()
	m := movie.New(d.project)
	if _, err := d.config.Log.CatchUp(ctx, movie.Stream(d.project), eventstore.Appended{Revision: eventstore.NoStream},
		m.Apply); err != nil {
		return fmt.Errorf("confirm run %d of %s: %w", d.claim.Run, d.project, err)
	}
	if _, there := m.Submitted(); !there { // the movie exists, so a read without its first event comes from a node that lags
		return fmt.Errorf("confirm run %d of %s: %w", d.claim.Run, d.project, eventstore.ErrUnavailable)
	}
	if m.DeliveryClaim() != (movie.Claim{Number: d.claim.Run, Worker: d.config.Worker}) {
		return commands.ErrNothingToDo
	}
	d.confirmed = asked
	return nil
}

// record appends the result of one try at a destination to the log.
func (d *delivery) record(ctx context.Context, try movie.DeliveryAttempted) error {
	spent := d.time.untold()
	try.Run, try.Spent = d.claim.Run, movie.SpentOf(spent)
	asked := d.config.Now()
	defer func() { d.confirmed = asked }()
	err := d.recorded(ctx, func(ctx context.Context) error {
		_, err := d.config.Commands.RecordDelivery.Handle(ctx, deliveries.RecordDelivery{
			Project: d.project, Worker: d.config.Worker, Attempt: try, Known: d.claim.Known,
		})
		return err
	})
	if err == nil {
		d.time.told += spent
	}
	return err
}

// recorded retries a command until it succeeds or finds nothing to do, because a completed try must be recorded. When ctx
// ends, it goes on for at most the time Limits.Release.
func (d *delivery) recorded(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := claims.Grace(ctx, d.limits.Release)
	defer cancel()
	return claims.UntilDone(ctx, do, func(err error) {
		d.log.WithError(err).WithField("run", d.claim.Run).Warn("result of a try, or end of a delivery, not written to the log; " +
			"trying again")
	})
}

// release releases the claim of the run, so that the next run continues with the remaining
// destinations.
func (d *delivery) release(why error) error {
	ctx, cancel := context.WithTimeout(context.Background(), d.limits.Release)
	defer cancel()
	_, err := d.config.Commands.ReleaseDelivery.Handle(ctx, deliveries.ReleaseDelivery{
		Project: d.project, Worker: d.config.Worker, Run: d.claim.Run, Spent: d.time.untold(),
	})
	if errors.Is(err, commands.ErrNothingToDo) {
		return err
	}
	if err != nil {
		err = fmt.Errorf("release run %d: %w", d.claim.Run, err)
	}
	return errors.Join(why, err)
}
