package delivery_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/outbound"
	"moviola/adapters/webhook"
	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/delivery"
	"moviola/handlers/background/processors"
	"moviola/projections"
)

func project(i int) domain.ProjectID { return domain.ProjectID(fmt.Sprintf("deliver%09d", i)) }

// closed makes a movie of an account whose render has failed, with one webhook.
func closed(t testing.TB, log *eventstore.Log, files *commandstest.Files, account domain.AccountID, project domain.ProjectID, endpoint string) {
	t.Helper()
	body := fmt.Sprintf(`{"scenes":[],"exports":[{"destinations":[{"type":"webhook","endpoint":%q}]}]}`, endpoint)
	hash := sha256.Sum256([]byte(body))
	if err := files.Put(t.Context(), blobkey.Document(account, project), strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	_, err := log.Append(t.Context(), movie.Stream(project), eventstore.NoStream, eventstore.Meta{Account: account, Time: at},
		movie.Submitted{Account: account, At: at, DocumentHash: hex.EncodeToString(hash[:]), Destinations: 1}, movie.Cancelled{At: at})
	if err != nil {
		t.Fatal(err)
	}
}

// nothing stands for the boards and read models beside deliveries.
type nothing struct{}

func (nothing) Beat(context.Context, projections.Presence) error   { return nil }
func (nothing) Remove(context.Context, string, int) error          { return nil }
func (nothing) Clear(context.Context, string) error                { return nil }
func (nothing) WaitFor(context.Context, eventstore.Position) error { return nil }
func (nothing) Failed(context.Context, projections.WorkItem, string) (projections.Trouble, error) {
	return projections.Trouble{}, nil
}

func (nothing) Open(context.Context, domain.AccountID, string) (connections.OpenedConnection, error) {
	return connections.OpenedConnection{}, nil
}

// webhooks is the guarded road of webhooks, with an address open.
func webhooks(t testing.TB, address string) http.RoundTripper {
	t.Helper()
	guard, err := outbound.NewGuard(outbound.Config{Allow: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	return guard.Transport(outbound.Options{Connect: webhook.DefaultWait + time.Second})
}

// deliverer is the real processors, commands and sender, on what a test gives them.
type deliverer struct {
	log       *eventstore.Log
	files     commands.Files
	queue     processors.Queue
	transport http.RoundTripper
	perHost   int
	record    delivery.Handler[deliveries.RecordDelivery, eventstore.Position] // nil: the real one
}

// startDeliverer runs a deliverer and returns what ends it.
func startDeliverer(t testing.TB, d deliverer) func() {
	t.Helper()
	sender := webhook.NewSender(webhook.Config{Transport: d.transport})
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	if d.record == nil {
		d.record = deliveries.NewRecordDeliveryHandler(d.log, time.Now)
	}
	p, err := processors.New(processors.Config{
		Queue: d.queue, Kinds: []string{projections.WorkDeliver}, Log: d.log, Files: d.files, Presence: nothing{}, Trouble: nothing{},
		Logger: logger, Limits: processors.Limits{PerHost: d.perHost},
		Commands: processors.Commands{Delivery: delivery.Commands{
			StartDelivery: deliveries.NewStartDeliveryHandler(d.log, time.Now), RecordDelivery: d.record,
			ReleaseDelivery: deliveries.NewReleaseDeliveryHandler(d.log, time.Now), FinishDelivery: deliveries.NewFinishDeliveryHandler(d.log, time.Now),
		}},
		Delivery: delivery.Roads{Visible: nothing{}, Connections: nothing{}, Webhook: func(ctx context.Context, call delivery.WebhookCall) (delivery.WebhookResult, error) {
			result, err := sender.Send(ctx, webhook.Call(call))
			return delivery.WebhookResult{Delivered: result.Delivered, HTTPStatus: result.HTTPStatus, Message: result.Message, Retry: result.Retry}, err
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Run(context.Background()) }()
	return func() {
		if err := p.Drain(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
