package connection

import (
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
)

// inboxHost is the host of inbox addresses. Names below .invalid are not to resolve (RFC 6761), so a process without inboxes
// reaches nobody through such an address.
const inboxHost = "inbox.moviola.invalid"

const (
	inboxLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567_-" // the 60 characters of inbox ids
	inboxLength  = 24
)

var inboxIDs = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z2-7_-]{%d}$`, inboxLength))

// InboxID is the id of an inbox, and the random part of its address.
type InboxID string

// NewInboxID returns a random id of 141 bits.
func NewInboxID(random io.Reader) (InboxID, error) {
	id := make([]byte, 0, inboxLength)
	drawn := make([]byte, 1)
	for len(id) < inboxLength {
		if _, err := io.ReadFull(random, drawn); err != nil {
			return "", fmt.Errorf("draw the address of an inbox: %w", err)
		}
		if limit := 256 / len(inboxLetters) * len(inboxLetters); int(drawn[0]) < limit {
			id = append(id, inboxLetters[int(drawn[0])%len(inboxLetters)])
		}
	}
	return InboxID(id), nil
}

// ParseInboxID returns the inbox id in a text, and false when the text has another form.
func ParseInboxID(text string) (InboxID, bool) {
	return InboxID(text), inboxIDs.MatchString(text)
}

// Address returns the address of the inbox, which movies and connections name as their endpoint.
func (id InboxID) Address() string { return "https://" + inboxHost + "/" + string(id) }

// InboxAt reports in ours whether an address has the host of inboxes. A webhook to such an address is not sent over the
// network. id is the id of the inbox at the address; it is empty unless the address has exactly the form that Address
// returns.
func InboxAt(address *url.URL) (id InboxID, ours bool) {
	if !strings.EqualFold(strings.TrimRight(address.Hostname(), "."), inboxHost) {
		return "", false
	}
	id, ok := ParseInboxID(strings.TrimPrefix(address.EscapedPath(), "/"))
	if !ok || address.String() != id.Address() {
		return "", true
	}
	return id, true
}
