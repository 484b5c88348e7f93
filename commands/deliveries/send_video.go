package deliveries

import (
	"cmp"
	"context"
	"path"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/connection"
)

// Parcel is a finished video for one destination.
type Parcel struct {
	// Account is the movie's account. An e-mail names the account, so that an operator can find the
	// sender.
	Account domain.AccountID
	// Settings are the settings of the destination, complete and with macros replaced.
	Settings connection.Settings
	// HostKey is the fingerprint of the host key that an SFTP server has shown before; empty: none.
	HostKey string
	// Name distinguishes the delivery from others, and is the same in all tries; empty: the video's file name.
	Name string
	// ContentType is the media type of the video, or of the output that is sent in its place.
	ContentType string
	// Size is the size of the video, in bytes.
	Size int64
	// Open opens the video. A sender reads it as a stream and closes it.
	Open func(ctx context.Context) (commands.File, error)
}

// Part returns the path under which the video is written at the destination until it is whole.
func (p Parcel) Part() string {
	return path.Join(p.Settings.RemoteFolder(), "."+cmp.Or(p.Name, path.Base(p.Settings.RemoteFile()))+".part")
}

// Receipt is what a sender has learnt about the receiving server.
type Receipt struct {
	HostKey string // fingerprint of an SFTP server's host key: SHA256:...
}

// Sender sends videos to one kind of destination. It is safe for concurrent use.
type Sender interface {
	// Send sends a video, and returns when the video has arrived or the sending has failed. It stops when ctx ends. A *domain.Error
	// tells the owner why the video has not arrived, and names only scheme and host of the destination's address; other errors are
	// faults of this service.
	Send(ctx context.Context, parcel Parcel) (Receipt, error)
	// Test tests settings without a video: it does what Send does, except for anything that would stay on the receiving server.
	// Errors are those of Send.
	Test(ctx context.Context, parcel Parcel) (Receipt, error)
}

// WebhookCall is one try at a webhook.
type WebhookCall struct {
	Account     domain.AccountID // the sending account: an inbox accepts only what its own account sends
	Endpoint    string
	ContentType string // document.JSONContent or document.FormContent
	Payload     []byte // body of the call before encoding: a flat JSON object
	// Message is the id of the message, the same in every try. Signing are the secrets that sign
	// the message; empty: it is not signed.
	Message string
	Signing []string
}

// WebhookResult is the result of one try at a webhook. Spec: Delivery rules.
type WebhookResult struct {
	Delivered  bool   // the receiver answered 2xx
	HTTPStatus int    // 0: the receiver did not answer
	Message    string // result in words; of addresses it names only scheme and host
	Retry      bool   // a further try may succeed: a 5xx answer, or no answer because the connection failed
	// Sent is the body as it was sent, ContentType is its media type, Answer is the beginning of
	// the receiver's body.
	Sent        []byte
	ContentType string
	Answer      []byte
}
