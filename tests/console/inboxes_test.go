package console_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"moviola/tests/harness"
)

// letter opens an inbox, saves a signed webhook that leads to it, tests it, and returns the inbox's address.
func letter(t *testing.T, c *harness.Client) string {
	t.Helper()
	var opened struct{ Inbox struct{ Address string } }
	c.Do(http.MethodPost, "/inboxes", nil).Into(t, &opened)
	body, err := json.Marshal(map[string]any{"id": "trial", "type": "webhook", "endpoint": opened.Inbox.Address, "signed": true})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []struct {
		path string
		body []byte
	}{{"/connections", body}, {"/connections/test?id=trial", nil}} {
		if answer := c.Do(http.MethodPost, call.path, call.body); answer.Status != http.StatusOK {
			t.Fatalf("POST %s: %d %s", call.path, answer.Status, answer.Body)
		}
	}
	return opened.Inbox.Address
}

// TestInboxes: a test address is opened, shows what arrives without the page being loaded anew, and is deleted.
func TestInboxes(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	p := visit(t, c)
	p.goTo("/deliveries")
	p.click("Try webhooks without a receiver")
	p.see("No test address is open")
	p.click("Open a test address")
	p.see("https://inbox.moviola.invalid/")
	p.see("Nothing has arrived yet")
	p.click("Delete")
	p.see("No test address is open")
	address := letter(t, c)
	p.until("it arrives by itself", `document.querySelector(".tries .source")?.innerText.includes('"test": true')`)
	p.see(address)
	p.see("v1,")
	p.see("Check a signature")
}
