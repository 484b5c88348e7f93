package mongo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/adapters/mongodb"
	"moviola/internal/extract"
	"moviola/internal/extract/extracttest"
	"moviola/projections"
)

// TestExamples asks every example query of docs/read-models.md of a snapshot and of MongoDB, and holds that both say the same. FerretDB has no
// views: the stages of the view go before those of the query.
func TestExamples(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/read-models.md")
	if err != nil {
		t.Fatal(err)
	}
	address := startServer(t).URL() + "examples"
	docs := mustOpen(t, address)
	extracttest.Fill(t, docs)
	models, err := projections.OpenExtract(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "snapshot.db")
	rows, err := extract.Snapshot(t.Context(), models, path, false, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if rows["movies"] != 6 || rows["deliveries"] != 3 || rows["ledger"] != 2 || rows["usage_daily"] != 4 {
		t.Errorf("a snapshot of MongoDB has rows %v", rows)
	}
	file, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	client, err := mongo.Connect(options.Client().ApplyURI(address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(t.Context()) })
	for _, query := range extracttest.Queries(t, string(document)) {
		want := ask(t, file, query.SQL)
		if len(want) == 0 {
			t.Errorf("%s: the snapshot answers nothing", query.Name)
		}
		got := aggregate(t, client.Database("examples").Collection(models.Collections()[query.Collection]), query)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-snapshot +MongoDB):\n%s", query.Name, diff)
		}
	}
	for name := range map[string]bool{"movies": true, "deliveries": true, "usage_daily": true} {
		seen := aggregate(t, client.Database("examples").Collection(models.Collections()[name]), extracttest.Query{Collection: name, Pipeline: "[]"})
		for _, text := range append(extracttest.Secret, extracttest.Personal...) {
			if strings.Contains(fmt.Sprint(seen), text) {
				t.Errorf("the view %s shows %q", name, text)
			}
		}
	}
	if _, err := docs.MakeViews(t.Context(), models.Collections()); err == nil || !strings.Contains(err.Error(), "view movies") {
		t.Errorf("a server without views: %v", err)
	}
}

// ask asks a snapshot; a row is its values.
func ask(t *testing.T, file *sqlite.Conn, query string) []string {
	t.Helper()
	var out []string
	err := sqlitex.ExecuteTransient(file, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		values := make([]string, stmt.ColumnCount())
		for i := range values {
			values[i] = stmt.ColumnText(i)
		}
		out = append(out, strings.Join(values, " "))
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

// aggregate asks MongoDB what a view would be asked.
func aggregate(t *testing.T, collection *mongo.Collection, query extracttest.Query) []string {
	t.Helper()
	var asked struct{ Stages bson.A }
	if err := bson.UnmarshalExtJSON([]byte(`{"stages": `+query.Pipeline+`}`), false, &asked); err != nil {
		t.Fatalf("%s: %v", query.Name, err)
	}
	cursor, err := collection.Aggregate(t.Context(), append(mongodb.ViewStages(query.Collection), asked.Stages...))
	if err != nil {
		t.Fatalf("%s: %v", query.Name, err)
	}
	var found []bson.D
	if err := cursor.All(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, document := range found {
		values := make([]string, len(document))
		for i, field := range document {
			values[i] = fmt.Sprint(field.Value)
		}
		out = append(out, strings.Join(values, " "))
	}
	return out
}
