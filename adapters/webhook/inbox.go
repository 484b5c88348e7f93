package webhook

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
)

// Inboxes store what is sent to inbox addresses, without a network request.
type Inboxes interface {
	// Receive stores a body with its headers in an inbox of the sending account. It returns false when the account has no such
	// inbox.
	Receive(
		ctx context.Context, account domain.AccountID, id connection.InboxID, headers map[string]string, body []byte,
	) (bool, error)
}

// shownHeaders are the request headers that an inbox stores: those that the sender sets for the receiver.
var shownHeaders = []string{"Content-Type", "User-Agent", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"}

// handOver stores body, with the headers of request, in an inbox, and sends no request.
func (s *Sender) handOver(
	ctx context.Context, account domain.AccountID, inbox connection.InboxID, request *http.Request, body []byte,
) (Result, error) {
	started := time.Now()
	headers := map[string]string{}
	for _, name := range shownHeaders {
		if value := request.Header.Get(name); value != "" {
			headers[name] = value
		}
	}
	received := false
	if s.inboxes != nil && inbox != "" {
		var err error
		if received, err = s.inboxes.Receive(ctx, account, inbox, headers, body); err != nil {
			return Result{}, fmt.Errorf("hand a webhook over: %w", err)
		}
	}
	result := answer(request.URL, http.StatusOK, time.Since(started))
	if !received {
		result = answer(request.URL, http.StatusNotFound, time.Since(started))
		result.Message = "Not delivered: this inbox does not exist, or its hour is over"
	}
	result.Sent, result.ContentType = body, request.Header.Get("Content-Type")
	return result, nil
}
