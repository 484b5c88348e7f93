package preloads

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/plan"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// ItemPrices tell what the items of preloads cost. Decision 38.
type ItemPrices struct {
	plan.Prices
	// SpeechByProvider says that voices are spoken by a provider unless the item says otherwise.
	SpeechByProvider bool
}

// spokenPerSecond is how many characters of a text are spoken in a second, at the slowest: what is held for a voice is never less
// than what it comes to cost, but for the rarest of voices.
const spokenPerSecond = 10

// byProvider says whether an item is made by a provider, and that what it costs depends on its length.
func (p ItemPrices) byProvider(w preload.Wanted) (made, perSecond bool) {
	_, connected := w.Properties["connection"].(string)
	switch w.Type {
	case preload.Image:
		prompt, _ := w.Properties["prompt"].(string)
		src, _ := w.Properties["src"].(string)
		return prompt != "" && src == "", false
	case preload.Voice:
		return connected || p.SpeechByProvider, true
	}
	return false, false
}

// Hold is what is held for an item before it is made, in credits.
func (p ItemPrices) Hold(w preload.Wanted) int64 {
	text, _ := w.Properties["text"].(string)
	made, perSecond := p.byProvider(w)
	switch {
	case perSecond && made:
		return p.VoiceSecond * int64(1+utf8.RuneCountInString(text)/spokenPerSecond)
	case made:
		return p.Image
	case w.Type == preload.Voice || w.Type == preload.HTML || w.Type == preload.Component:
		return p.BuiltIn
	}
	return 0
}

// Charge is what a generated item costs: never more than was held for it. A provider's voice costs by started seconds.
func (p ItemPrices) Charge(w preload.Wanted, seconds float64) int64 {
	held := p.Hold(w)
	if made, perSecond := p.byProvider(w); made && perSecond {
		return min(held, p.VoiceSecond*int64(math.Ceil(seconds)))
	}
	return held
}

// RequestPreload asks for a batch of assets. Spec: POST /preloads.
type RequestPreload struct {
	Account domain.AccountID
	Body    []byte
}

// RequestedPreload is a batch that was accepted.
type RequestedPreload struct {
	ID       preload.ID
	Position eventstore.Position
}

// RequestPreloadHandler handles RequestPreload.
type RequestPreloadHandler struct {
	batches batches
	ledgers *ledgers.Ledgers
	files   commands.Files
	prices  ItemPrices
}

// NewRequestPreloadHandler returns a handler.
func NewRequestPreloadHandler(
	log *eventstore.Log, ledgers *ledgers.Ledgers, files commands.Files, prices ItemPrices, now func() time.Time,
) RequestPreloadHandler {
	return RequestPreloadHandler{batches: batches{log, now}, ledgers: ledgers, files: files, prices: prices}
}

// requestTime bounds the appends of one request: a hold whose batch has not come is given up only long after.
const requestTime = 12 * time.Second

// Handle accepts the batch: its document is stored, the credits for what is to be generated are held, and then it is recorded. It
// refuses what is wrong with 400, and more credits than are available with 402. A crash in between leaves a hold that the keeper
// gives back.
func (h RequestPreloadHandler) Handle(ctx context.Context, cmd RequestPreload) (RequestedPreload, error) {
	wanted, err := preload.ParseRequest(cmd.Body)
	if err != nil {
		return RequestedPreload{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	id := newPreloadID()
	if err := h.files.Put(ctx, blobkey.Request(cmd.Account, id), bytes.NewReader(cmd.Body)); err != nil {
		return RequestedPreload{}, fmt.Errorf("store the document of preload %s: %w", id, err)
	}
	sum := sha256.Sum256(cmd.Body)
	request := preload.Requested{Account: cmd.Account, DocumentHash: hex.EncodeToString(sum[:])}
	amounts := make([]ledger.ItemAmount, len(wanted))
	for i, w := range wanted {
		w.Held = h.prices.Hold(w)
		request.Items = append(request.Items, w.Item)
		amounts[i] = ledger.ItemAmount{Number: i, Amount: w.Held}
	}
	if _, err := h.ledgers.HoldItems(ctx, ledgers.HoldItems{Account: cmd.Account, Preload: id, Items: amounts}); err != nil {
		var refusal *domain.Error
		if errors.As(err, &refusal) { // the hold was refused; after any other error it may have been made
			err = errors.Join(err, h.files.Delete(ctx, blobkey.Request(cmd.Account, id)))
		}
		return RequestedPreload{}, err
	}
	d, err := h.batches.decide(ctx, cmd.Account, id, func(b *preload.Batch) ([]domain.Event, error) {
		request.At = h.batches.now.Stamp()
		return b.Request(request)
	})
	return RequestedPreload{ID: id, Position: d.Position}, err
}
