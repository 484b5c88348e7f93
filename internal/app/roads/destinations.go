package roads

import (
	"context"
	"fmt"
	"net"
	"time"

	"moviola/adapters/blobs"
	"moviola/adapters/buckets"
	"moviola/adapters/disk"
	"moviola/adapters/folder"
	"moviola/adapters/ftp"
	"moviola/adapters/mail"
	"moviola/adapters/outbound"
	"moviola/adapters/s3"
	"moviola/adapters/webhook"
	"moviola/commands/deliveries"
	"moviola/domain/connection"
	"moviola/handlers/background/delivery"
	"moviola/handlers/background/live"
	"moviola/internal/config"
)

// Limits for servers of files and mail: the time for connecting with sign-in, and how long a connection may be silent after that.
const (
	connectTime = 15 * time.Second
	silentTime  = 30 * time.Second
)

// Destinations are the senders of all kinds of destinations. What they connect to passes the guard.
type Destinations struct {
	Webhook delivery.WebhookFunc
	Live    delivery.WebhookFunc // sends live events, with a shorter time limit
	Senders map[connection.Kind]deliveries.Sender
}

// NewDestinations wires the senders. Inboxes receive what is sent to their addresses.
func NewDestinations(cfg config.Config, guard *outbound.Guard, inboxes webhook.Inboxes) (Destinations, error) {
	dial := func(ports ...int) func(context.Context, string, string) (net.Conn, error) {
		return guard.Dialer(outbound.DialOptions{Ports: ports, Connect: connectTime, Idle: silentTime})
	}
	letters, err := mail.New(mail.Config{Dial: dial(mail.Ports...), Explain: outbound.Explain, Server: cfg.SMTP, From: cfg.SMTPFrom})
	if err != nil {
		return Destinations{}, fmt.Errorf("--smtp, --smtp-from: %w", err)
	}
	folders, err := newFolders(cfg)
	if err != nil {
		return Destinations{}, fmt.Errorf("--export-folder: %w", err)
	}
	storages := guard.Client(outbound.Options{Connect: connectTime, Header: silentTime})
	clouds := buckets.Config{Client: storages, Explain: outbound.Explain}
	return Destinations{
		Webhook: newWebhook(guard, inboxes, cfg.WebhookTimeout),
		Live:    newWebhook(guard, inboxes, min(cfg.WebhookTimeout, live.AnswerWait)),
		Senders: map[connection.Kind]deliveries.Sender{
			connection.FTP:  ftp.NewFTP(ftp.Config{Dial: dial(ftp.ControlPort), Explain: outbound.Explain}),
			connection.SFTP: ftp.NewSFTP(ftp.Config{Dial: dial(ftp.SSHPort), Explain: outbound.Explain}),
			connection.S3:   s3.New(s3.Config{Client: storages, Explain: outbound.Explain}),
			connection.GCS:  buckets.NewGCS(clouds), connection.AzureBlob: buckets.NewAzure(clouds),
			connection.Folder: folders, connection.Email: letters,
		},
	}, nil
}

// newFolders returns the sender to the operator's export folders.
func newFolders(cfg config.Config) (*folder.Sender, error) {
	var folders []folder.Folder
	for _, given := range cfg.ExportFolders {
		f, err := folder.Parse(given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", given, err)
		}
		folders = append(folders, f)
	}
	own := []string{cfg.Data}
	if files, isFolder := blobs.FolderOf(cfg.Blobs); isFolder && files != "" {
		own = append(own, files)
	}
	return folder.New(folder.Config{Folders: folders, Own: own, Room: func(dir string) (int64, error) {
		space, err := disk.Free(dir)
		return space.Free - cfg.DiskReserve.Of(space.Total), err
	}})
}

// newWebhook returns the function that calls a receiver once. Messages to an inbox are delivered inside the process, without a
// network connection.
func newWebhook(guard *outbound.Guard, inboxes webhook.Inboxes, wait time.Duration) delivery.WebhookFunc {
	sender := webhook.NewSender(webhook.Config{
		// The sender gives up after the time wait, but net/http would go on connecting. The limit Connect ends that one
		// second later.
		Transport: guard.Transport(outbound.Options{Connect: wait + time.Second}),
		Inboxes:   inboxes, Wait: wait, UserAgent: "Moviola/" + config.Version,
	})
	return func(ctx context.Context, call delivery.WebhookCall) (delivery.WebhookResult, error) {
		result, err := sender.Send(ctx, webhook.Call(call))
		if err != nil {
			return delivery.WebhookResult{}, err
		}
		return delivery.WebhookResult{
			Delivered: result.Delivered, HTTPStatus: result.HTTPStatus, Message: result.Message, Retry: result.Retry,
			Sent: result.Sent, ContentType: result.ContentType, Answer: result.Answer,
		}, nil
	}
}
