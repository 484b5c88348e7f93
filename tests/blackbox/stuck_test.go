package blackbox_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/tests/harness"
)

// TestStuckWork has two deliveries that fail again and again, because the secrets of their connection were damaged. The operator sees them
// listed, drops one, has the connection repaired and the other one retried, and the trail shows who did what.
func TestStuckWork(t *testing.T) {
	t.Parallel()
	receiver := harness.NewReceiver(t)
	store := harness.FreeAddr(t)
	service := harness.NewService(t, "--eventstore-listen", store, "--allow-host", receiver.Host, "--retry-limit", "1s")
	service.StartAPI()
	client := service.NewAccount("stuck", 600)
	log := harness.OpenLog(t, store)
	saveHook(t, client, receiver.URL)
	movie := object{
		"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}},
		"exports": list{object{"destinations": list{object{"id": "hook"}}}},
	}
	first := client.Submit(movie)
	client.WaitFor(first, "done")
	harness.Eventually(t, "the connection works", func() bool { return len(receiver.Hits()) == 1 })
	damage(t, store, log.AccountOf(first))

	dropped, retried := client.Submit(movie), client.Submit(movie)
	moviola := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), harness.Binary(t), append(args, "--url", client.Base)...)
		cmd.Env = append(cmd.Environ(), "MOVIOLA_ADMIN_TOKEN="+harness.AdminToken)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("moviola %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for _, project := range []string{dropped, retried} {
		harness.Eventually(t, "the delivery has failed several times", func() bool { return log.Count("movie-" + project)["DeliveryReleased"] >= 7 })
	}
	var listed string
	harness.Eventually(t, "both deliveries are stuck", func() bool {
		listed = moviola("work", "list")
		return strings.Contains(listed, "deliver/"+dropped) && strings.Contains(listed, "deliver/"+retried)
	})
	row := regexp.MustCompile(`(?m)^deliver/` + dropped + ` +` + log.AccountOf(first) + ` +1\d +\S+ +true +\S.*hook`)
	if !row.MatchString(listed) || strings.Count(listed, "\n") != 3 {
		t.Errorf("listed\n%s", listed)
	}

	if out := moviola("work", "drop", "deliver/"+dropped); out != "deliver/"+dropped+" is given up\n" {
		t.Errorf("drop says %s", out)
	}
	results := client.Get(dropped).Movie.DestinationsResult
	if len(results) != 1 || results[0]["status"] != "error" {
		t.Errorf("the dropped delivery ended with %v", results)
	}
	if left := moviola("work", "list"); strings.Contains(left, dropped) || !strings.Contains(left, retried) {
		t.Errorf("after one was dropped\n%s", left)
	}

	if answer := client.Do(http.MethodDelete, "/connections?id=hook", nil); answer.Status != http.StatusOK {
		t.Fatalf("delete the connection: %d %s", answer.Status, answer.Body)
	}
	saveHook(t, client, receiver.URL)
	if out := moviola("work", "retry", "deliver/"+retried); out != "1 piece of work is tried anew\n" {
		t.Errorf("retry says %s", out)
	}
	harness.Eventually(t, "the other one is delivered", func() bool {
		results = client.Get(retried).Movie.DestinationsResult
		return len(results) == 1 && results[0]["status"] == "ok"
	})
	hits := receiver.Hits()
	if len(hits) != 2 || !strings.Contains(string(hits[1].Body), retried) {
		t.Errorf("the receiver got %+v", hits)
	}
	if left := moviola("work", "list"); strings.Count(left, "\n") != 1 {
		t.Errorf("in the end\n%s", left)
	}

	acts := moviola("acts")
	for _, act := range []string{`drop work +deliver/` + dropped + ` +deliver`, `retry work +deliver/` + retried + ` +1`} {
		if !regexp.MustCompile(`(?m)^\S+ +command line, .+ ` + act + `$`).MatchString(acts) {
			t.Errorf("the trail does not show %s:\n%s", act, acts)
		}
	}
	if on := moviola("acts", "--on", "deliver/"+dropped); strings.Count(on, "\n") != 2 || !strings.Contains(on, "drop work") {
		t.Errorf("the trail of the dropped delivery\n%s", on)
	}
}

// saveHook saves a webhook with a signing secret under the name hook.
func saveHook(t *testing.T, client *harness.Client, url string) {
	t.Helper()
	answer := client.Do(http.MethodPost, "/connections", fmt.Appendf(nil, `{"id":"hook","type":"webhook","endpoint":%q,"signed":true}`, url))
	if answer.Status != http.StatusOK {
		t.Fatalf("save the connection: %d %s", answer.Status, answer.Body)
	}
}

// damage makes the secrets of an account's connection hook unreadable, although their key is known.
func damage(t *testing.T, store, account string) {
	t.Helper()
	db, err := eventstoredb.Open(eventstoredb.Config{Addr: store})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	defer func() {
		if err := db.Close(ctx); err != nil {
			t.Errorf("close the event store client: %v", err)
		}
	}()
	log := eventstore.NewLog(db, eventstore.NewCodec())
	var saved connection.Saved
	stream := connection.Stream(domain.AccountID(account), "hook")
	at, err := log.Fold(ctx, stream, func(event domain.Event) {
		if e, ok := event.(connection.Saved); ok {
			saved = e
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	saved.Version++
	saved.Sealed.Data[len(saved.Sealed.Data)-1] ^= 1
	meta := eventstore.Meta{Account: domain.AccountID(account), Time: time.Now().UTC()}
	if _, err := log.Append(ctx, stream, at.Revision, meta, saved); err != nil {
		t.Fatal(err)
	}
}
