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

// Limits of what is stored about one try at a destination. An Exchange is what the try has sent to the receiver, and the
// receiver's answer.
const (
	// maxSentKept is how much of the body that was sent is stored, in bytes: its beginning.
	maxSentKept = 64 << 10
	// MaxAnswerKept is how much of the receiver's answer is stored, in bytes: its beginning.
	MaxAnswerKept = 2 << 10
	// ExchangesKept is how long the Exchange of a try can be read after the end of the try.
	ExchangesKept = 30 * 24 * time.Hour
)

// ErrNoExchange says that the Exchange of a try cannot be read: for example, the try is older than ExchangesKept, nothing
// was sent, the Exchange could not be stored, or it was encrypted under a secret that is no longer configured.
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

// Exchange is what one try has sent to the receiver, and the receiver's answer. Of the headers it contains only the content
// type, and of the receiver's address only scheme and host.
type Exchange struct {
	Address     string    `json:"address"` // scheme and host of the receiver's address
	StartedAt   time.Time `json:"started_at"`
	EndedAt     time.Time `json:"ended_at"`
	ContentType string    `json:"content_type,omitempty"`
	Sent        []byte    `json:"sent,omitempty"`   // body of a webhook; only its beginning when it is long
	SentSize    int       `json:"sent_size"`        // size of the whole body in bytes
	Answer      []byte    `json:"answer,omitempty"` // beginning of the receiver's answer
}

// Exchanges stores the Exchange of a try at a destination (what was sent, and the receiver's answer) as an encrypted file.
// It is safe for concurrent use.
type Exchanges struct {
	files commands.Files
	vault commands.Vault
	now   func() time.Time
}

// NewExchanges returns a store for what tries at destinations have sent and what the receivers answered. It stores them in
// files, encrypted with vault. now is the clock by which they expire.
func NewExchanges(files commands.Files, vault commands.Vault, now func() time.Time) Exchanges {
	return Exchanges{files, vault, now}
}

// Keep stores what, the Exchange of a try. Of a long body or answer it stores the beginning only.
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

// Read returns the Exchange of a try: what the try has sent, and the receiver's answer. It returns ErrNoExchange when no
// Exchange is stored for the try, when the try is older than ExchangesKept, or when the Exchange was encrypted under a
// secret that is no longer configured.
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
