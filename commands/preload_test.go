package commands_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/plan"
	"moviola/domain/preload"
)

var prices = preloads.ItemPrices{Prices: plan.BuiltInPrices}

// preloadBatch is a request for a picture that a provider makes, and for one that is downloaded.
const preloadBatch = `{"preload":[{"id":"made","type":"image","prompt":"a cat"},{"id":"fetched","type":"image","src":"https://x.test/a.png"}]}`

func (w *world) request(body string) (preload.ID, error) {
	got, err := preloads.NewRequestPreloadHandler(w.log, w.ledgers, w.files, prices, w.clock).Handle(w.t.Context(), preloads.RequestPreload{Account: alice, Body: []byte(body)})
	return got.ID, err
}

func (w *world) settleItem(id preload.ID, index int) error {
	h := preloads.NewSettleItemHandler(w.log, w.ledgers, w.files, w.clock, age)
	return h.Handle(w.t.Context(), preloads.SettlePreloadItem{Account: alice, Preload: id, Index: index})
}

// prepareItem claims an item and records its result.
func (w *world) prepareItem(id preload.ID, index int, r preload.Result) {
	w.t.Helper()
	items := preloads.NewPreloadItems(w.log, w.files, w.clock)
	claim, err := items.Start(w.t.Context(), preloads.StartItem{Preload: id, Index: index, Worker: "w1"})
	if err == nil {
		err = items.Finish(w.t.Context(), preloads.FinishItem{Preload: id, Claim: claim.Claim, Result: r})
	}
	w.must(err)
}

func TestRequestPreload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10)
	id, err := w.request(preloadBatch)
	w.must(err)
	w.wantCredits(0, 10)
	w.wantFiles(blobkey.Request(alice, id))
	_, err = w.request(preloadBatch)
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Kind != domain.PaymentRequired {
		t.Errorf("more than is available: %v", err)
	}
	w.wantFiles(blobkey.Request(alice, id)) // no document of the refused request is left
	items := preloads.NewPreloadItems(w.log, w.files, w.clock)
	claim, err := items.Start(t.Context(), preloads.StartItem{Preload: id, Index: 0, Worker: "w1"})
	w.must(err)
	if claim.Account != alice || claim.Item.ID != "made" || claim.Item.Properties["prompt"] != "a cat" {
		t.Errorf("%+v", claim)
	}
	_, err = items.Start(t.Context(), preloads.StartItem{Preload: id, Index: 0, Worker: "w2"})
	requireNothing(t, err)
	w.must(items.Release(t.Context(), id, claim.Claim, false))
	requireNothing(t, items.Finish(t.Context(), preloads.FinishItem{Preload: id, Claim: claim.Claim}))
}

// TestRequestPreload_counted: generated items cost credits on a counted plan, too. Decision 101.
func TestRequestPreload_counted(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.onPlan("counted")
	_, err := w.request(preloadBatch)
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Kind != domain.PaymentRequired {
		t.Errorf("without credits: %v", err)
	}
	w.grant(alice, 10)
	_, err = w.request(preloadBatch)
	w.must(err)
	w.wantCredits(0, 10)
}

// A generated item is charged; the hold of an item that failed, or came from a cache, is released. Decision 38.
func TestSettlePreloadItem(t *testing.T) {
	t.Parallel()
	const free = `{"preload":[{"id":"page","type":"html","html":"<p>free</p>"}]}`
	for name, tt := range map[string]struct {
		batch   string
		result  preload.Result
		charged int64
	}{
		"generated":               {preloadBatch, preload.Result{Key: "k", Generated: true, Credits: 10}, 10},
		"cheaper":                 {preloadBatch, preload.Result{Key: "k", Generated: true, Credits: 4}, 4},
		"dearer than its hold":    {preloadBatch, preload.Result{Key: "k", Generated: true, Credits: 15}, 10},
		"nothing was held for it": {free, preload.Result{Key: "k", Generated: true, Credits: 5}, 0},
		"from a cache":            {preloadBatch, preload.Result{Key: "k"}, 0},
		"failed":                  {preloadBatch, preload.Result{Error: "no"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, 10)
			id, err := w.request(tt.batch)
			w.must(err)
			requireNothing(t, w.settleItem(id, 0))
			w.prepareItem(id, 0, tt.result)
			for range 2 { // the second call changes nothing
				w.must(w.settleItem(id, 0))
				w.wantCredits(tt.charged, 0)
			}
		})
	}
}

// TestPreload_killed ends the process after the credits were held: they are released, and the batch can no longer be
// requested.
func TestPreload_killed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10)
	w.kill("preload")
	if _, err := w.request(preloadBatch); err == nil {
		t.Fatal("the process was not ended")
	}
	w.restart()
	w.wantCredits(0, 10)
	keys, err := w.files.List(t.Context(), blobkey.Requests.Prefix())
	w.must(err)
	if len(keys) != 1 {
		t.Fatalf("stored %v", keys)
	}
	id := preload.ID(keys[0][len(blobkey.Requests.Prefix()+string(alice)+"/") : len(keys[0])-len(".json")])
	requireNothing(t, w.settleItem(id, 0)) // the hold is too young
	w.wait(age)
	w.must(w.settleItem(id, 0))
	w.wantCredits(0, 0)
	w.wantFiles()
	w.wantEvents(preload.Stream(id), "PreloadFinished")
}

// The credits that are held for an item are never less than what is charged for it.
func TestItemPrices(t *testing.T) {
	t.Parallel()
	item := func(kind preload.Type, properties map[string]any) preload.Wanted {
		return preload.Wanted{Item: preload.Item{Type: kind}, Properties: properties}
	}
	text := map[string]any{"text": "twenty-five characters it"}
	connected := map[string]any{"text": "twenty-five characters it", "connection": "mine"}
	built := preloads.ItemPrices{Prices: plan.Prices{BuiltIn: 2, Image: 10, VoiceSecond: 1}}
	provider := built
	provider.SpeechByProvider = true
	tests := []struct {
		prices  preloads.ItemPrices
		item    preload.Wanted
		seconds float64
		want    [2]int64 // held, charged
	}{
		{built, item(preload.Image, map[string]any{"prompt": "x"}), 0, [2]int64{10, 10}},
		{built, item(preload.Image, map[string]any{"prompt": "x", "src": "y"}), 0, [2]int64{0, 0}},
		{built, item(preload.Image, map[string]any{"prompt": 12.0}), 0, [2]int64{10, 10}},
		{built, item(preload.Image, map[string]any{"prompt": "x", "src": " "}), 0, [2]int64{10, 10}},
		{built, item(preload.Voice, map[string]any{"text": "x", "connection": " "}), 1.2, [2]int64{2, 2}},
		{built, item(preload.Voice, map[string]any{"text": 12345678901234567890.0, "connection": "mine"}), 9, [2]int64{3, 3}},
		{built, item(preload.Video, map[string]any{"src": "y"}), 9, [2]int64{0, 0}},
		{built, item(preload.HTML, nil), 0, [2]int64{2, 2}},
		{built, item(preload.Voice, text), 1.2, [2]int64{2, 2}},
		{built, item(preload.Voice, connected), 1.2, [2]int64{3, 2}},
		{provider, item(preload.Voice, text), 1.2, [2]int64{3, 2}},
		{provider, item(preload.Voice, text), 99, [2]int64{3, 3}},
		{prices, item(preload.Voice, text), 99, [2]int64{0, 0}},
	}
	for _, tt := range tests {
		tt.item.Held = tt.prices.Hold(tt.item)
		if diff := cmp.Diff(tt.want, [2]int64{tt.item.Held, tt.prices.Charge(tt.item, tt.seconds)}); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.item, diff)
		}
	}
	// Prices that have changed since the request: what was held is the most that is charged.
	for _, tt := range []struct {
		held, want int64
	}{{4, 4}, {0, 0}, {30, 10}} {
		image := item(preload.Image, map[string]any{"prompt": "x"})
		image.Held = tt.held
		if got := built.Charge(image, 0); got != tt.want {
			t.Errorf("%d credits are charged for an image with a hold of %d, want %d", got, tt.held, tt.want)
		}
	}
}

// TestStartItem_documentTooShort: the error for a document without the item says so.
func TestStartItem_documentTooShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const id, document = "preload000000001", `{"preload":[{"id":"page","type":"html","html":"<p>only</p>"}]}`
	w.must(w.files.Put(t.Context(), blobkey.Request(alice, id), strings.NewReader(document)))
	sum := sha256.Sum256([]byte(document))
	w.must(w.appendTo(preload.Stream(id), preload.Requested{Account: alice, At: t0, DocumentHash: hex.EncodeToString(sum[:]),
		Items: []preload.Item{{ID: "page", Type: preload.HTML}, {ID: "lost", Type: preload.HTML}}}))
	_, err := preloads.NewPreloadItems(w.log, w.files, w.clock).Start(t.Context(), preloads.StartItem{Preload: id, Index: 1, Worker: "w1"})
	if err == nil || err.Error() != "read item 1 of preload preload000000001: its document has 1 items" {
		t.Errorf("error %v", err)
	}
}
