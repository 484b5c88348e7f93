package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"moviola/adapters/webhook"
	"moviola/domain"
	"moviola/domain/connection"
)

// undialled is a transport that must not be used.
type undialled struct{ t *testing.T }

func (u undialled) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("%s was dialled", r.URL)
	return nil, errors.New("dialled")
}

// box is webhook.Inboxes with one inbox, which belongs to alice. It remembers the last letter.
type box struct {
	id      connection.InboxID
	headers map[string]string
	body    string
	fails   error
}

func (b *box) Receive(
	_ context.Context, account domain.AccountID, id connection.InboxID, headers map[string]string, body []byte,
) (bool, error) {
	if b.fails != nil || account != "alice" || id != b.id {
		return false, b.fails
	}
	b.headers, b.body = headers, string(body)
	return true, nil
}

// TestInbox: a message to an inbox is signed and handed over as it would be sent. No connection is made to the host of
// inboxes, whatever the rest of the address is.
func TestInbox(t *testing.T) {
	t.Parallel()
	b := &box{id: "AbCdEfGhAbCdEfGhAbCdEfGh"}
	sender := webhook.NewSender(webhook.Config{Transport: undialled{t}, Inboxes: b, UserAgent: "Moviola/1"})
	secret := "whsec_" + strings.Repeat("A", 32)
	call := webhook.Call{Account: "alice", Endpoint: b.id.Address(), Payload: []byte(`{"a":1}`), Message: "msg_1", Signing: []string{secret}}
	result, err := sender.Send(t.Context(), call)
	if err != nil || !result.Delivered || result.HTTPStatus != 200 || string(result.Sent) != `{"a":1}` || b.body != `{"a":1}` {
		t.Errorf("%+v, %v; %q", result, err, b.body)
	}
	if b.headers["Webhook-Id"] != "msg_1" || b.headers["Content-Type"] != "application/json" || b.headers["User-Agent"] != "Moviola/1" ||
		b.headers["Webhook-Timestamp"] == "" || !strings.HasPrefix(b.headers["Webhook-Signature"], "v1,") {
		t.Errorf("%v", b.headers)
	}
	for what, change := range map[string]func(*webhook.Call){
		"another account":    func(c *webhook.Call) { c.Account = "bob" },
		"an unknown inbox":   func(c *webhook.Call) { c.Endpoint = connection.InboxID("ZzZzZzZzZzZzZzZzZzZzZzZz").Address() },
		"another port":       func(c *webhook.Call) { c.Endpoint = "https://inbox.moviola.invalid:9/" + string(b.id) },
		"credentials":        func(c *webhook.Call) { c.Endpoint = "https://a:b@inbox.moviola.invalid/" + string(b.id) },
		"the host by itself": func(c *webhook.Call) { c.Endpoint = "http://INBOX.moviola.invalid." },
	} {
		other := call
		change(&other)
		result, err := sender.Send(t.Context(), other)
		if err != nil || result.Delivered || result.HTTPStatus != 404 || result.Retry || strings.Contains(result.Message, string(b.id)) {
			t.Errorf("%s: %+v, %v", what, result, err)
		}
	}
	b.fails = errors.New("the store is away")
	if _, err := sender.Send(t.Context(), call); !errors.Is(err, b.fails) {
		t.Errorf("the store is away: %v", err)
	}
}
