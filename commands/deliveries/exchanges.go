package deliveries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
)

// Bounds of what is kept of each try: see Exchange.
const (
	maxSentKept = 64 << 10
	// MaxAnswerKept is how much of a receiver's answer is kept, in bytes.
	MaxAnswerKept = 2 << 10
	// ExchangesKept is how long the exchange of a try is kept.
	ExchangesKept = 30 * 24 * time.Hour
)

// ErrNoExchange says that no exchange of a try can be read: the try is older than ExchangesKept, nothing was sent, the
// exchange could not be stored, or it was encrypted under a secret that is no longer configured.
var ErrNoExchange = errors.New("nothing is kept of this try")

// Try names one try at a destination of a movie.
type Try struct {
	Account     domain.AccountID
	Project     domain.ProjectID
	Destination int // index of the destination, from 0
	Run, Number int
}

func (t Try) key() string {
	return blobkey.Exchange(t.Account, t.Project, t.Destination, t.Run, t.Number)
}

// Exchange is what one try has sent to the receiver, and the receiver's answer. It contains no headers, and of the receiver's
// address only scheme and host.
type Exchange struct {
	Address     string    `json:"address"` // scheme and host of the receiver's address
	StartedAt   time.Time `json:"started_at"`
	EndedAt     time.Time `json:"ended_at"`
	ContentType string    `json:"content_type,omitempty"`
	Sent        []byte    `json:"sent,omitempty"`   // body of a webhook; only its beginning when it is long
	SentSize    int       `json:"sent_size"`        // size of the whole body in bytes
	Answer      []byte    `json:"answer,omitempty"` // beginning of the receiver's answer
}

// Exchanges keeps the exchanges of tries, encrypted. It is safe for concurrent use.
type Exchanges struct {
	files commands.Files
	vault commands.Vault
	now   func() time.Time
}

// NewExchanges returns Exchanges.
func NewExchanges(files commands.Files, vault commands.Vault, now func() time.Time) Exchanges {
	return Exchanges{files, vault, now}
}

// Keep stores the exchange of a try.
func (e Exchanges) Keep(ctx context.Context, try Try, what Exchange) error {
	what.SentSize = len(what.Sent)
	what.Sent = what.Sent[:min(len(what.Sent), maxSentKept)]
	what.Answer = what.Answer[:min(len(what.Answer), MaxAnswerKept)]
	raw, err := json.Marshal(what)
	if err == nil {
		err = commands.PutSealed(ctx, e.files, e.vault, try.key(), raw)
	}
	if err != nil {
		return fmt.Errorf("keep what was sent to destination %d of movie %s: %w", try.Destination, try.Project, err)
	}
	return nil
}

// Read returns the exchange of a try. ErrNoExchange: no exchange is kept, or it was encrypted under a secret that is no longer
// configured.
func (e Exchanges) Read(ctx context.Context, try Try) (Exchange, error) {
	var what Exchange
	raw, err := commands.OpenSealed(ctx, e.files, e.vault, try.key())
	if err == nil {
		err = json.Unmarshal(raw, &what)
	}
	switch {
	case errors.Is(err, commands.ErrFileNotFound), errors.Is(err, commands.ErrKeyRetired):
		return Exchange{}, ErrNoExchange
	case err != nil:
		return Exchange{}, fmt.Errorf("read what was sent to destination %d of movie %s: %w", try.Destination, try.Project, err)
	case e.now().Sub(what.EndedAt) > ExchangesKept: // the exchange has expired, but its file has not been removed yet
		return Exchange{}, ErrNoExchange
	}
	return what, nil
}
