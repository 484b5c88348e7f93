package expand_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
	"moviola/domain/expand"
)

var update = flag.Bool("update", false, "rewrite the expanded examples")

// sale is the template that example 23 is rendered from.
const sale = `{"resolution":"sd","variables":{"headline":"Sale"},"scenes":[{"elements":[{"type":"text","text":"{{headline}}","duration":2}]}]}`

// TestExpand_examples expands movies from the field; testdata/SOURCES.md says where they come from.
func TestExpand_examples(t *testing.T) {
	t.Parallel()
	times := &expand.Times{ByID: map[string][]expand.Time{"my_video": {{Scene: 1, End: json.Number("7.5")}}}}
	files, err := filepath.Glob("testdata/[0-9]*.json")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden.json") {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		filled, err := document.Fill(raw, func(string, string) ([]byte, error) { return []byte(sale), nil })
		if err != nil {
			t.Fatal(err)
		}
		got, err := expand.Expand(tree(t, string(filled)), expand.Known{Times: times}, expand.NewBudget())
		if err != nil || len(got.Problems)+len(got.Warnings)+len(got.Open) > 0 {
			t.Errorf("%s: %v %q %v %v", file, got.Problems, got.Warnings, got.Open, err)
		}
		text, err := json.MarshalIndent(got.Tree, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden := strings.TrimSuffix(file, ".json") + ".golden.json"
		if *update {
			if err := os.WriteFile(golden, append(text, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(text)+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// BenchmarkExpand measures the richest template of the library. The aim is 2 ms.
func BenchmarkExpand(b *testing.B) {
	raw, err := os.ReadFile("../template/library/templates/real-estate-tour.json")
	if err != nil {
		b.Fatal(err)
	}
	var file struct{ Movie json.RawMessage }
	if err := json.Unmarshal(raw, &file); err != nil {
		b.Fatal(err)
	}
	movie := tree(b, string(file.Movie))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expand.Expand(movie, expand.Known{}, expand.NewBudget()); err != nil {
			b.Fatal(err)
		}
	}
}
