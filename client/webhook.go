package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// webhookAge is the largest permitted difference between the time of a message and now.
const webhookAge = 5 * time.Minute

// ErrUnverified is the error for a message that was not signed with the secret, or whose time is more than webhookAge before
// or after now.
var ErrUnverified = errors.New("the message is not signed with this secret, or its time is too far from now")

// VerifyWebhook checks a message that a webhook with signed true has sent, and decodes it. secret is the text that the
// service returned when the webhook was saved. body is the body as received, unchanged. A repeated message has the same
// header webhook-id. VerifyWebhook returns ErrUnverified for a message that was not signed with the secret, or whose time is
// more than webhookAge before or after now. If Event of the payload is not empty, the message is a live event: body is the
// JSON of a LiveEvent.
func VerifyWebhook(secret string, header http.Header, body []byte, now time.Time) (*WebhookPayload, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, errors.New("the secret of the webhook cannot be read: it begins with whsec_")
	}
	at, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > webhookAge {
		return nil, ErrUnverified
	}
	sum := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(sum, "%s.%d.%s", header.Get("webhook-id"), at, body) // writing to a hash never fails
	want := sum.Sum(nil)
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		encoded, ok := strings.CutPrefix(signature, "v1,")
		got, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil || !hmac.Equal(got, want) {
			continue
		}
		var payload WebhookPayload
		if err := json.Unmarshal(body, &payload); err != nil {
			return nil, fmt.Errorf("read the message: %w", err)
		}
		return &payload, nil
	}
	return nil, ErrUnverified
}
