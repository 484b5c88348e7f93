package documentstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/projections"
)

// Open opens the store under test. All calls within one test open the same data, as other processes would; every test has data of
// its own. The stores are closed when the test ends.
type Open func(t *testing.T) projections.Documents

// Run tests a document store. prepare is called once for each test.
func Run(t *testing.T, prepare func(t *testing.T) Open) {
	t.Helper()
	tests := []struct {
		name string
		test func(t *testing.T, open Open)
	}{
		{"a document comes back as it was written", roundTrip},
		{"a document is replaced only at its version", versions},
		{"a tombstone keeps its place until it is swept", tombstones},
		{"a checkpoint is never ahead of its documents", checkpointLast},
		{"writers of one document at once lose nothing", contention},
		{"pages follow an index", pages},
		{"pages reach every document once, whatever the directions", keysets},
		{"texts are ordered by their bytes", byteOrder},
		{"a place skips to the next value", skips},
		{"what cannot be indexed is refused", unindexable},
		{"what was not declared is refused", undeclared},
		{"a dropped collection is empty again", dropped},
		{"another process sees what was written", shared},
		{"a call ends with its context", ends},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.test(t, prepare(t))
		})
	}
}

// thing is a document with a field of every type that documents use.
type thing struct {
	Name    string         `json:"name"`
	Rank    int64          `json:"rank"`
	Open    bool           `json:"open"`
	At      time.Time      `json:"at"`
	Maybe   *time.Time     `json:"maybe"`
	Share   float64        `json:"share"`
	Small   int            `json:"small"`
	Parts   []part         `json:"parts"`
	Words   []string       `json:"words"`
	Part    *part          `json:"part"`
	Places  map[string]int `json:"places"`
	Skipped string         `json:"skipped,omitempty"`
}

type part struct {
	Title string    `json:"title"`
	Since time.Time `json:"since"`
}

var things = projections.Collection{Name: "things", Indexes: []projections.Index{
	{Name: "ranked", Fields: []projections.Field{{Name: "name"}, {Name: "rank"}}},
	{Name: "newest", Fields: []projections.Field{{Name: "name"}, {Name: "at", Descending: true}}},
	{Name: "mixed", Fields: []projections.Field{{Name: "open"}, {Name: "name", Descending: true}, {Name: "rank"},
		{Name: "at", Descending: true}}},
}}

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// withThings opens the store with the collection of things declared.
func withThings(t *testing.T, open Open) projections.Documents {
	t.Helper()
	docs := open(t)
	if err := docs.Declare(t.Context(), things); err != nil {
		t.Fatalf("declare: %v", err)
	}
	return docs
}

func write(id string, loaded int64, doc thing) projections.Write {
	return projections.Write{Collection: things.Name, ID: id, Loaded: loaded, Document: doc}
}

func mustCommit(t *testing.T, docs projections.Documents, writes ...projections.Write) {
	t.Helper()
	if err := docs.Commit(t.Context(), projections.Changes{Writes: writes}); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// mustGet returns one document and its content; the zero Stored when there is none.
func mustGet(t *testing.T, docs projections.Documents, id string) (projections.Stored, thing) {
	t.Helper()
	found, err := docs.Get(t.Context(), things.Name, id)
	if err != nil {
		t.Fatalf("get %s: %v", id, err)
	}
	stored, ok := found[id]
	if !ok {
		return projections.Stored{}, thing{}
	}
	return stored, decode(t, stored)
}

func decode(t *testing.T, stored projections.Stored) thing {
	t.Helper()
	var doc thing
	if err := stored.Body.Decode(&doc); err != nil {
		t.Fatalf("decode %s: %v", stored.ID, err)
	}
	return doc
}

// mustPage returns the ids of a page.
func mustPage(t *testing.T, docs projections.Documents, q projections.Query) []string {
	t.Helper()
	page, err := docs.Page(t.Context(), things.Name, q)
	if err != nil {
		t.Fatalf("page: %v", err)
	}
	ids := []string{}
	for _, stored := range page {
		ids = append(ids, stored.ID)
	}
	return ids
}

func wantIDs(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func roundTrip(t *testing.T, open Open) {
	docs := withThings(t, open)
	local := time.FixedZone("east", 3*3600)
	later := epoch.Add(1500 * time.Millisecond)
	full := thing{
		Name: "naïve \"quoted\" \x00 \u2028 日本", Rank: 1<<62 + 1, Open: true,
		At: epoch.Add(123456789).In(local), Maybe: &later, Share: 12.5, Small: -7,
		Parts: []part{{Title: "one", Since: epoch}, {Title: "", Since: time.Time{}}}, Words: []string{"a", ""},
		Part: &part{Title: "$date", Since: later}, Places: map[string]int{"x": 1}, Skipped: "no",
	}
	mustCommit(t, docs, write("full", 0, full), write("empty", 0, thing{}), write("whole", 0, thing{Share: 3, Words: []string{}}))

	want := full
	want.At = epoch.Add(123 * time.Millisecond) // milliseconds, in UTC
	_, got := mustGet(t, docs, "full")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("full (-want +got):\n%s", diff)
	}
	if got.At.Location() != time.UTC || got.Parts[1].Since.Location() != time.UTC {
		t.Errorf("times came back in %v and %v", got.At.Location(), got.Parts[1].Since.Location())
	}
	if _, got := mustGet(t, docs, "empty"); !cmp.Equal(thing{}, got) || !got.At.IsZero() {
		t.Errorf("empty came back as %+v", got)
	}
	if _, got := mustGet(t, docs, "whole"); got.Share != 3 || got.Words == nil {
		t.Errorf("whole came back as %+v", got)
	}
}

func versions(t *testing.T, open Open) {
	docs := withThings(t, open)
	mustCommit(t, docs, write("a", 0, thing{Rank: 1}))
	mustCommit(t, docs, write("a", 1, thing{Rank: 2}))
	if stored, doc := mustGet(t, docs, "a"); stored.Version != 2 || doc.Rank != 2 || stored.Gone {
		t.Fatalf("got version %d, rank %d, gone %v", stored.Version, doc.Rank, stored.Gone)
	}
	for _, loaded := range []int64{0, 1, 3} {
		wantStale(t, docs, write("a", loaded, thing{Rank: 9}))
	}
	wantStale(t, docs, write("b", 1, thing{Rank: 9}))
	if stored, doc := mustGet(t, docs, "a"); stored.Version != 2 || doc.Rank != 2 {
		t.Errorf("stale writes made it version %d, rank %d", stored.Version, doc.Rank)
	}
	if stored, _ := mustGet(t, docs, "b"); stored.Version != 0 {
		t.Errorf("a stale write made b at version %d", stored.Version)
	}
	found, err := docs.Get(t.Context(), things.Name, "b", "a", "c")
	if err != nil || len(found) != 1 || found["a"].ID != "a" {
		t.Errorf("get of one that exists among others: %v, %v", found, err)
	}
	if found, err = docs.Get(t.Context(), things.Name); err != nil || len(found) != 0 {
		t.Errorf("get of nothing: %v, %v", found, err)
	}
}

func tombstones(t *testing.T, open Open) {
	docs := withThings(t, open)
	mustCommit(t, docs, write("a", 0, thing{Name: "x", Rank: 1}), write("b", 0, thing{Name: "x", Rank: 2}),
		write("c", 0, thing{Name: "x", Rank: 3}))
	laid := func(id string, loaded int64, at time.Time) projections.Write {
		w := write(id, loaded, thing{Name: "x", Rank: 40 + loaded})
		w.Gone = at
		return w
	}
	mustCommit(t, docs, laid("a", 1, epoch), laid("b", 1, epoch.Add(time.Hour)))
	q := projections.Query{Index: "ranked", Equal: []any{"x"}, Limit: 10}
	wantIDs(t, "page", mustPage(t, docs, q), "c")
	wantIDs(t, "page by id", mustPage(t, docs, projections.Query{Limit: 10}), "c")
	if stored, doc := mustGet(t, docs, "a"); !stored.Gone || stored.Version != 2 || doc.Rank != 41 {
		t.Errorf("the tombstone is %+v, %+v", stored, doc)
	}
	wantStale(t, docs, write("a", 0, thing{Name: "x"})) // the tombstone conflicts with a writer that has not seen it

	mustSweep(t, docs, epoch, 10, 0)
	mustSweep(t, docs, epoch.Add(time.Minute), 10, 1)
	if stored, _ := mustGet(t, docs, "a"); stored.Version != 0 {
		t.Error("a swept tombstone is still there")
	}
	mustCommit(t, docs, write("b", 2, thing{Name: "x", Rank: 5}))
	wantIDs(t, "page after b came back", mustPage(t, docs, q), "c", "b")
	mustSweep(t, docs, epoch.Add(24*time.Hour), 10, 0)

	mustCommit(t, docs, laid("b", 3, epoch), laid("c", 1, epoch))
	mustSweep(t, docs, epoch.Add(time.Hour), 1, 1)
	mustSweep(t, docs, epoch.Add(time.Hour), 1, 1)
	mustSweep(t, docs, epoch.Add(time.Hour), 1, 0)
}

func mustSweep(t *testing.T, docs projections.Documents, before time.Time, limit, want int) {
	t.Helper()
	removed, err := docs.Sweep(t.Context(), things.Name, before, limit)
	if err != nil || removed != want {
		t.Errorf("sweep before %v: %d, %v; want %d", before, removed, err, want)
	}
}

func undeclared(t *testing.T, open Open) {
	docs := open(t)
	if err := docs.Declare(t.Context(), projections.Collection{Name: `bad"name`}); err == nil {
		t.Error("a bad name was declared")
	}
	if _, err := docs.Get(t.Context(), "nowhere", "a"); err == nil {
		t.Error("get worked")
	}
	if _, err := docs.Page(t.Context(), "nowhere", projections.Query{Limit: 1}); err == nil {
		t.Error("page worked")
	}
	if err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{Collection: "nowhere", ID: "a",
		Document: thing{}}}}); err == nil {
		t.Error("commit worked")
	}
	docs = withThings(t, open)
	for _, q := range []projections.Query{
		{Index: "nosuch", Limit: 1},
		{Index: "ranked"},
		{Index: "ranked", Limit: projections.MaxPage + 1},
		{Index: "ranked", Equal: []any{"a", int64(1), "b"}, Limit: 1},
		{Index: "ranked", Equal: []any{"a"}, After: []any{int64(1), "b", "c"}, Limit: 1},
	} {
		if _, err := docs.Page(t.Context(), things.Name, q); err == nil {
			t.Errorf("page %+v worked", q)
		}
	}
}

func dropped(t *testing.T, open Open) {
	docs := withThings(t, open)
	mustCommit(t, docs, write("a", 0, thing{Name: "x"}))
	for range 2 {
		if err := docs.Drop(t.Context(), things.Name); err != nil {
			t.Fatalf("drop: %v", err)
		}
	}
	docs = withThings(t, open)
	wantIDs(t, "page", mustPage(t, docs, projections.Query{Index: "ranked", Equal: []any{"x"}, Limit: 10}))
	mustCommit(t, docs, write("a", 0, thing{Name: "x"}))
	if err := docs.Declare(t.Context(), things, things); err != nil {
		t.Errorf("declare again: %v", err)
	}
	wantIDs(t, "page after declaring again", mustPage(t, docs, projections.Query{Limit: 10}), "a")
}

func shared(t *testing.T, open Open) {
	one, two := withThings(t, open), withThings(t, open)
	mustCommit(t, one, write("a", 0, thing{Name: "x", Rank: 1}))
	if stored, doc := mustGet(t, two, "a"); stored.Version != 1 || doc.Rank != 1 {
		t.Fatalf("the other process sees %+v", stored)
	}
	mustCommit(t, two, write("a", 1, thing{Name: "y", Rank: 2}))
	wantStale(t, one, write("a", 1, thing{Rank: 9}))
	wantIDs(t, "page", mustPage(t, one, projections.Query{Index: "ranked", Equal: []any{"y"}, Limit: 10}), "a")
}

func ends(t *testing.T, open Open) {
	docs := withThings(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := docs.Commit(ctx, projections.Changes{Writes: []projections.Write{write("a", 0, thing{})}}); err == nil {
		t.Error("a commit worked after its context had ended")
	}
	if _, err := docs.Get(ctx, things.Name, "a"); err == nil {
		t.Error("a get worked after its context had ended")
	}
	if _, err := docs.Page(ctx, things.Name, projections.Query{Limit: 1}); err == nil {
		t.Error("a page worked after its context had ended")
	}
	if stored, _ := mustGet(t, docs, "a"); stored.Version != 0 {
		t.Error("a commit that failed wrote its document")
	}
}

func name(n int) string { return fmt.Sprintf("n%03d", n) }
