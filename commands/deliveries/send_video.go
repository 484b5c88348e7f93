package deliveries

import (
	"context"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/connection"
)

// Parcel is a finished video on its way to one destination.
type Parcel struct {
	// Account is whose movie it is. An e-mail names it, so that an operator finds who has written it.
	Account domain.AccountID
	// Settings are those of the destination's kind: complete, and with macros filled in.
	Settings connection.Settings
	// HostKey is the fingerprint that an SFTP server showed before; empty: none is known.
	HostKey string
	// Size is that of the video, in bytes.
	Size int64
	// Open opens the video. A sender reads it as a stream and closes it.
	Open func(ctx context.Context) (commands.File, error)
}

// Receipt is what a sender has seen on the way.
type Receipt struct {
	HostKey string // of an SFTP server: SHA256:...
}

// Sender brings videos to one kind of destination. Safe for concurrent use.
type Sender interface {
	// Send brings a video there, and returns when it has arrived or has not. It ends with ctx. A *domain.Error says in words for
	// the owner why it has not arrived, with scheme and host of the address only; any other error is one of this side.
	Send(ctx context.Context, parcel Parcel) (Receipt, error)
	// Test tries settings out without a video: as much of Send as leaves nothing behind. Errors are those of Send.
	Test(ctx context.Context, parcel Parcel) (Receipt, error)
}

// WebhookCall is one try at a webhook.
type WebhookCall struct {
	Endpoint    string
	ContentType string // document.JSONContent or document.FormContent
	Payload     []byte // a flat JSON object
	// Message names what is told, the same in every try; Signing are the secrets it is signed with, none by default.
	Message string
	Signing []string
}

// WebhookResult is how one try at a webhook ended. Spec: Delivery rules.
type WebhookResult struct {
	Delivered  bool   // the receiver answered 2xx
	HTTPStatus int    // 0 without an answer
	Message    string // shows scheme and host of addresses only
	Retry      bool   // another try may succeed: it answered 5xx, or the connection failed before any answer
}
