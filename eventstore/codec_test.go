package eventstore_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/anchor"
	"moviola/domain/batch"
	"moviola/domain/connection"
	"moviola/domain/idempotency"
	"moviola/domain/installation"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/domain/mailing"
	"moviola/domain/movie"
	"moviola/domain/operator"
	"moviola/domain/template"
	"moviola/eventstore"
)

var update = flag.Bool("update", false, "write the golden files of event versions that have none yet, and rewrite the others")

var at = time.Date(2026, 11, 21, 9, 30, 15, 123_000_000, time.UTC)

// samples has one event of every type, every field set: see TestSamples_complete.
func samples() []domain.Event { return slices.Concat(mediaSamples(), coreSamples(), batchSamples()) }

func batchSamples() []domain.Event {
	return []domain.Event{
		batch.Requested{Account: "acct", Template: "Abcd1234Efgh5678Ijkl", Templates: []movie.TemplateUse{{ID: "Abcd1234Efgh5678Ijkl", Revision: 3, Body: "ef01"}},
			RowsHash: "abcd", Rows: []batch.Row{{Number: 2, Held: 7, Draft: true}}, Counted: true, Outputs: 10, At: at,
			Flaws: []batch.Flaw{{Row: 1, Column: "seconds", Code: "value_type", Message: "why"}}},
		batch.Accepted{At: at}, batch.Refused{Code: "insufficient_credits", Message: "Insufficient credits", At: at},
		batch.Submitted{Movies: 1, At: at}, batch.Cancelled{At: at}, batch.Closed{Cancelled: true, At: at}, batch.Finished{Worker: "w", At: at},
	}
}

func coreSamples() []domain.Event {
	expires, index, credits, spent := at.Add(time.Hour), 1, int64(600), int64(240)
	integrated := -14.2
	plan := &movie.Dimensions{Width: 1920, Height: 1080, Frames: 250, FPSNum: 30000, FPSDen: 1001}
	file := &movie.File{
		Key: "renders/Abcd1234Efgh5678/1.mp4", Thumbnail: "renders/Abcd1234Efgh5678/1.jpg", Token: "00112233445566778899aabbccddeeff",
		Subtitles: "renders/Abcd1234Efgh5678/1.ass",
		Size:      123456, Codec: "h264", CodecType: "video", PixelFormat: "yuv420p", VideoStreams: 1, AudioStreams: 1, FrameRate: 29.97,
		ColorTransfer: "bt709", ColorPrimaries: "bt709", ColorSpace: "bt709", Hash: "ef01",
		Loudness: &movie.Loudness{Integrated: &integrated, TruePeak: -1.1},
		Outputs: []movie.Output{{Format: "gif", Status: movie.OutputDone, Width: 640, Height: 360, Duration: 10, Files: []movie.OutputFile{
			{Name: "movie.gif", Key: "renders/Abcd1234Efgh5678/1-movie.gif", Size: 42, Hash: "ef02"}}},
			{Format: "hologram", Status: movie.OutputError, Message: "why"}},
	}
	body, name := template.Body{Hash: "ef01", Size: 42, Width: 1920, Height: 1080}, "New"
	return []domain.Event{
		movie.Submitted{Account: "acct", At: at, DocumentHash: "abcd", DocumentSize: 42, Held: 7, Draft: true, Counted: true, Destinations: 1,
			Targets:   []movie.Target{{Type: "webhook", ID: "hook"}},
			Templates: []movie.TemplateUse{{ID: "Abcd1234Efgh5678Ijkl", Revision: 3, Body: "ef01"}}, Sources: true,
			MaxCredits: 12, Warnings: []string{"scenes[0].fade is ignored"}, Batch: "Bbcd1234Efgh5678", Row: 4, Terms: []string{"1f2e3d"},
			Outputs: []movie.Output{{Format: "hologram", Status: movie.OutputError, Message: "why"}}},
		movie.SubmissionAbandoned{Account: "acct", At: at},
		movie.SourcesFetchStarted{Attempt: 2, Worker: "w1", At: at, Alone: true, Death: domain.Crashed},
		movie.SourcesFetchReleased{Attempt: 2, Worker: "w1", At: at, Memory: true},
		movie.SourcesFetched{Attempt: 2, Worker: "w1", At: at},
		movie.RenderStarted{Attempt: 2, Worker: "w1", At: at, Alone: true, Death: domain.Crashed, Windows: 3, Encoder: "vaapi", EncoderVersion: "iHD driver 23.1.1"},
		movie.RenderReleased{Attempt: 2, Worker: "w1", At: at, Memory: true, Shared: true},
		movie.RenderFinished{Attempt: 2, Worker: "w1", At: at, Success: true, Message: "why", Plan: plan, File: file, Credits: 9,
			Warnings: []string{"odd size"}, CacheKey: "ef01", CachedFrom: "Wxyz1234Efgh5678", Code: "source_not_found", Family: "movie",
			Spent: &movie.Spent{TookMS: 5200, StagesMS: map[string]int64{"window": 4100}, Encoded: 200, Cached: 50}},
		movie.RenderTimedOut{At: at},
		movie.Cancelled{At: at},
		movie.FileDeleted{Reason: movie.ByUser, At: at},
		movie.DeliveryStarted{Run: 1, Worker: "w1", At: at, Death: domain.Crashed},
		movie.DeliveryAttempted{Run: 1, Index: 2, Try: 3, Final: true, Type: "webhook", ID: "hook", Status: movie.DeliveryError,
			HTTPStatus: 503, Message: "https://example.com answered 503", DurationMS: 250, At: at, Spent: &spent},
		movie.DeliveryReleased{Run: 1, Worker: "w1", At: at, Spent: &spent},
		movie.DeliveryFinished{Run: 1, At: at},
		movie.RedeliveryRequested{Request: 1, Index: &index, At: at},
		ledger.CreditsGranted{Reference: "opening", Kind: "pack", Amount: 600, At: at},
		ledger.CreditsHeld{Project: "Abcd1234Efgh5678", Amount: 7, At: at, Batch: "Bbcd1234Efgh5678"},
		ledger.CreditsHoldChanged{Project: "Abcd1234Efgh5678", Attempt: 2, Before: 7, Amount: 9, At: at},
		ledger.CreditsCharged{Project: "Abcd1234Efgh5678", Amount: 9, Zero: true, At: at},
		ledger.CreditsReleased{Project: "Abcd1234Efgh5678", Amount: 9, Reason: "failed", At: at},
		ledger.MovieCounted{Project: "Abcd1234Efgh5678", Period: "2026-11", At: at, Batch: "Bbcd1234Efgh5678"},
		ledger.DraftCounted{Project: "Abcd1234Efgh5678", Period: "2026-11", At: at, Batch: "Bbcd1234Efgh5678"},
		ledger.CountKept{Project: "Abcd1234Efgh5678", At: at},
		ledger.CountReleased{Project: "Abcd1234Efgh5678", Period: "2026-11", Draft: true, Reason: "failed", At: at},
		ledger.ZeroBalancePurged{Since: at, At: at},
		ledger.Closed{At: at},
		ledger.SnapshotTaken{Revision: 300, Event: "8f14e45f-ceea-567a-9e2b-3a1c5d6e7f80", Version: 1, At: at, State: ledger.State{
			Granted: 600, Charged: 9, Pack: true, Closed: true, Zero: at.UnixNano(), Purged: at.UnixNano(), Grants: []string{"opening"},
			Open:   []ledger.OpenState{{Project: "Abcd1234Efgh5678", Amount: 7, Attempt: 2, At: at.UnixNano()}},
			Counts: []ledger.OpenState{{Project: "Bbcd1234Efgh5678", Period: "2026-11", Draft: true, At: at.UnixNano()}},
			Used:   []ledger.UsedState{{Period: "2026-11", Movies: 3, Drafts: 1}},
			Ended:  []ledger.EndState{{Project: "Cbcd1234Efgh5678", Charged: true, At: at.UnixNano()}},
		}},
		ledger.Opened{Revision: 300, Event: "8f14e45f-ceea-567a-9e2b-3a1c5d6e7f80", Version: 2, First: 4, Signature: []byte("signed"), At: at,
			State: ledger.State{
				Granted: 600, Charged: 9, Pack: true, Closed: true, Zero: at.UnixNano(), Purged: at.UnixNano(),
				Ended: []ledger.EndState{{Project: "Cbcd1234Efgh5678", Charged: true, At: at.UnixNano()}},
			}},
		ledger.OpeningPage{Revision: 300, Page: 4, At: at, State: ledger.State{
			Grants: []string{"opening"},
			Open:   []ledger.OpenState{{Project: "Abcd1234Efgh5678", Amount: 7, Attempt: 2, At: at.UnixNano()}},
			Counts: []ledger.OpenState{{Project: "Bbcd1234Efgh5678", Period: "2026-11", Draft: true, At: at.UnixNano()}},
			Used:   []ledger.UsedState{{Period: "2026-11", Movies: 3, Drafts: 1}},
		}},
		account.Opened{Name: "Anna", Plan: "paid", Credits: &credits, At: at},
		account.PlanChanged{Change: 1, Plan: "counted", Counted: true, Zero: true, At: at},
		account.Closed{At: at},
		account.Cleared{Reason: account.Purged, Round: 1, At: at},
		connection.Saved{
			Version: 2, Kind: connection.SFTP, Settings: connection.Settings{"host": "files.example", "username": "me"},
			Secrets: []string{"password"}, Sealed: connection.Sealed{Key: "0123456789abcdef", Data: []byte("nonce and ciphertext")}, Signing: 2, At: at,
		},
		connection.Tested{Number: 3, Success: true, Message: "The connection works", HostKey: "SHA256:abc", At: at},
		connection.Deleted{Version: 2, At: at},
		key.Issued{Account: "acct", Name: "admin", Role: key.Admin, Hash: "abcd", Legacy: key.Primary, First: true, ExpiresAt: &expires, At: at},
		key.Revoked{At: at},
		key.SessionEnded{Session: "0123456789abcdef0123456789abcdef", Began: at, Until: expires, At: at},
		installation.Opened{Fingerprint: "00112233", At: at},
		anchor.Began{Worker: "host-1", Places: []string{"folder /srv"}, At: at},
		anchor.Sent{Place: "folder /srv", Name: "moviola-20261121T090000.000Z", Digest: "abcd", Ledgers: 2, Events: 9, At: at},
		anchor.NotSent{Place: "folder /srv", Reason: "no room", At: at},
		operator.Acted{ID: "Abcd1234Efgh5678", Who: "anna", Act: "grant credits", On: "acct", How: "50 credits", At: at,
			Issuer: "https://id.example", Subject: "s-1", Refused: "why"},
		operator.Added{Name: "anna", Role: operator.Owner, Hash: "abcd", At: at},
		operator.Revoked{Name: "anna", Hash: "abcd", At: at},
		operator.SignedIn{Session: "00ff", By: "11ee", Name: "oidc:anna", Role: operator.Owner, Issuer: "https://id.example", Subject: "s-1",
			Began: at, Until: at.Add(12 * time.Hour)},
		operator.SignedOut{Session: "00ff", Began: at, Until: at.Add(12 * time.Hour), At: at},
		idempotency.Reserved{Project: "Abcd1234Efgh5678", BodyHash: "abcd", At: at},
		mailing.RecipientsCounted{Mail: "Abcd1234Efgh5678/0/2", Recipients: 3, At: at},
		template.Created{Account: "acct", Name: "Sale", Tags: []string{"ads"}, Body: body, Prompt: "Write", At: at},
		template.Updated{Change: "k1", Name: &name, Tags: &[]string{"b"}, Body: &body, Prompt: &name, At: at},
		template.Duplicated{Source: "Abcd1234Efgh5678Ijkl", SourceRevision: 2, Account: "acct", Name: "Sale (custom)", Tags: []string{"ads"},
			Body: body, Prompt: "Write", At: at},
		template.Published{Change: 1, Example: template.Example{Project: "Abcd1234Efgh5678", Body: "ef01", Video: "library/a.mp4",
			Thumbnail: "library/a.jpg"}, At: at},
		template.Unpublished{Change: 2, At: at},
		template.Deleted{At: at},
		template.Swept{At: at},
	}
}

//go:generate go test -run TestCodec_golden -update .

// TestCodec_golden pins the stored form of the newest version of every event.
func TestCodec_golden(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec()
	left := codec.Versions()
	for _, event := range samples() {
		proposed, err := codec.Encode("some-stream", eventstore.Meta{Time: at}, event)
		if err != nil {
			t.Fatalf("encode %s: %v", event.EventType(), err)
		}
		path := filepath.Join("testdata", fmt.Sprintf("%s.v%d.json", proposed.Type, left[proposed.Type]))
		delete(left, proposed.Type)
		var got bytes.Buffer
		if err := json.Indent(&got, proposed.Data, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	for name := range left {
		t.Errorf("%s has no sample", name)
	}
}

// TestCodec_readsEveryVersion decodes every golden file, of old versions too, and finds the sample of its type in it.
func TestCodec_readsEveryVersion(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec()
	want := make(map[string]domain.Event)
	for _, event := range samples() {
		want[event.EventType()] = event
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < len(want) {
		t.Fatalf("%d golden files for %d types, %v", len(files), len(want), err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), ".v")
		got, _, err := codec.Decode(eventstore.Recorded{Type: name, Data: data, Metadata: []byte(`{"v":` + version + `}`)})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if diff := cmp.Diff(want[name], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestCodec_metadata(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec()
	elsewhere := time.FixedZone("elsewhere", 3600)
	proposed, err := codec.Encode("movie-1", eventstore.Meta{
		Account: "acct", Correlation: "request", Causation: "cause", Time: at.Add(456_789).In(elsewhere),
	}, movie.RenderTimedOut{At: at})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"$correlationId":"request","$causationId":"cause","account":"acct","time":"2026-11-21T09:30:15.123Z"}`
	if got := string(proposed.Metadata); got != want {
		t.Errorf("metadata %s, want %s", got, want)
	}
	_, meta, err := codec.Decode(eventstore.Recorded{Type: proposed.Type, Data: proposed.Data, Metadata: proposed.Metadata})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(eventstore.Metadata{Version: 1, Correlation: "request", Causation: "cause", Account: "acct", Time: at}, meta); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

// counted is an event whose third version is the newest: count was once called n, and once counted from 0.
type counted struct {
	Count int `json:"count"`
}

func (counted) EventType() string { return "Counted" }
func (counted) EventKey() string  { return "" }

func newCountedCodec() *eventstore.Codec {
	codec := eventstore.NewCodec()
	eventstore.Define[counted](codec,
		func(v1 []byte) ([]byte, error) { return bytes.Replace(v1, []byte(`"n"`), []byte(`"count"`), 1), nil },
		func(v2 []byte) ([]byte, error) {
			var e counted
			if err := json.Unmarshal(v2, &e); err != nil {
				return nil, err
			}
			e.Count++
			return json.Marshal(e)
		})
	return codec
}

func TestCodec_upcasts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		metadata string
		data     string
		want     domain.Event
		unknown  bool
		fails    bool
	}{
		{name: "first version, by both steps", metadata: `{"v":1}`, data: `{"n":4}`, want: counted{5}},
		{name: "second version, by the last step", metadata: `{"v":2}`, data: `{"count":4}`, want: counted{5}},
		{name: "newest version, as it is", metadata: `{"v":3}`, data: `{"count":4}`, want: counted{4}},
		{name: "a step that fails", metadata: `{"v":2}`, data: `{"count":"four"}`, fails: true},
		{name: "a version from the future", metadata: `{"v":4}`, data: `{"count":4}`, unknown: true},
		{name: "no version", metadata: `{}`, data: `{"count":4}`, unknown: true},
		{name: "no metadata", metadata: ``, data: `{"count":4}`, fails: true},
	}
	codec := newCountedCodec()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _, err := codec.Decode(eventstore.Recorded{Type: "Counted", Data: []byte(tt.data), Metadata: []byte(tt.metadata)})
			if errors.Is(err, eventstore.ErrUnknownType) != tt.unknown || (err != nil) != (tt.unknown || tt.fails) {
				t.Fatalf("error %v", err)
			}
			if err == nil && got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCodec_unknownType(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec()
	if _, err := codec.Encode("s-1", eventstore.Meta{}, counted{}); !errors.Is(err, eventstore.ErrUnknownType) {
		t.Errorf("encode: %v", err)
	}
	_, _, err := codec.Decode(eventstore.Recorded{Type: "Counted", Data: []byte(`{}`), Metadata: []byte(`{"v":1}`)})
	if !errors.Is(err, eventstore.ErrUnknownType) {
		t.Errorf("decode: %v", err)
	}
}

// TestEventID pins an id: ids of stored events never change.
func TestEventID(t *testing.T) {
	t.Parallel()
	first := movie.RenderStarted{Attempt: 1, Worker: "a"}
	if got, want := eventstore.EventID("movie-Abcd1234Efgh5678", first), uuid.MustParse("bd9ade7a-f62c-54a7-a26e-52646446c153"); got != want {
		t.Errorf("id %s, want %s", got, want)
	}
	others := map[string]uuid.UUID{
		"another stream": eventstore.EventID("movie-Zbcd1234Efgh5678", first),
		"another worker": eventstore.EventID("movie-Abcd1234Efgh5678", movie.RenderStarted{Attempt: 1, Worker: "b"}),
		"another type":   eventstore.EventID("movie-Abcd1234Efgh5678", movie.RenderReleased{Attempt: 1, Worker: "a"}),
	}
	for name, id := range others {
		if id == eventstore.EventID("movie-Abcd1234Efgh5678", first) {
			t.Errorf("%s has the same id", name)
		}
	}
	later := movie.RenderStarted{Attempt: 1, Worker: "a", At: at}
	if eventstore.EventID("movie-Abcd1234Efgh5678", later) != eventstore.EventID("movie-Abcd1234Efgh5678", first) {
		t.Error("the time changes the id")
	}
}

func TestSplitStream(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, category, id string }{
		{"movie-Abcd", "movie", "Abcd"},
		{"mediapath-acct.a-b-c", "mediapath", "acct.a-b-c"},
		{"installation", "installation", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		if category, id := eventstore.SplitStream(tt.name); category != tt.category || id != tt.id {
			t.Errorf("%q is %q and %q, want %q and %q", tt.name, category, id, tt.category, tt.id)
		}
	}
}
