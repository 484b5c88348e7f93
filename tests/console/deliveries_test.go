package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"moviola/tests/harness"
)

// TestDeliveries: the log shows what a webhook was sent and has answered, whatever the receiver answers with; it is delivered again.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusTeapot)
		}
		fmt.Fprint(w, hostile+strings.Repeat("a long answer ", 500)) // the client may have gone
	}))
	defer receiver.Close()
	s := harness.NewService(t, "--allow-host", strings.TrimPrefix(receiver.URL, "http://"))
	s.StartAPI("--log-requests=false")
	c := s.NewAccount("maker", 100)
	p := visit(t, c)
	p.goTo("/deliveries")
	p.see("No deliveries yet")
	p.look("deliveries-empty")
	body, err := json.Marshal(map[string]any{
		"width": 64, "height": 64, "client-data": map[string]any{"name": hostile}, "scenes": []any{map[string]any{"duration": 1}},
		"exports": []any{map[string]any{"destinations": []any{map[string]any{"type": "webhook", "endpoint": receiver.URL + "/secret-path?token=secret-token"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	project := c.SubmitBody(body)
	p.until("it was tried", `document.querySelector("main .spinner") || control("Look again").click(), document.querySelector(".rows .badge.bad")`)
	p.see(project)
	p.click("Show tries destination 1 of " + project)
	p.see(receiver.URL)
	p.see("418")
	p.see("a long answer")
	p.until("what was sent is shown", `document.querySelector(".tries .source").innerText.includes(`+quoted(`"project": "`+project)+`)`)
	p.look("deliveries")
	p.gone("secret-")
	p.click("Deliver again destination 1 of " + project)
	p.until("it is delivered", `document.querySelector("main .spinner") || control("Look again").click(), document.querySelector(".rows .badge.good")`)
	var title string
	p.ask("document.title", &title)
	if strings.Contains(title, "taken") {
		t.Error("an answer was run as a script")
	}
	editor := *c
	_, editor.Key = issue(t, c, "editor")
	other := visit(t, &editor)
	other.gone("Deliveries")
	other.goTo("/deliveries")
	other.see("may not see this page")
}
