package preloads

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
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

// ItemPrices computes the prices of preload items. Decision 38.
type ItemPrices struct {
	plan.Prices
	// SpeechByProvider reports whether a provider, not the built-in voice, speaks the voice items that name no connection.
	SpeechByProvider bool
}

// spokenPerSecond is the number of characters that a slow voice speaks per second. The credits to hold for a voice item are
// computed with it, so that the price, which is known later, is rarely higher.
const spokenPerSecond = 10

// byProvider reports whether a provider makes an item, and whether a provider's price for it depends on its length.
func (p ItemPrices) byProvider(w preload.Wanted) (made, perSecond bool) {
	switch w.Type {
	case preload.Image:
		return textOf(w, "prompt") != "" && textOf(w, "src") == "", false
	case preload.Voice:
		return textOf(w, "connection") != "" || p.SpeechByProvider, true
	}
	return false, false
}

// textOf returns a property of an item as its preparation reads it: a text without surrounding blanks, or a number or
// boolean as a text; empty: the item has none.
func textOf(w preload.Wanted, name string) string {
	switch v := w.Properties[name].(type) {
	case string:
		return strings.TrimSpace(v)
	case float64, bool, json.Number:
		text, _ := json.Marshal(v) // fails for no number that JSON can have
		return string(text)
	}
	return ""
}

// Hold returns the credits to hold for an item before it is made.
func (p ItemPrices) Hold(w preload.Wanted) int64 {
	made, perSecond := p.byProvider(w)
	switch {
	case perSecond && made:
		return p.VoiceSecond * int64(1+utf8.RuneCountInString(textOf(w, "text"))/spokenPerSecond)
	case made:
		return p.Image
	case w.Type == preload.Voice || w.Type == preload.HTML || w.Type == preload.Component:
		return p.BuiltIn
	}
	return 0
}

// Charge returns the price of a generated item in credits, at most w.Held, the credits that were held for it at the prices of
// its request. For a provider's voice it is a price per second, rounded up to whole seconds. Decision 38.
func (p ItemPrices) Charge(w preload.Wanted, seconds float64) int64 {
	most := min(w.Held, p.Hold(w))
	if made, perSecond := p.byProvider(w); made && perSecond {
		return min(most, p.VoiceSecond*int64(math.Ceil(seconds)))
	}
	return most
}

// RequestPreload requests a batch of assets. Spec: POST /preloads.
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
	batches preloadStreams
	ledgers *ledgers.Ledgers
	files   commands.Files
	prices  ItemPrices
}

// NewRequestPreloadHandler returns a handler.
func NewRequestPreloadHandler(
	log *eventstore.Log, ledgers *ledgers.Ledgers, files commands.Files, prices ItemPrices, now func() time.Time,
) RequestPreloadHandler {
	return RequestPreloadHandler{batches: preloadStreams{log, now}, ledgers: ledgers, files: files, prices: prices}
}

// requestTime is the time limit for the writes of one request. It is well below the age at which a hold without a batch
// counts as abandoned.
const requestTime = 12 * time.Second

// Handle accepts the batch: it stores the document, holds the credits for items that cost some, and then appends the
// request. An invalid request is 400, too few available credits are 402. After a crash between the hold and the request, the
// keeper releases the hold.
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
		if errors.As(err, &refusal) { // only after a refusal is it certain that no hold was made: the document is removed
			err = errors.Join(err, h.files.Delete(ctx, blobkey.Request(cmd.Account, id)))
		}
		return RequestedPreload{}, err
	}
	d, err := h.batches.decide(ctx, cmd.Account, id, func(b *preload.Preload) ([]domain.Event, error) {
		request.At = h.batches.now.Stamp()
		return b.Request(request)
	})
	return RequestedPreload{ID: id, Position: d.Position}, err
}
