package ledger

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"time"

	"moviola/domain"
)

// OpeningCategory is the category of the streams that hold opening balances: each of their names begins with it and a
// dash.
const OpeningCategory = "ledgeropening"

// OpeningStream names the stream of an account's opening balances. The newest one is used; earlier ones are truncated.
func OpeningStream(account domain.AccountID) string { return OpeningCategory + "-" + string(account) }

// Opened is the opening balance of a ledger: its whole state after one of its events, signed by the installation. It stands in
// place of that event and all earlier ones, which may then be in the archive. Decision 96.
//
// A state that is too large for one event is split: events of the type OpeningPage, which hold its first entries, come
// directly before Opened in the same stream.
type Opened struct {
	Revision int64 `json:"revision"` // revision of the last event of the ledger that the opening balance includes
	// id of the event at Revision; an opening balance is ignored when the ledger has another event there
	Event   string `json:"event" personal:"no"`
	Version int    `json:"stateVersion"` // version of the form of State: see StateVersion
	// revision of the first OpeningPage of this opening balance, in the stream of opening balances; the revision of
	// Opened itself when it has no OpeningPage
	First int64 `json:"first"`
	State State `json:"state"` // the state, without the list entries that the OpeningPage events hold
	// Ed25519 signature by the key that signs the installation's anchors: see SignedBy
	Signature []byte    `json:"signature" personal:"no"`
	At        time.Time `json:"at"`
}

// OpeningPage is a part of an opening balance that is too large for one event: it holds some entries of the lists of its
// State.
type OpeningPage struct {
	Revision int64     `json:"revision"` // Revision of the Opened to which the page belongs
	Page     int64     `json:"page"`     // revision of this event in its stream
	State    State     `json:"state"`
	At       time.Time `json:"at"`
}

// EventType is the persisted name.
func (Opened) EventType() string      { return "LedgerOpened" }
func (OpeningPage) EventType() string { return "LedgerOpeningPage" }

// EventKey distinguishes the event from others of its type in the same stream. First is part of the key of Opened: when an
// opening balance is not valid, another one with the same Revision and Version, but another First, replaces it.
func (o Opened) EventKey() string      { return fmt.Sprintf("%d/%d/%d", o.Revision, o.Version, o.First) }
func (p OpeningPage) EventKey() string { return fmt.Sprintf("%d/%d", p.Revision, p.Page) }

// StandsOn returns the revision and id of the last event that the opening balance includes.
func (o Opened) StandsOn() (revision int64, event string) { return o.Revision, o.Event }

// signed returns the text that is signed: the account, Revision, Event, Version and State, from which a ledger is restored.
// First and At are not signed. State must be the whole state, with the entries of all OpeningPage events.
func (o Opened) signed(account domain.AccountID) ([]byte, error) {
	content, err := json.Marshal(struct {
		Account  domain.AccountID `json:"account"`
		Revision int64            `json:"revision"`
		Event    string           `json:"event"`
		Version  int              `json:"stateVersion"`
		State    State            `json:"state"`
	}{account, o.Revision, o.Event, o.Version, o.State})
	return append([]byte("moviola opening balance\n"), content...), err
}

// Sign returns the opening balance with its signature. State must be the whole state, with the entries of all OpeningPage
// events.
func (o Opened) Sign(account domain.AccountID, key ed25519.PrivateKey) (Opened, error) {
	content, err := o.signed(account)
	if err != nil {
		return o, fmt.Errorf("sign the opening balance of %s: %w", account, err)
	}
	o.Signature = ed25519.Sign(key, content)
	return o, nil
}

// SignedBy reports whether the opening balance of an account carries the signature of a key. State must be the whole
// state, with the entries of all OpeningPage events.
func (o Opened) SignedBy(account domain.AccountID, key ed25519.PublicKey) bool {
	content, err := o.signed(account)
	return err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, content, o.Signature)
}

// entrySize is the estimated size of an entry of a State in JSON without its texts, in bytes.
const entrySize = 80

// Split divides a state into one or more parts. most is roughly the maximum size of a part, in bytes of JSON. The entries of
// the lists of the state are spread over the parts; only the last part also has the sums and the other single values. Join
// puts the parts together again.
func (s State) Split(most int) []State {
	var parts []State
	part, size := State{}, 0
	add := func(text string) {
		if size += entrySize + len(text); size > most {
			parts, part, size = append(parts, part), State{}, entrySize+len(text)
		}
	}
	for _, reference := range s.Grants {
		add(reference)
		part.Grants = append(part.Grants, reference)
	}
	for _, o := range s.Open {
		add(string(o.Project))
		part.Open = append(part.Open, o)
	}
	for _, o := range s.Counts {
		add(string(o.Project))
		part.Counts = append(part.Counts, o)
	}
	for _, u := range s.Used {
		add(u.Period)
		part.Used = append(part.Used, u)
	}
	for _, e := range s.Ended {
		add(string(e.Project))
		part.Ended = append(part.Ended, e)
	}
	part.Granted, part.Charged, part.Pack = s.Granted, s.Charged, s.Pack
	part.Closed, part.Zero, part.Purged = s.Closed, s.Zero, s.Purged
	return append(parts, part)
}

// Join puts the parts of a state together: the sums of the last part, and the entries of all.
func Join(parts ...State) State {
	whole := State{}
	for _, p := range parts {
		p.Grants, p.Open = append(whole.Grants, p.Grants...), append(whole.Open, p.Open...)
		p.Counts, p.Used = append(whole.Counts, p.Counts...), append(whole.Used, p.Used...)
		p.Ended = append(whole.Ended, p.Ended...)
		whole = p
	}
	return whole
}
