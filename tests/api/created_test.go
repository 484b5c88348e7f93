package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/idempotency"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/tests/harness"
)

// notCreated lets the log refuse the beginning of a movie: its stream has begun otherwise, in a way that only a mistake could bring about.
func notCreated(t *testing.T, w *world) {
	c := w.idle.open(t, 600)
	project, body := commands.NewProjectID(), quick("")
	hash, now := sha256.Sum256([]byte(body)), time.Now().UTC()
	for stream, event := range map[string]domain.Event{
		idempotency.Stream(domain.AccountID(c.account), "taken"): idempotency.Reserved{Project: project, BodyHash: hex.EncodeToString(hash[:]), At: now},
		movie.Stream(project): movie.RenderTimedOut{At: now},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
		_, err := c.log.Append(ctx, stream, eventstore.NoStream, eventstore.Meta{Account: domain.AccountID(c.account), Time: now}, event)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		c.refused(t, "POST", "/movies", body, 500, "movie_not_created", "", "Idempotency-Key", "taken")
	}
	answer := c.call(t, "POST", "/movies", body, "Idempotency-Key", "taken")
	var got struct{ Message string }
	answer.Into(t, &got)
	if !strings.HasPrefix(got.Message, "Error creating movie: ") {
		t.Errorf("the message is %q", got.Message)
	}
	c.refused(t, "GET", "/movies?project="+string(project), "", 404, "movie_not_found", "")
	if page := c.into(t, "GET", "/movies", ""); page["count"] != 0.0 {
		t.Errorf("something was created: %v", page)
	}
	var charged bool
	_, err := c.log.Fold(t.Context(), "ledger-"+c.account, func(e domain.Event) { charged = charged || e.EventType() == "CreditsCharged" })
	if err != nil || charged {
		t.Errorf("charged: %v, %v", charged, err)
	}
	c.submit(t, body)
	c.submit(t, body, "Idempotency-Key", "another")
}
