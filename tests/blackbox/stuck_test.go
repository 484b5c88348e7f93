package blackbox_test

import (
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/damage"
)

// TestStuckWork has two deliveries that fail again and again, because the encrypted documents of their movies were
// damaged. The operator sees them listed, drops one, repairs the documents and has the other one retried, and the trail shows who did
// what.
func TestStuckWork(t *testing.T) {
	t.Parallel()
	receiver := harness.NewReceiver(t)
	store := harness.FreeAddr(t)
	service := harness.NewService(t, "--eventstore-listen", store, "--allow-host", receiver.Host, "--retry-limit", "1s")
	service.StartAPI()
	client := service.NewAccount("stuck", 600)
	log := harness.OpenLog(t, store)
	movie := object{
		"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}},
		"exports": list{object{"destinations": list{object{"type": "webhook", "endpoint": receiver.URL, "password": "hush"}}}},
	}
	dropped, retried := client.Submit(movie), client.Submit(movie)
	client.WaitFor(dropped, "done")
	client.WaitFor(retried, "done")
	harness.Eventually(t, "the receiver is reached", func() bool { return len(receiver.Hits()) == 2 })
	for _, project := range []string{dropped, retried} {
		harness.Eventually(t, "the delivery has ended", func() bool { return log.Count("movie-" + project)["DeliveryFinished"] == 1 })
	}
	mark, broken := "moviola sealed document\n{", "moviola sealed document\n["
	damage.Replace(t, service, mark, broken)
	for _, project := range []string{dropped, retried} {
		if answer := client.Do(http.MethodPost, "/movies/redeliver?project="+project, nil); answer.Status != http.StatusOK {
			t.Fatalf("redeliver: %d %s", answer.Status, answer.Body)
		}
	}

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
	row := regexp.MustCompile(`(?m)^deliver/` + dropped + ` +` + log.AccountOf(dropped) + ` +[1-9]\d+ +\S+ +true +\S.*damaged`)
	if !row.MatchString(listed) || strings.Count(listed, "\n") != 3 {
		t.Errorf("listed\n%s", listed)
	}

	if out := moviola("work", "drop", "deliver/"+dropped); out != "deliver/"+dropped+" is given up\n" {
		t.Errorf("drop says %s", out)
	}
	harness.Eventually(t, "one is left after the other was dropped", func() bool { // the list may trail what the log says
		left := moviola("work", "list")
		return !strings.Contains(left, dropped) && strings.Contains(left, retried)
	})
	if out := moviola("work", "retry", "deliver/"+retried); out != "1 piece of work is tried anew\n" {
		t.Errorf("retry says %s", out)
	}
	damage.Replace(t, service, broken, mark)
	harness.Eventually(t, "the other one is delivered", func() bool { return len(receiver.Hits()) == 3 })
	if hits := receiver.Hits(); !strings.Contains(string(hits[2].Body), retried) {
		t.Errorf("the receiver got %+v", hits)
	}
	for project, want := range map[string]string{dropped: "error", retried: "ok"} {
		harness.Eventually(t, "the delivery ends as "+want, func() bool {
			results := client.Get(project).Movie.DestinationsResult
			return len(results) == 1 && results[0]["status"] == want
		})
	}
	harness.Eventually(t, "no work is left", func() bool { return strings.Count(moviola("work", "list"), "\n") == 1 })

	acts := moviola("acts")
	for _, act := range []string{`drop work +deliver/` + dropped + ` +deliver`, `retry work +deliver/` + retried + ` +1`} {
		if !regexp.MustCompile(`(?m)^\S+ +command line, .+ ` + act + ` *$`).MatchString(acts) {
			t.Errorf("the trail does not show %s:\n%s", act, acts)
		}
	}
	if on := moviola("acts", "--on", "deliver/"+dropped); strings.Count(on, "\n") != 2 || !strings.Contains(on, "drop work") {
		t.Errorf("the trail of the dropped delivery\n%s", on)
	}
}
