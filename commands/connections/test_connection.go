package connections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/result"
	"moviola/eventstore"
)

// testLimit is the time limit of a test of a connection. The client waits for the result during that time.
const testLimit = 40 * time.Second

// testRandom replaces the random part of file names in tests of connections.
const testRandom = "00000"

// TestConnection tests a saved connection.
type TestConnection struct {
	Account domain.AccountID
	ID      string
}

// TestedConnection is the result of a test of a connection.
type TestedConnection struct {
	Success    bool
	HTTPStatus int    // status of a webhook's answer; 0: no answer
	Message    string // result in words; of addresses it names only scheme and host
	Duration   time.Duration
	Position   eventstore.Position
}

// TestRoads are the functions that test each kind of connection.
type TestRoads struct {
	Webhook func(ctx context.Context, call deliveries.WebhookCall) (deliveries.WebhookResult, error)
	Senders map[connection.Kind]deliveries.Sender
	// Provider makes a request to a provider that shows whether the provider's key is valid. Its errors have the meaning of the
	// errors of Sender.Send.
	Provider func(ctx context.Context, settings connection.Settings) error
	// Emails counts the recipients of the e-mail that a test sends, or refuses that e-mail.
	Emails deliveries.CountRecipientsHandler
}

// TestConnectionHandler handles TestConnection.
type TestConnectionHandler struct {
	connections Connections
	record      RecordConnectionTestHandler
	roads       TestRoads
	now         eventstore.Clock
}

// NewTestConnectionHandler returns a handler.
func NewTestConnectionHandler(
	log *eventstore.Log, vault commands.Vault, roads TestRoads, now func() time.Time,
) TestConnectionHandler {
	return TestConnectionHandler{
		connections: NewConnections(log, vault), record: NewRecordConnectionTestHandler(log, now), roads: roads, now: now,
	}
}

// Handle tests the connection once. It records the result, unless the service itself was at fault. A webhook gets the
// payload of a finished movie with test true and made-up values. A connection that does not exist is NotFound. Decision 50.
func (h TestConnectionHandler) Handle(ctx context.Context, cmd TestConnection) (TestedConnection, error) {
	opened, err := h.connections.Open(ctx, cmd.Account, cmd.ID)
	if err != nil {
		return TestedConnection{}, err
	}
	limited, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	started := h.now()
	done, receipt, err := h.try(limited, cmd.Account, opened)
	done.Duration = h.now().Sub(started)
	var refusal *domain.Error
	switch {
	case err == nil:
	case errors.As(err, &refusal):
		done.Success, done.Message = false, refusal.Message
	case limited.Err() != nil && ctx.Err() == nil:
		done.Success, done.Message = false, fmt.Sprintf("The test did not end within %s", testLimit)
	default:
		return done, fmt.Errorf("test connection %s of account %s: %w", cmd.ID, cmd.Account, err)
	}
	done.Position, err = h.record.Handle(ctx, RecordConnectionTest{
		Account: cmd.Account, ID: cmd.ID, Version: opened.Version,
		Success: done.Success, Message: done.Message, HostKey: receipt.HostKey,
	})
	return done, err
}

// try tests a connection once, by the function for its kind.
func (h TestConnectionHandler) try(
	ctx context.Context, account domain.AccountID, c OpenedConnection,
) (TestedConnection, deliveries.Receipt, error) {
	works := TestedConnection{Success: true, Message: "The connection works"}
	if c.Kind == connection.Webhook {
		tested, err := h.announce(ctx, account, c)
		return tested, deliveries.Receipt{}, err
	}
	if c.Kind == connection.APIKey {
		return works, deliveries.Receipt{}, h.roads.Provider(ctx, c.Settings)
	}
	settings := c.Kind.Fill(c.Settings, connection.Facts{
		At: h.now(), Random: testRandom, Source: string(result.TestProject) + result.MovieExtension, VideoURL: result.TestURL,
	})
	if c.Kind == connection.Email {
		for name, text := range map[string]string{"subject": "Test of a connection",
			"message": "This is a test of the connection " + c.ID + "."} {
			if settings[name] == "" {
				settings[name] = text
			}
		}
	}
	if err := h.entitle(ctx, account, c, settings); err != nil {
		return works, deliveries.Receipt{}, err
	}
	receipt, err := h.roads.Senders[c.Kind].Test(ctx, deliveries.Parcel{Account: account, Settings: settings, HostKey: c.HostKey})
	return works, receipt, err
}

// entitle counts the recipients of the e-mail that a test sends, like those of any other e-mail. It refuses an e-mail that
// the account may not send. A connection of another kind needs no permission. Decision 55.
func (h TestConnectionHandler) entitle(
	ctx context.Context, account domain.AccountID, c OpenedConnection, settings connection.Settings,
) error {
	if !c.Kind.HasRecipients() {
		return nil
	}
	recipients, err := settings.Recipients()
	if err != nil {
		return err
	}
	now := h.now()
	_, err = h.roads.Emails.Handle(ctx, deliveries.CountRecipients{
		Account: account, Mail: fmt.Sprintf("test/%s/%d", c.ID, now.UnixNano()), Recipients: len(recipients), Day: now,
	})
	return err
}

func (h TestConnectionHandler) announce(
	ctx context.Context, account domain.AccountID, c OpenedConnection,
) (TestedConnection, error) {
	payload, err := result.TestPayload()
	if err != nil {
		return TestedConnection{}, err
	}
	answer, err := h.roads.Webhook(ctx, deliveries.WebhookCall{
		Account: account, Endpoint: c.Settings["endpoint"], ContentType: c.Settings["content-type"], Payload: payload,
		Message: fmt.Sprintf("msg_%s_%d", result.TestProject, h.now().UnixMilli()), Signing: c.Signing,
	})
	return TestedConnection{Success: answer.Delivered, HTTPStatus: answer.HTTPStatus, Message: answer.Message}, err
}
