package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"moviola/domain/ledger"
	"moviola/eventstore"
)

// ChainStep is the number of ledger entries between two digests of an anchor.
const ChainStep = 1000

// Anchor is a record of all ledgers at one moment. It is to be kept where people with access to the log cannot change it.
// Later it shows whether an event of a ledger before that moment has been changed, added or removed. Its digests cover
// stream, revision, id, type and data of the events, not their positions in the log, so that a copy of the log has the
// same digests.
type Anchor struct {
	Form    int              `json:"form"` // version of this format: 1
	TakenAt time.Time        `json:"taken_at"`
	Ledgers []AnchoredLedger `json:"ledgers"` // sorted by the stream's name
	List    string           `json:"list"`    // SHA-256 of the list of entry digests
}

// AnchoredLedger is the record of one ledger in an anchor.
type AnchoredLedger struct {
	Stream string   `json:"stream"`
	Events int64    `json:"events"`
	Digest string   `json:"digest"` // Seal (hash chain) over the ledger's entries
	Chain  []string `json:"chain"`  // digests of the ledger's hash chain (Seal) after 1000, 2000 … entries: see ChainStep
}

// Signed is an anchor with its signature.
type Signed struct {
	Anchor    json.RawMessage   `json:"anchor"`
	PublicKey ed25519.PublicKey `json:"public_key"`
	Signature []byte            `json:"signature"` // Ed25519 signature of the anchor's compact JSON
}

// entryDigest returns the digest of one entry at a revision. The digest covers the revision, so that an entry at another revision
// has another digest.
func entryDigest(r *eventstore.Recorded, revision int64) [sha256.Size]byte {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\n%d\n%s\n%s\n", r.Stream, revision, r.ID, r.Type) // writing to a hash never fails
	_, _ = sum.Write(r.Data)
	return [sha256.Size]byte(sum.Sum(nil))
}

// taking is the state of one ledger while Take reads the log.
type taking struct {
	AnchoredLedger
	seal Seal
	list []byte
}

// Take reads the log from its first event. It returns the anchor, and the list of the digests of all entries: 32 bytes each,
// ledger by ledger in the order of the anchor.
func Take(ctx context.Context, store eventstore.Store, now time.Time) (Anchor, []byte, error) {
	ledgers := make(map[string]*taking)
	for r, err := range store.ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			return Anchor{}, nil, fmt.Errorf("read the log: %w", err)
		}
		if category, _ := eventstore.SplitStream(r.Stream); category != ledger.StreamCategory {
			continue
		}
		one := ledgers[r.Stream]
		if one == nil {
			one = &taking{AnchoredLedger: AnchoredLedger{Stream: r.Stream, Chain: []string{}}}
			ledgers[r.Stream] = one
		}
		if int64(r.Revision) != one.Events {
			return Anchor{}, nil, fmt.Errorf("revision %d of %s does not follow %d events: audit the log first", r.Revision, r.Stream,
				one.Events)
		}
		digest := entryDigest(&r, one.Events)
		one.list = append(one.list, digest[:]...)
		one.seal.Add(&r)
		if one.Events++; one.Events%ChainStep == 0 {
			one.Chain = append(one.Chain, one.seal.String())
		}
	}
	anchor := Anchor{Form: 1, TakenAt: now.UTC().Truncate(time.Millisecond), Ledgers: []AnchoredLedger{}}
	var list []byte
	for _, stream := range slices.Sorted(maps.Keys(ledgers)) {
		one := ledgers[stream]
		one.Digest = one.seal.String()
		anchor.Ledgers = append(anchor.Ledgers, one.AnchoredLedger)
		list = append(list, one.list...)
	}
	sum := sha256.Sum256(list)
	anchor.List = hex.EncodeToString(sum[:])
	return anchor, list, nil
}

// Sign signs an anchor.
func Sign(anchor Anchor, key ed25519.PrivateKey) (Signed, error) {
	content, err := json.Marshal(anchor)
	if err != nil {
		return Signed{}, err
	}
	return Signed{Anchor: content, PublicKey: key.Public().(ed25519.PublicKey), Signature: ed25519.Sign(key, content)}, nil
}

// ErrForged says that an anchor was changed after it was signed, or was signed with another key.
var ErrForged = errors.New("the anchor does not carry the signature of the key")

// Open checks the signature and returns the anchor. key is the expected key. With nil, the key in the anchor itself is used: that
// detects damage, but does not show who signed it.
func (s Signed) Open(key ed25519.PublicKey) (Anchor, error) {
	var anchor Anchor
	var content bytes.Buffer
	if err := json.Compact(&content, s.Anchor); err != nil {
		return anchor, fmt.Errorf("read the anchor: %w", err)
	}
	if key == nil {
		key = s.PublicKey
	}
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, content.Bytes(), s.Signature) {
		return anchor, ErrForged
	}
	if err := json.Unmarshal(content.Bytes(), &anchor); err != nil {
		return anchor, fmt.Errorf("read the anchor: %w", err)
	}
	if anchor.Form != 1 {
		return anchor, fmt.Errorf("the anchor has form %d: a later version of the program reads it", anchor.Form)
	}
	return anchor, nil
}
