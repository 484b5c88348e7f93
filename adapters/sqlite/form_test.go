package sqlite_test

import (
	"encoding/hex"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/projections"
)

// thing has a field of each type that documents have.
type thing struct {
	Owner  string     `json:"owner"`
	Rank   int64      `json:"rank"`
	Live   bool       `json:"live"`
	At     time.Time  `json:"at"`
	Ended  *time.Time `json:"ended"`
	Ratio  float64    `json:"ratio"`
	Tags   []string   `json:"tags"`
	Nested struct {
		At time.Time `json:"at"`
	} `json:"nested"`
}

var ranked = projections.Collection{Name: "things", Indexes: []projections.Index{
	{Name: "all", Fields: []projections.Field{{Name: "owner"}, {Name: "live"}, {Name: "at", Descending: true}, {Name: "rank"}}},
}}

func thingAt(rank int64, at time.Time) thing {
	one := thing{Owner: `a "b" \ {[, ü`, Rank: rank, Live: true, At: at, Ended: &at, Ratio: 0.5, Tags: []string{"x,]}"}}
	one.Nested.At = at
	return one
}

func mustWrite(t *testing.T, docs projections.Documents, id string, loaded int64, document any) {
	t.Helper()
	write := projections.Write{Collection: ranked.Name, ID: id, Loaded: loaded, Document: document}
	if err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{write}}); err != nil {
		t.Fatal(err)
	}
}

// wantThings holds the page of the index against documents, the newest first.
func wantThings(t *testing.T, docs projections.Documents, want ...thing) {
	t.Helper()
	page, err := docs.Page(t.Context(), ranked.Name, projections.Query{Index: "all", Equal: []any{want[0].Owner, true}, Limit: 10,
		Range: projections.Range{Min: time.Unix(0, 0).UTC()}})
	if err != nil {
		t.Fatal(err)
	}
	var got []thing
	for _, stored := range page {
		var one thing
		if err := stored.Body.Decode(&one); err != nil {
			t.Fatal(err)
		}
		got = append(got, one)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

// asked is what a statement answers, as text.
func asked(t *testing.T, path, statement string) []string {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var out []string
	err = sqlitex.ExecuteTransient(conn, statement, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		for i := range stmt.ColumnCount() {
			out = append(out, stmt.ColumnText(i))
		}
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return out
}

// TestDocuments_readable: any program that knows SQLite reads the documents.
func TestDocuments_readable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "read.db")
	docs := mustOpen(t, path)
	if err := docs.Declare(t.Context(), ranked); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 25, 20, 15, 0, 0, time.UTC)
	first, second := thingAt(1<<60+1, at.Add(120*time.Millisecond)), thingAt(2, at)
	mustWrite(t, docs, "a", 0, first)
	mustWrite(t, docs, "b", 0, second)
	wantThings(t, docs, first, second)
	got := asked(t, path, `SELECT json_extract(body, '$.at'), typeof(json_extract(body, '$.rank')), json_extract(body, '$.rank'),
		json_extract(body, '$.live'), json_extract(body, '$.ratio'), json_extract(body, '$.nested.at'), typeof(body),
		json_extract(body, '$.owner'), json_extract(body, '$.tags[0]')
		FROM things WHERE json_extract(body, '$.at') > '2026-11-25T20:15:00.000Z'`)
	want := []string{"2026-11-25T20:15:00.120Z", "integer", "1152921504606846977", "1", "0.5", "2026-11-25T20:15:00.120Z", "text",
		`a "b" \ {[, ü`, "x,]}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a document (-want +got):\n%s", diff)
	}
	moved := thingAt(3, at.Add(time.Hour))
	mustWrite(t, docs, "b", 1, moved)
	wantThings(t, docs, moved, first) // its former key is gone
}

// TestDocuments_former: a table that an earlier version has made is read and written as that version does.
func TestDocuments_former(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "read.db")
	if err := mustOpen(t, path).Close(); err != nil { // settles the layout
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `CREATE TABLE "things"
		(row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, gone INTEGER, body BLOB NOT NULL);`, nil)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	docs := mustOpen(t, path)
	if err := docs.Declare(t.Context(), ranked); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 25, 20, 15, 0, 0, time.UTC)
	first, second := thingAt(1, at.Add(time.Minute)), thingAt(2, at)
	mustWrite(t, docs, "a", 0, first)
	mustWrite(t, docs, "b", 0, second)
	wantThings(t, docs, first, second)
	second.At = at.Add(time.Hour)
	mustWrite(t, docs, "b", 1, second)
	wantThings(t, docs, second, first)
	got := asked(t, path, `SELECT typeof(body), hex(body) FROM things WHERE id = 'a'`)
	raw, err := hex.DecodeString(got[1])
	if err != nil || got[0] != "blob" {
		t.Fatalf("the body is %s, %v", got[0], err)
	}
	names, err := bson.Raw(raw).Elements()
	if err != nil || !slices.ContainsFunc(names, func(e bson.RawElement) bool { return e.Key() == "rank" && e.Value().AsInt64() == 1 }) {
		t.Errorf("the body is not the document in BSON: %v, %v", names, err)
	}
}
