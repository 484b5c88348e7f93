package roads

import (
	"context"
	"fmt"
	"net"
	"time"

	"moviola/adapters/ftp"
	"moviola/adapters/mail"
	"moviola/adapters/outbound"
	"moviola/adapters/s3"
	"moviola/adapters/webhook"
	"moviola/commands/deliveries"
	"moviola/domain/connection"
	"moviola/handlers/background/processors"
	"moviola/internal/config"
)

// How long a server that takes files or mail may take to let us in, and may stay silent after that.
const (
	connectTime = 15 * time.Second
	silentTime  = 30 * time.Second
)

// Destinations are the roads to every kind of destination, all through the guard.
type Destinations struct {
	Webhook processors.WebhookFunc
	Senders map[connection.Kind]deliveries.Sender
}

// NewDestinations opens the roads.
func NewDestinations(cfg config.Config, guard *outbound.Guard) (Destinations, error) {
	dial := func(ports ...int) func(context.Context, string, string) (net.Conn, error) {
		return guard.Dialer(outbound.DialOptions{Ports: ports, Connect: connectTime, Idle: silentTime})
	}
	letters, err := mail.New(mail.Config{Dial: dial(mail.Ports...), Explain: outbound.Explain, Server: cfg.SMTP, From: cfg.SMTPFrom})
	if err != nil {
		return Destinations{}, fmt.Errorf("--smtp, --smtp-from: %w", err)
	}
	return Destinations{
		Webhook: newWebhook(cfg, guard),
		Senders: map[connection.Kind]deliveries.Sender{
			connection.FTP:  ftp.NewFTP(ftp.Config{Dial: dial(ftp.ControlPort), Explain: outbound.Explain}),
			connection.SFTP: ftp.NewSFTP(ftp.Config{Dial: dial(ftp.SSHPort), Explain: outbound.Explain}),
			connection.S3: s3.New(s3.Config{
				Client: guard.Client(outbound.Options{Connect: connectTime, Header: silentTime}), Explain: outbound.Explain,
			}),
			connection.Email: letters,
		},
	}, nil
}

// newWebhook is one try at a receiver.
func newWebhook(cfg config.Config, guard *outbound.Guard) processors.WebhookFunc {
	sender := webhook.NewSender(webhook.Config{
		// The library goes on connecting when nobody waits for the answer any more: that ends too, a little later than the wait.
		Transport: guard.Transport(outbound.Options{Connect: cfg.WebhookTimeout + time.Second}),
		Wait:      cfg.WebhookTimeout, UserAgent: "Moviola/" + config.Version,
	})
	return func(ctx context.Context, call processors.WebhookCall) (processors.WebhookResult, error) {
		result, err := sender.Send(ctx, webhook.Call(call))
		if err != nil {
			return processors.WebhookResult{}, err
		}
		return processors.WebhookResult{
			Delivered: result.Delivered, HTTPStatus: result.HTTPStatus, Message: result.Message, Retry: result.Retry,
		}, nil
	}
}
