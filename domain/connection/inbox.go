package connection

import (
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
)

// inboxHost is the host of the addresses of inboxes. Names below .invalid exist nowhere (RFC 6761): a process that does not know
// inboxes cannot reach anybody by such an address.
const inboxHost = "inbox.moviola.invalid"

const (
	inboxLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567_-" // of 60: a byte below 240 picks one
	inboxLength  = 24
)

var inboxIDs = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z2-7_-]{%d}$`, inboxLength))

// InboxID is the id of an inbox, and the random part of its address.
type InboxID string

// NewInboxID draws an id: 141 random bits.
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

// ParseInboxID returns the id that a text is. false: no inbox has it.
func ParseInboxID(text string) (InboxID, bool) {
	return InboxID(text), inboxIDs.MatchString(text)
}

// Address is the address that movies and connections name as their endpoint.
func (id InboxID) Address() string { return "https://" + inboxHost + "/" + string(id) }

// InboxAt says whether an address belongs to inboxes, so that it is never dialled, and names the inbox. The id is empty when the
// address can be no inbox's: what is not exactly Address leads nowhere.
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
