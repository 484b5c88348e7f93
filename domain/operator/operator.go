// Package operator holds the operators of the installation (Roster) and their audit trail (Acted). The trail tells who did
// what to which subject. An act is recorded before it is carried out, so that no act is missing. A refused act stays in the
// trail, with the reason.
package operator

import (
	"io"
	"strings"
	"time"
	"unicode"

	"moviola/domain"
)

// Acted is one act of an operator. It never contains a key, a token or another secret.
type Acted struct {
	ID  string    `json:"id" personal:"no"`  // random id of the act
	Who string    `json:"who" personal:"no"` // name of the operator
	Act string    `json:"act" personal:"no"` // what was done, such as "grant credits"
	On  string    `json:"on" personal:"no"`  // subject of the act: the account, key, work item or template
	How string    `json:"how" personal:"no"` // further details: an amount, a plan, a reference
	At  time.Time `json:"at"`
	// Issuer and Subject identify the operator at the identity provider; empty: the operator used a token.
	Issuer  string `json:"issuer,omitempty" personal:"no"`
	Subject string `json:"subject,omitempty" personal:"no"`
	// Refused says why the act was not done; empty in the event recorded before the act. A refusal is an event of its own, with
	// the id of its act.
	Refused string `json:"refused,omitempty" personal:"no"`
}

// OpenAccount is the act of opening an account. It is recorded with the account's name, because the id does not exist yet. The
// name is that of a customer, and is not written to logs.
const OpenAccount = "open account"

// EventType is the persisted name.
func (Acted) EventType() string { return "OperatorActed" }

// EventKey distinguishes the act from others of the same month, and the refusal of an act from the act.
func (a Acted) EventKey() string {
	if a.Refused != "" {
		return a.ID + "/refused"
	}
	return a.ID
}

// Refuse returns the event that records why an act was not done.
func (a Acted) Refuse(why string) Acted {
	if a.Refused = Plain(why); a.Refused == "" {
		a.Refused = "refused"
	}
	return a
}

// StreamCategory is the part of the names of the streams of acts before the first dash.
const StreamCategory = "operator"

// Stream names the stream of the acts of one month, in UTC: operator-202611.
func Stream(at time.Time) string { return StreamCategory + "-" + at.UTC().Format("200601") }

// idLength is the length of an act's id.
const idLength = 16

// NewID makes a random id of an act. random is its source of random bytes.
func NewID(random io.Reader) (string, error) { return domain.RandomText(random, idLength) }

// longest is the maximum length of a text in the operators' audit trail, in code points. Longer texts are cut.
const longest = 200

// Plain returns a text in the form in which the operators' audit trail stores it: on one line, without control characters,
// and cut after `longest` characters.
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
