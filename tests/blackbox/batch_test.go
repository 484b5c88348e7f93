package blackbox_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestBatchKilled has 500 rows of a CSV, five of which cannot be rendered: 495 movies are made, each once and at the price that was
// said, while the service is killed three times. Decision 63.
func TestBatchKilled(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--retry-limit", "1s", "--claim-timeout", "1h", "--render-slots", "4")
	service.StartAPI()
	client := service.NewAccount("batch", 1000)
	m := &maker{t, client.Base, client.Key, t.TempDir(), harness.Binary(t)}
	// Movies that differ in a comment cost something each, and have their windows in common.
	template := client.SaveTemplate(`{"name":"card","movie":{"resolution":"custom","width":64,"height":64,"comment":"{{guest}}",
		"variables":{"guest":"x","seconds":1},"scenes":[{"duration":"{{seconds}}"}]}}`)
	table := []string{"guest,seconds"}
	broken := map[int]bool{3: true, 100: true, 250: true, 251: true, 500: true}
	for row := 1; row <= 500; row++ {
		seconds := "1"
		if broken[row] {
			seconds = "long"
		}
		table = append(table, fmt.Sprintf("guest %d,%s", row, seconds))
	}
	if err := os.WriteFile(filepath.Join(m.dir, "guests.csv"), []byte(strings.Join(table, "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	var started struct {
		Batch        string
		Rows, Movies int
		Credits      int
		Errors       []struct {
			Row                   int
			Column, Code, Message string
		}
	}
	out, _ := m.run(1, "batch", "start", "guests.csv", "--template", template, "--idempotency-key", "guests", "--json")
	if err := json.Unmarshal([]byte(out), &started); err != nil || started.Rows != 500 || started.Movies != 495 || started.Credits != 495 || len(started.Errors) != 5 {
		t.Fatalf("%v: %.2000s", err, out)
	}
	for _, e := range started.Errors {
		if !broken[e.Row] || e.Column != "seconds" || e.Code == "" || e.Message == "" {
			t.Errorf("error %+v", e)
		}
	}
	done := func() int {
		var shown struct {
			Batch struct{ Counts map[string]int }
		}
		answer := client.Do("GET", "/batches/"+started.Batch, nil)
		if answer.Status != 200 {
			return 0
		}
		answer.Into(t, &shown)
		return shown.Batch.Counts["done"]
	}
	for _, movies := range []int{0, 60, 250} {
		harness.Patiently(t, fmt.Sprintf("%d movies are done", movies), func() (bool, any) {
			now := done()
			return now >= movies, now
		})
		service.API.Kill()
		service.WaitIdle()
		service.StartAPI()
	}
	// The same start, repeated by somebody who does not know how the first one ended, starts nothing.
	if again, _ := m.run(1, "batch", "start", "guests.csv", "--template", template, "--idempotency-key", "guests", "--json"); !strings.Contains(again, started.Batch) {
		t.Errorf("again: %.500s", again)
	}
	harness.Patiently(t, "all movies are done", func() (bool, any) {
		now := done()
		return now == 495, now
	})
	if _, said := m.run(1, "batch", "show", started.Batch, "--wait"); !strings.Contains(said, "5 rows without a movie") {
		t.Errorf("show: %s", said)
	}
	m.run(0, "batch", "results", started.Batch, "-o", "results.csv")
	m.checkResults(broken)
	settled(t, client, 1000, 495)
}

// checkResults: each row has one movie of its own and costs a credit, or is one of the broken ones.
func (m *maker) checkResults(broken map[int]bool) {
	m.t.Helper()
	file, err := os.Open(filepath.Join(m.dir, "results.csv"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 501 {
		m.t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	projects := map[string]bool{}
	for _, row := range rows[1:] {
		number, _ := strconv.Atoi(row[column["row"]])
		status, project := row[column["status"]], row[column["project"]]
		switch {
		case broken[number] && status != "invalid", !broken[number] && (status != "done" || row[column["credits"]] != "1" || row[column["url"]] == ""):
			m.t.Errorf("row %q", row)
		case !broken[number] && projects[project]:
			m.t.Errorf("row %d has the movie of another: %s", number, project)
		}
		projects[project] = true
	}
}
