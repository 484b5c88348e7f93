// Package extracttest makes test data for extracts: a few movies with everything that a table can show, and the example queries
// of docs/read-models.md.
package extracttest

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

// Secret lists texts that no extract may show, Personal those that only an extract with personal data may show.
var (
	Secret   = []string{"0123456789abcdeffedcba9876543210", "renders/secret.mp4"}
	Personal = []string{"anna@example.com", "annas-archive", "for Anna"}
)

// T0 is the time of the first event.
var T0 = time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)

// Fill makes read models in a store, with movies of two accounts.
func Fill(t *testing.T, docs projections.Documents) {
	t.Helper()
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	models, err := projections.Open(t.Context(), projections.Config{Documents: docs, Log: log, Project: true,
		Now: func() time.Time { return T0 }})
	if err != nil {
		t.Fatal(err)
	}
	last := history(t, log)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- models.Reader.Run(ctx) }()
	waiting, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	err = models.Reader.WaitFor(waiting, last)
	cancel()
	if ran := <-ended; err != nil || ran != nil {
		t.Fatalf("wait for the read models: %v, %v", err, ran)
	}
}

// history appends the events and returns the position of the last.
func history(t *testing.T, log *eventstore.Log) eventstore.Position {
	t.Helper()
	var last eventstore.Position
	add := func(account domain.AccountID, stream string, events ...domain.Event) {
		t.Helper()
		appended, err := log.Append(t.Context(), stream, eventstore.NoStream, eventstore.Meta{Account: account, Time: T0}, events...)
		if err != nil {
			t.Fatal(err)
		}
		last = appended.Position
	}
	at := func(n int) time.Time { return T0.Add(time.Duration(n) * 20 * time.Minute) }
	const alice, bob domain.AccountID = "aliceaccount0000", "bobaccount000000"
	loud := -14.2
	file := movie.File{Key: Secret[1], Token: Secret[0], Size: 4000, Codec: "h264", AudioStreams: 1,
		Loudness: &movie.Loudness{Integrated: &loud}}
	plan := movie.Dimensions{Width: 1920, Height: 1080, Frames: 300, FPSNum: 30000, FPSDen: 1001}
	uses := []movie.TemplateUse{{ID: "intro"}, {ID: "outro"}}
	spent := func(ms int64) *movie.Spent {
		return &movie.Spent{TookMS: ms, StagesMS: map[string]int64{"window": ms / 2, "join": ms / 4}, Encoded: 200, Cached: 100}
	}
	for n, project := range []string{"movie00000000001", "movie00000000002", "movie00000000003"} {
		account := []domain.AccountID{alice, bob, alice}[n]
		finished := movie.RenderFinished{Attempt: 1, Success: true, Plan: &plan, File: &file, Credits: 11,
			Spent: spent(int64(n+1) * 4000), At: at(2 * n)}
		add(account, movie.Stream(domain.ProjectID(project)),
			movie.Submitted{Account: account, Templates: uses[:n%2+1], Destinations: 1, At: at(n)},
			movie.RenderStarted{Attempt: 1, At: at(n)}, finished,
			movie.DeliveryAttempted{Run: 1, Try: 1, Type: "email", Status: movie.DeliveryError, Message: "no such box " + Personal[0],
				DurationMS: 30, At: at(2 * n)},
			movie.DeliveryAttempted{Run: 1, Try: 2, Final: true, Type: "email", ID: Personal[1],
				Status:  []movie.DeliveryStatus{movie.DeliveryOK, movie.DeliveryError}[n%2],
				Message: Personal[0], DurationMS: 50, At: at(2*n + 1)})
	}
	failed := func(code, family string) movie.RenderFinished {
		return movie.RenderFinished{Attempt: 1, Code: code, Family: family, Message: "=cmd() " + Personal[0], Plan: &plan,
			Spent: spent(800), At: at(5)}
	}
	add(alice, movie.Stream("movie00000000004"), movie.Submitted{Account: alice, At: at(4)},
		movie.RenderStarted{Attempt: 1, At: at(4)}, failed("source_not_found", "movie"))
	add(bob, movie.Stream("movie00000000005"), movie.Submitted{Account: bob, At: at(4)}, movie.RenderStarted{Attempt: 1, At: at(4)},
		failed("render_failed", "service"))
	add(bob, movie.Stream("movie00000000006"), movie.Submitted{Account: bob, At: at(4)}, movie.Cancelled{At: at(5)})
	add(bob, movie.Stream("movie00000000007"), movie.SubmissionAbandoned{Account: bob, At: at(4)})
	add(alice, ledger.Stream(alice), ledger.CreditsGranted{Reference: Personal[2], Amount: 600, At: at(0)},
		ledger.CreditsHeld{Project: "movie00000000001", Amount: 11, At: at(1)})
	return last
}

// Query is an example query, for SQLite and for MongoDB.
type Query struct {
	Name       string
	SQL        string
	Collection string
	Pipeline   string // a JSON array
}

var example = regexp.MustCompile("(?s)([^\n]+):\n\n```sql\n(.+?)\n```\n```js\ndb\\.(\\w+)\\.aggregate\\((.+?)\\)\n```")

// Queries returns the examples in a document.
func Queries(t *testing.T, document string) []Query {
	t.Helper()
	var out []Query
	for _, found := range example.FindAllStringSubmatch(document, -1) {
		out = append(out, Query{Name: strings.TrimSpace(found[1]), SQL: found[2], Collection: found[3], Pipeline: found[4]})
	}
	if len(out) < 10 {
		t.Fatalf("%d examples were found, 10 are promised", len(out))
	}
	return out
}
