// Package operator holds the operators of the installation (Roster) and their audit trail (Acted): who did what to whom. An act
// is recorded before it is carried out, so that none is missing; a refused act stays in the trail, with the reason.
package operator

import (
	"io"
	"strings"
	"time"
	"unicode"

	"moviola/domain"
)

// Acted is one act of an operator. It never carries a key, a token or another secret.
type Acted struct {
	ID  string    `json:"id"`  // random id
	Who string    `json:"who"` // name of the operator's token, or the name sent with the configured token
	Act string    `json:"act"` // what was done: "grant credits"
	On  string    `json:"on"`  // the account, key, work item or template that the act changes
	How string    `json:"how"` // further details: an amount, a plan, a reference
	At  time.Time `json:"at"`
	// Issuer and Subject are who the identity provider says it was; empty: somebody with a token.
	Issuer  string `json:"issuer,omitempty"`
	Subject string `json:"subject,omitempty"`
	// Refused says why the act was not done; empty in the event recorded before the act. A refusal is an event of its own, with
	// the id of its act.
	Refused string `json:"refused,omitempty"`
}

// OpenAccount is the act of opening an account. It is recorded with the account's name, because the id does not exist yet. The
// name is a customer's and stays out of logs.
const OpenAccount = "open account"

// EventType is the persisted name.
func (Acted) EventType() string { return "OperatorActed" }

// EventKey tells the act from others of the same month, and its refusal from the act.
func (a Acted) EventKey() string {
	if a.Refused != "" {
		return a.ID + "/refused"
	}
	return a.ID
}

// Refuse returns the event that says why an act was not done.
func (a Acted) Refuse(why string) Acted {
	if a.Refused = Plain(why); a.Refused == "" {
		a.Refused = "refused"
	}
	return a
}

// StreamCategory is what the names of the streams of acts begin with, up to the first dash.
const StreamCategory = "operator"

// Stream names the stream of the acts of one month, in UTC: operator-202611.
func Stream(at time.Time) string { return StreamCategory + "-" + at.UTC().Format("200601") }

// idLength is the length of an act's id.
const idLength = 16

// NewID makes a random id of an act. random is its source of random bytes.
func NewID(random io.Reader) (string, error) { return domain.RandomText(random, idLength) }

// longest is the length to which texts are cut, in code points.
const longest = 200

// Plain returns a text in the form of the trail: one line, without control characters, of bounded length.
func Plain(text string) string {
	kept := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.TrimSpace(text))
	if runes := []rune(kept); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return kept
}
