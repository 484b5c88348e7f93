package processors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain/account"
	"moviola/domain/connection"
	"moviola/domain/mailing"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// emailsADay is how many recipients alice's plan allows in these tests.
const emailsADay = 12

func somePlans() plan.Plans {
	paid := plan.Plans{}.Of(plan.Paid)
	paid.EmailRecipients = emailsADay
	plans, err := plan.New(paid)
	if err != nil {
		panic(err)
	}
	return plans
}

// email is a destination with so many recipients.
func email(recipients int) map[string]any {
	var to []any
	for i := range recipients {
		to = append(to, fmt.Sprintf("p%d@a.example", i))
	}
	return map[string]any{"type": "email", "to": to, "subject": "s", "message": "m"}
}

// written is how many recipients are counted for a day.
func (w *world) written(day time.Time) int {
	w.t.Helper()
	var d mailing.Day
	must(w.t, second(w.log().CatchUp(w.t.Context(), mailing.Stream(alice, day), eventstore.Appended{Revision: eventstore.NoStream}, d.Apply)))
	return d.Recipients()
}

// onPlan puts alice on another plan.
func (w *world) onPlan(name string) {
	w.t.Helper()
	must(w.t, second(w.log().Append(w.t.Context(), account.Stream(alice), 0, eventstore.Meta{Account: alice, Time: time.Now()},
		account.PlanChanged{Change: 1, Plan: name, At: time.Now()})))
}

// E-mail is a right of the plan. Decision 55.
func TestDeliver_EmailOfPlans(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]movie.DeliveryStatus{plan.Free: movie.DeliveryError, plan.Counted: movie.DeliveryOK, plan.Paid: movie.DeliveryOK} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				w.save("letters", connection.Email, map[string]any{"to": "a@a.example", "subject": "s", "message": "m"})
				if name != plan.Paid {
					w.onPlan(name)
				}
				project := w.submit(email(2), map[string]any{"id": "letters"}, webhook("https://a.example"))
				pr.do(render(project, 0))
				pr.do(deliver(project, 0))
				sent := 0
				if want == movie.DeliveryOK {
					sent = 2
				}
				for _, try := range w.tries(project)[:2] {
					if refused := strings.Contains(try.Message, "not part of the service plan"); try.Status != want || refused != (sent == 0) {
						t.Errorf("recorded %+v", try)
					}
				}
				if got := w.tries(project)[2]; got.Status != movie.DeliveryOK {
					t.Errorf("the webhook behind them: %+v", got)
				}
				if len(w.parcels.all()) != sent {
					t.Errorf("%d e-mails were sent, want %d", len(w.parcels.all()), sent)
				}
			})
		})
	}
}

// The recipients of a day are bounded; what is too much is refused as a whole, and the next day begins anew. Decision 55.
func TestDeliver_EmailsADay(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		today := time.Now()
		project := w.submit(email(10), email(3), email(2), email(1))
		pr.do(render(project, 0))
		pr.do(deliver(project, 0))
		if got := outcomes(w.tries(project)); got != "0.1 ok!, 1.1 error!, 2.1 ok!, 3.1 error!" {
			t.Errorf("recorded %s", got)
		}
		if got := w.tries(project)[1].Message; !strings.Contains(got, "12 recipients a day (UTC): 10 have been written to, and this e-mail has 3") {
			t.Errorf("recorded %s", got)
		}
		if got := w.written(today); got != emailsADay || len(w.parcels.all()) != 2 {
			t.Errorf("%d recipients are counted, %d e-mails were sent", got, len(w.parcels.all()))
		}
		time.Sleep(24 * time.Hour)
		if got := w.deliverTo(pr, email(10)); got.Status != movie.DeliveryOK {
			t.Errorf("on the next day: %+v", got)
		}
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.again.Handle(t.Context(), deliveries.RequestRedelivery{Account: alice, Project: project})))
		})
		pr.do(deliver(project, 0))
		// A redelivery is e-mails like any others, and counts for the day on which it was asked for.
		if got := outcomes(w.tries(project)[4:]); got != "0.1 error!, 1.1 error!, 2.1 ok!, 3.1 error!" {
			t.Errorf("the redelivery: recorded %s", got)
		}
		if got := w.written(time.Now()); got != emailsADay || w.written(today) != emailsADay {
			t.Errorf("%d recipients are counted on the next day, %d on the first", got, w.written(today))
		}
	})
}

// However often an e-mail is tried, it counts once: after an error, by another process after a crash, and on another day.
func TestDeliver_EmailsCountOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		one, two := w.startDeaf("one", true), w.start("two")
		defer two.drain(time.Minute)
		defer one.drain(time.Minute)
		today := time.Now()
		project := w.submit(email(10))
		two.do(render(project, 0))
		w.parcels.set(func(context.Context, connection.Kind) (deliveries.Receipt, error) {
			return deliveries.Receipt{}, errors.New("the network")
		})
		if <-one.send(deliver(project, 0)) {
			t.Error("a failure was taken for success")
		}
		hang := make(chan struct{})
		w.parcels.set(func(context.Context, connection.Kind) (deliveries.Receipt, error) {
			<-hang
			return deliveries.Receipt{}, nil
		})
		hung := one.send(deliver(project, 0))
		synctest.Wait()
		w.parcels.set(nil)
		time.Sleep(24 * time.Hour) // no process has run
		two.do(deliver(project, 2))
		close(hang)
		<-hung
		if got := outcomes(w.tries(project)); got != "0.1 ok!" || len(w.parcels.all()) != 3 {
			t.Errorf("recorded %s after %d tries", got, len(w.parcels.all()))
		}
		if got, then := w.written(today), w.written(time.Now()); got != 10 || then != 0 {
			t.Errorf("%d recipients are counted, and %d on the day after", got, then)
		}
	})
}

// A test of a connection is an e-mail like others.
func TestConnectionTest_Emails(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		w.save("letters", connection.Email, map[string]any{"to": "a@a.example, b@a.example, c@a.example, d@a.example, e@a.example"})
		h := connections.NewTestConnectionHandler(w.log(), w.vault, connections.TestRoads{
			Senders: w.parcels.senders(), Emails: deliveries.NewCountRecipientsHandler(w.log(), somePlans(), time.Now),
		}, time.Now)
		test := func() connections.TestedConnection {
			time.Sleep(time.Second)
			done, err := h.Handle(t.Context(), connections.TestConnection{Account: alice, ID: "letters"})
			must(t, err)
			return done
		}
		for i, want := range []bool{true, true, false} {
			if got := test(); got.Success != want || !want && !strings.Contains(got.Message, "recipients a day") {
				t.Errorf("test %d: %+v", i+1, got)
			}
		}
		if got := w.written(time.Now()); got != 10 {
			t.Errorf("%d recipients are counted", got)
		}
		w.onPlan(plan.Free)
		if got := test(); got.Success || !strings.Contains(got.Message, "not part of the service plan") {
			t.Errorf("on the free plan: %+v", got)
		}
	})
}
