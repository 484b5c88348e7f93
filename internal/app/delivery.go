package app

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"moviola/adapters/ftp"
	"moviola/adapters/mail"
	"moviola/adapters/outbound"
	"moviola/adapters/s3"
	"moviola/adapters/webhook"
	"moviola/commands/connections"
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

// accountDeliveries is the share of the deliveries of a process that one account may have: 1 in so many.
const accountDeliveries = 16

// selfOf is host:port of the base of the addresses that are handed out.
func selfOf(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// NewGuard is the road out of this process. What the service itself serves is not reached by it. Decision 8.
func NewGuard(cfg config.Config) (*outbound.Guard, error) {
	guard, err := outbound.NewGuard(outbound.Config{Allow: cfg.AllowHosts, Self: selfOf(cfg.PublicURL)})
	if err != nil {
		return nil, fmt.Errorf("--allow-host: %w", err)
	}
	return guard, nil
}

// destinations are the roads to every kind of destination, all through the guard.
type destinations struct {
	webhook processors.WebhookFunc
	senders map[connection.Kind]deliveries.Sender
}

func newDestinations(cfg config.Config, guard *outbound.Guard) (destinations, error) {
	dial := func(ports ...int) func(context.Context, string, string) (net.Conn, error) {
		return guard.Dialer(outbound.DialOptions{Ports: ports, Connect: connectTime, Idle: silentTime})
	}
	letters, err := mail.New(mail.Config{Dial: dial(mail.Ports...), Explain: outbound.Explain, Server: cfg.SMTP, From: cfg.SMTPFrom})
	if err != nil {
		return destinations{}, fmt.Errorf("--smtp, --smtp-from: %w", err)
	}
	return destinations{
		webhook: newWebhook(cfg, guard),
		senders: map[connection.Kind]deliveries.Sender{
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

// addDelivery gives the processors what they deliver with.
func (s *service) addDelivery(config *processors.Config, guard *outbound.Guard) error {
	to, err := newDestinations(s.cfg, guard)
	if err != nil {
		return err
	}
	config.Webhook, config.Senders = to.webhook, to.senders
	config.Connections = connections.NewConnections(s.stores.Log, s.vault)
	return nil
}
