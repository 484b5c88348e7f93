package preloads_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/commandstest"
	"moviola/commands/ledgers"
	preloadcommands "moviola/commands/preloads"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/key"
	"moviola/domain/media"
	"moviola/domain/plan"
	"moviola/domain/preload"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/http/access"
	"moviola/handlers/http/preloads"
	"moviola/projections"
)

const (
	alice = domain.AccountID("alice")
	base  = "https://video.test"
	known = "Preload000000001"
)

var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// batches are the preload batches that exist, by id. Reading the batch broken0000000000 fails.
type batches map[preload.ID]projections.Preload

func (b batches) Get(_ context.Context, id preload.ID) (projections.Preload, bool, error) {
	if id == "broken0000000000" {
		return projections.Preload{}, false, errBroken
	}
	found, ok := b[id]
	return found, ok, nil
}

var errBroken = errors.New("broken")

type upToDate struct{}

func (upToDate) WaitFor(context.Context, eventstore.Position) error { return nil }

// world is the interface on commands over a log in memory. alice has 25 credits.
type world struct {
	*preloads.API
	addresses *media.Addresses
	files     *commandstest.Files
}

func newWorld(t *testing.T, known batches) world {
	t.Helper()
	clock := func() time.Time { return now }
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	books := ledgers.New(log, clock)
	t.Cleanup(books.Close)
	if _, err := books.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "some", Amount: 25}); err != nil {
		t.Fatal(err)
	}
	w := world{files: commandstest.NewFiles(clock)}
	var err error
	if w.addresses, err = media.NewAddresses(base, make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	w.API, err = preloads.New(preloads.Config{
		Request: preloadcommands.NewRequestPreloadHandler(log, books, w.files, preloadcommands.ItemPrices{Prices: plan.BuiltInPrices}, clock),
		Batches: known, Addresses: w.addresses, Projected: upToDate{}, Now: clock, Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// call serves an operation for alice.
func (w world) call(t *testing.T, method, id, body string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	for _, operation := range w.Operations() {
		if operation.Method != method {
			continue
		}
		answer := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/v2/preloads", strings.NewReader(body))
		return answer, operation.Serve(answer, mux.SetURLVars(r, map[string]string{"preload_id": id}), access.Call{Account: alice})
	}
	t.Fatalf("no operation %s", method)
	return nil, nil
}

// requireRefusal checks what a client is told.
func requireRefusal(t *testing.T, err error, kind domain.Kind, code, text string) {
	t.Helper()
	var fault *domain.Error
	if !errors.As(err, &fault) || fault.Kind != kind || fault.Code != code || fault.Message != text {
		t.Errorf("got %v\nwant %v %s: %s", err, kind, code, text)
	}
}

func item(id string) string { return `{"id":"` + id + `","type":"image","src":"x"}` }

func itemsOf(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = item(fmt.Sprint(i))
	}
	return `{"preload":[` + strings.Join(all, ",") + `]}`
}

// Spec: POST /preloads, 400 and 402; Limits, preload batch; decisions 10, 38 and 46.
func TestPost_refuses(t *testing.T) {
	t.Parallel()
	const padding = 2<<20 - len(`{"preload":[]}`)
	painted := strings.ReplaceAll(itemsOf(3), `"src"`, `"prompt"`)
	for name, tt := range map[string]struct {
		body, code, text string
		kind             domain.Kind
	}{
		"nothing":           {"", "payload_missing", "No payload provided", domain.Invalid},
		"blanks":            {" \n", "payload_missing", "No payload provided", domain.Invalid},
		"no JSON":           {"{", "payload_invalid", "The payload must be a JSON object with the property preload", domain.Invalid},
		"a list":            {"[]", "payload_invalid", "The payload must be a JSON object with the property preload", domain.Invalid},
		"null":              {"null", "payload_invalid", "The payload must be a JSON object with the property preload", domain.Invalid},
		"another property":  {`{"preload":[` + item("a") + `],"cache":true}`, "property_unknown", `Unknown property "cache": only preload is allowed`, domain.Invalid},
		"no preload":        {"{}", "preload_invalid", "preload must be an array of items", domain.Invalid},
		"preload is null":   {`{"preload":null}`, "preload_invalid", "preload must be an array of items", domain.Invalid},
		"no items":          {itemsOf(0), "preload_count", "preload must have 1 to 10 items", domain.Invalid},
		"eleven items":      {itemsOf(11), "preload_count", "preload must have 1 to 10 items", domain.Invalid},
		"no object":         {`{"preload":["a"]}`, "preload_invalid", "preload item 1 must be an object", domain.Invalid},
		"no id":             {`{"preload":[` + item("a") + `,{"type":"image"}]}`, "preload_id_missing", "preload item 2: id is required", domain.Invalid},
		"an id of 256":      {`{"preload":[` + item(strings.Repeat("x", 256)) + `]}`, "preload_id_invalid", "preload item 1: id must be at most 255 bytes", domain.Invalid},
		"one id twice":      {`{"preload":[` + item("a") + `,` + item("a") + `]}`, "preload_id_duplicate", `Duplicate preload id "a"`, domain.Invalid},
		"no type":           {`{"preload":[{"id":"a"}]}`, "preload_type_missing", `preload item "a": type is required`, domain.Invalid},
		"a type of movies":  {`{"preload":[{"id":"a","type":"text"}]}`, "preload_type_invalid", `preload item "a": type "text" is not allowed; use image, video, audio, voice, html or component`, domain.Invalid},
		"to be kept, maybe": {`{"preload":[{"id":"a","type":"image","save-to-media":"maybe"}]}`, "preload_invalid", `preload item "a": save-to-media must be true or false`, domain.Invalid},
		"2 MB of no items":  {`{"preload":[` + strings.Repeat(" ", padding) + `]}`, "preload_count", "preload must have 1 to 10 items", domain.Invalid},
		"over 2 MB":         {`{"preload":[` + strings.Repeat(" ", padding+1) + `]}`, "preload_too_large", "The payload must be at most 2 MB", domain.TooLarge},
		"too few credits":   {painted, "insufficient_asset_credits", "Insufficient credits to generate the AI assets of this batch: 30 are needed, 25 are available", domain.PaymentRequired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			_, err := w.call(t, http.MethodPost, "", tt.body)
			requireRefusal(t, err, tt.kind, tt.code, tt.text)
			if stored, err := w.files.List(t.Context(), ""); err != nil || len(stored) != 0 {
				t.Errorf("stored %v (%v)", stored, err)
			}
		})
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ids := map[string]bool{}
	for _, body := range []string{itemsOf(1), itemsOf(10), `{"preload":[` + item(strings.Repeat("x", 255)) + `]}`, strings.ReplaceAll(itemsOf(2), `"src"`, `"prompt"`)} {
		answer, err := w.call(t, http.MethodPost, "", body)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		id, _ := got["preload_id"].(string)
		want := map[string]any{"success": true, "preload_id": id, "timestamp": "2026-11-21T09:30:00.000Z"}
		if diff := cmp.Diff(want, got); diff != "" || len(id) != 16 || ids[id] {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		ids[id] = true
		if stored := w.files.Text(blobkey.Request(alice, preload.ID(id))); stored != body {
			t.Errorf("stored %q", stored)
		}
	}
}

// Spec: Preload batch; Preload item result.
func TestGet(t *testing.T) {
	t.Parallel()
	expires := now.Add(72 * time.Hour)
	ended := now.Add(time.Second)
	cached := preload.Result{Key: "preloads/alice/b/1-x.mov", Web: "preloads/alice/b/1-x-web.webm", ExpiresAt: &expires, Duration: 2.5, Width: 64, Height: 48, Size: 999}
	blocked := preload.Result{Key: "preloads/alice/b/2-x.png", ExpiresAt: &expires, Warning: preload.QuotaBlocked, Width: 1, Height: 1, Size: 1}
	failed := blocked
	failed.Warning = preload.PersistFailed
	w := newWorld(t, batches{known: {
		ID: known, Account: "alice", Status: projections.PreloadRunning, CreatedAt: now, EndedAt: &ended, Items: []projections.PreloadItem{
			{ID: "a", Type: "video", Status: projections.PreloadPending},
			{ID: "b", Type: "video", Status: projections.PreloadRunning},
			{ID: "c", Type: "video", Status: projections.PreloadReady, Result: &cached},
			{ID: "d", Type: "image", Status: projections.PreloadReady, Result: &preload.Result{Folder: "generated", Name: "k-d.tiff", WebName: "k-d-web.mp4", Width: 9, Height: 8, Size: 7}},
			{ID: "e", Type: "image", Status: projections.PreloadReady, Result: &blocked},
			{ID: "f", Type: "image", Status: projections.PreloadReady, Result: &failed},
			{ID: "g", Type: "image", Status: projections.PreloadError, Result: &preload.Result{Error: "no such picture"}},
		},
	}})
	answer, err := w.call(t, http.MethodGet, known, "")
	if err != nil {
		t.Fatal(err)
	}
	token := w.addresses.Token(alice)
	want := strings.NewReplacer("$LIBRARY", base+"/v2/media/"+token+"/files/", "$CACHE", base+"/v2/media/"+token+"/cache/", "$EXPIRES", "2026-11-24T09:30:00.000Z").Replace(`{
		"success": true, "preload_id": "Preload000000001", "status": "running", "created_at": "2026-11-21T09:30:00.000Z", "ended_at": "2026-11-21T09:30:01.000Z",
		"timestamp": "2026-11-21T09:30:00.000Z", "items": [
		{"id": "a", "type": "video", "status": "pending", "persistent": false, "expires_at": null, "task": "preload/Preload000000001/0"},
		{"id": "b", "type": "video", "status": "running", "persistent": false, "expires_at": null, "task": "preload/Preload000000001/1"},
		{"id": "c", "type": "video", "status": "ready", "persistent": false, "expires_at": "$EXPIRES", "task": "preload/Preload000000001/2",
			"url": "$CACHEb/1-x.mov", "webURL": "$CACHEb/1-x-web.webm", "duration": 2.5, "width": 64, "height": 48, "size": 999},
		{"id": "d", "type": "image", "status": "ready", "persistent": true, "expires_at": null, "task": "preload/Preload000000001/3",
			"url": "$LIBRARYgenerated/k-d.tiff", "webURL": "$LIBRARYgenerated/k-d-web.mp4", "width": 9, "height": 8, "size": 7},
		{"id": "e", "type": "image", "status": "ready", "persistent": false, "expires_at": "$EXPIRES", "task": "preload/Preload000000001/4",
			"url": "$CACHEb/2-x.png", "warning": "quota_blocked", "width": 1, "height": 1, "size": 1},
		{"id": "f", "type": "image", "status": "ready", "persistent": false, "expires_at": "$EXPIRES", "task": "preload/Preload000000001/5",
			"url": "$CACHEb/2-x.png", "warning": "persist_failed", "width": 1, "height": 1, "size": 1},
		{"id": "g", "type": "image", "status": "error", "persistent": false, "expires_at": null, "task": "preload/Preload000000001/6", "error": "no such picture"}
	]}`)
	var shown, wanted any
	if err := errors.Join(json.Unmarshal(answer.Body.Bytes(), &shown), json.Unmarshal([]byte(want), &wanted)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, shown); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// Spec: GET /preloads/{preload_id}, 400 and 404; decisions 6 and 7.
func TestGet_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batches{"Another000000001": {ID: "Another000000001", Account: "mallory", Status: projections.PreloadDone}})
	malformed := "Invalid preload_id: it has 16 characters"
	for id, text := range map[string]string{
		"": malformed, "x": malformed, strings.Repeat("x", 15): malformed, strings.Repeat("x", 17): malformed, strings.Repeat("é", 8): malformed,
		strings.Repeat("é", 16): "", "................": "", "Unknown000000001": "", "Another000000001": "",
	} {
		_, err := w.call(t, http.MethodGet, id, "")
		if text == "" {
			requireRefusal(t, err, domain.NotFound, "preload_not_found", "Preload "+id+" not found")
			continue
		}
		requireRefusal(t, err, domain.Invalid, "preload_id_malformed", text)
	}
	if _, err := w.call(t, http.MethodGet, "broken0000000000", ""); !errors.Is(err, errBroken) {
		t.Errorf("a store that is away: %v", err)
	}
}

// Decision "Roles"; a configuration that lacks anything is refused.
func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := preloads.New(preloads.Config{}); err == nil {
		t.Error("an empty configuration is taken")
	}
	roles := map[string]key.Role{}
	for _, operation := range newWorld(t, nil).Operations() {
		roles[operation.Method+" "+operation.Path] = operation.Role
	}
	want := map[string]key.Role{"POST /v2/preloads": key.Render, "GET /v2/preloads/{preload_id}": key.Viewer}
	if diff := cmp.Diff(want, roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}
