package extract_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	documents "moviola/adapters/sqlite"
	"moviola/internal/extract"
	"moviola/internal/extract/extracttest"
	"moviola/projections"
)

// filled are read models of extracttest.Fill.
func filled(t *testing.T) (*projections.Extract, *documents.Documents) {
	t.Helper()
	docs, err := documents.Open(filepath.Join(t.TempDir(), "read.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = docs.Close() })
	extracttest.Fill(t, docs)
	models, err := projections.OpenExtract(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	return models, docs
}

// rowsOf reads a query as texts with the types of their values.
func rowsOf(t *testing.T, path, query string) []string {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var out []string
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		var row []string
		for i := range stmt.ColumnCount() {
			row = append(row, strings.TrimPrefix(fmt.Sprint(stmt.ColumnType(i)), "SQLITE_")+":"+stmt.ColumnText(i))
		}
		out = append(out, strings.Join(row, " "))
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	models, _ := filled(t)
	for _, personal := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "snapshot.db")
		if _, err := extract.Snapshot(t.Context(), models, path, personal, extracttest.T0); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range extracttest.Secret {
			if strings.Contains(string(content), text) {
				t.Errorf("personal %v: the snapshot shows the secret %q", personal, text)
			}
		}
		for _, text := range extracttest.Personal {
			if strings.Contains(string(content), text) != personal {
				t.Errorf("personal %v: %q", personal, text)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the snapshot's mode is %v, %v", info.Mode(), err)
		}
		if _, err := extract.Snapshot(t.Context(), models, path, personal, extracttest.T0); err == nil {
			t.Error("a file that is there was replaced")
		}
		want := []string{"TEXT:movie00000000001 TEXT:2026-03-01T23:00:00.000Z INTEGER:10010 FLOAT:29.97002997003 INTEGER:4000 TEXT:[\"intro\"] TEXT:{\"join\":1000,\"window\":2000} NULL:"}
		got := rowsOf(t, path, "SELECT project, created_at, video_ms, fps, bytes, templates, stages, deleted_at FROM movies ORDER BY project LIMIT 1")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the first movie (-want +got):\n%s", diff)
		}
		if got := rowsOf(t, path, "SELECT count(*) FROM movies WHERE status NOT IN ('done', 'error')"); got[0] != "INTEGER:0" {
			t.Errorf("movies that never came: %v", got)
		}
	}
}

// TestSnapshot_OneMoment proves that what is written while a snapshot is read is not in it.
func TestSnapshot_OneMoment(t *testing.T) {
	t.Parallel()
	models, docs := filled(t)
	err := models.AtOneMoment(t.Context(), func(still *projections.Extract) error {
		count := func(e *projections.Extract) (n int) {
			if err := e.Movies(t.Context(), "", func(string, projections.Movie) error { n++; return nil }); err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := count(still)
		if err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{
			Collection: models.Collections()["movies"], ID: "movie00000000099", Document: projections.Movie{Project: "movie00000000099", Status: "done"},
		}}}); err != nil {
			t.Fatal(err)
		}
		if now, beside := count(still), count(models); now != before || beside != before+1 {
			t.Errorf("%d movies, then %d, and %d beside it", before, now, beside)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDocumented holds the columns against docs/read-models.md.
func TestDocumented(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/read-models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, analysts, _ := strings.Cut(string(document), "## For analysts")
	usage := string(document[strings.Index(string(document), "## Usage"):strings.Index(string(document), "## Connections")])
	for _, table := range extract.Tables() {
		_, said, found := strings.Cut(analysts, "- `"+table.Name+"`: ")
		if !found {
			t.Fatalf("%s is not documented", table.Name)
		}
		said, _, _ = strings.Cut(said, "\n- ")
		if table.Name == "usage_daily" {
			said += usage
		}
		for _, column := range table.Columns {
			_, behind, found := strings.Cut(said, "`"+column.Name+"`")
			if !found {
				t.Errorf("%s.%s is not documented", table.Name, column.Name)
			}
			item, _, _ := strings.Cut(behind, "`")
			if strings.Contains(item, "personal") != column.Personal {
				t.Errorf("%s.%s is personal: %v; the document says %q", table.Name, column.Name, column.Personal, item)
			}
		}
	}
}

// TestExamples asks every example query of docs/read-models.md; tests/mongo holds them against MongoDB.
func TestExamples(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/read-models.md")
	if err != nil {
		t.Fatal(err)
	}
	models, _ := filled(t)
	path := filepath.Join(t.TempDir(), "snapshot.db")
	if _, err := extract.Snapshot(t.Context(), models, path, false, extracttest.T0); err != nil {
		t.Fatal(err)
	}
	for _, query := range extracttest.Queries(t, string(document)) {
		if len(rowsOf(t, path, query.SQL)) == 0 {
			t.Errorf("%s: no answer", query.Name)
		}
	}
}

func run(t *testing.T, models *projections.Extract, name string, format extract.Format, want extract.Want) string {
	t.Helper()
	table, _ := extract.Named(name)
	path := filepath.Join(t.TempDir(), "out")
	if _, err := (extract.Export{Table: table, Format: format, Want: want, Path: path}).Run(t.Context(), models); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{".part", ".mark"} {
		if _, err := os.Stat(path + left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left behind: %v", left, err)
		}
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestExport(t *testing.T) {
	t.Parallel()
	models, _ := filled(t)
	records, err := csv.NewReader(strings.NewReader(read(t, run(t, models, "movies", extract.CSV, extract.Want{WithPersonal: true})))).ReadAll()
	if err != nil || len(records) != 7 || records[0][0] != "project" {
		t.Fatalf("%d records, %v", len(records), err)
	}
	if !strings.Contains(strings.Join(records[4], "|"), "|'=cmd() ") {
		t.Errorf("a formula is left to spreadsheets: %v", records[4])
	}
	lines := strings.Split(strings.TrimSpace(read(t, run(t, models, "deliveries", extract.JSONL, extract.Want{}))), "\n")
	var first map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || len(lines) != 3 || first["tries"] != 2.0 || first["message"] != nil || first["final"] != true {
		t.Errorf("%d deliveries, the first is %v, %v", len(lines), first, err)
	}
	since := extract.Want{Since: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	if days := read(t, run(t, models, "usage_daily", extract.CSV, since)); strings.Count(days, "\n") != 3 || strings.Contains(days, "2026-03-01") {
		t.Errorf("days since March 2:\n%s", days)
	}
	file, err := os.Open(run(t, models, "movies", extract.Parquet, extract.Want{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	type movie struct {
		Project   string     `parquet:"project,optional"`
		VideoMS   *int64     `parquet:"video_ms,optional"`
		FPS       *float64   `parquet:"fps,optional"`
		Gone      bool       `parquet:"gone,optional"`
		CreatedAt time.Time  `parquet:"created_at,optional,timestamp(millisecond)"`
		DeletedAt *time.Time `parquet:"deleted_at,optional,timestamp(millisecond)"`
		Templates string     `parquet:"templates,optional,json"`
		Message   *string    `parquet:"message,optional"`
	}
	rows := make([]movie, 10)
	n, _ := parquet.NewGenericReader[movie](file).Read(rows)
	length := int64(10010)
	if n != 6 || rows[0].Project != "movie00000000001" || *rows[0].VideoMS != length || !rows[0].CreatedAt.Equal(extracttest.T0) ||
		rows[0].DeletedAt != nil || rows[0].Message != nil || rows[0].Templates != `["intro"]` || rows[5].FPS != nil {
		t.Errorf("%d rows, the first is %+v", n, rows[0])
	}
}

// TestExport_GoesOn cuts exports short at every row and lets them go on: what comes of it is what comes in one go.
func TestExport_GoesOn(t *testing.T) {
	t.Parallel()
	models, _ := filled(t)
	table, _ := extract.Named("movies")
	for _, format := range []extract.Format{extract.CSV, extract.JSONL, extract.Parquet} {
		want := read(t, run(t, models, "movies", format, extract.Want{}))
		path := filepath.Join(t.TempDir(), "out")
		e := extract.Export{Table: table, Format: format, Path: path}
		for rows := 1; rows <= 5; rows++ {
			ctx, cancel := context.WithCancel(t.Context())
			e.Table = extract.CutShort(table, cancel)
			at, err := e.Run(ctx, models)
			if !errors.Is(err, context.Canceled) || at != rows {
				t.Fatalf("%s, cut short at row %d: %d rows, %v", format, rows, at, err)
			}
		}
		e.Table = table
		other := e
		other.Want.WithPersonal = true
		if _, err := other.Run(t.Context(), models); err == nil || !strings.Contains(err.Error(), "another export") {
			t.Errorf("another export went on: %v", err)
		}
		if err := os.WriteFile(path+".part", append([]byte(read(t, path+".part")), "half a li"...), 0o600); err != nil {
			t.Fatal(err)
		}
		if rows, err := e.Run(t.Context(), models); err != nil || rows != 6 || read(t, path) != want {
			t.Errorf("%s went on to %d rows, %v; the same as in one go: %v", format, rows, err, err == nil && read(t, path) == want)
		}
	}
}
