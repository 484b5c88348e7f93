package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"moviola/eventstore"
)

// The suffixes of the names of two files: of an anchor, and of its list, which has the digest of every ledger event.
const (
	AnchorSuffix = ".anchor"
	ListSuffix   = ".list" // The list has the name of the anchor's file, with ListSuffix added.
)

// Sheet is a signed anchor, ready to be sent to where it is kept.
type Sheet struct {
	Name            string // file name without suffix; the names sort by the time of their anchors
	TakenAt         time.Time
	Content         []byte // the signed anchor: a Signed as JSON
	List            []byte // SHA-256 of every ledger event, 32 bytes each
	Digest          string // SHA-256 of Content, in hex
	Ledgers, Events int64
	PublicKey       ed25519.PublicKey
}

// Make takes an anchor of a log now, and signs it.
func Make(ctx context.Context, store eventstore.Store, key ed25519.PrivateKey, now time.Time) (Sheet, error) {
	taken, list, err := Take(ctx, store, now)
	if err != nil {
		return Sheet{}, err
	}
	signed, err := Sign(taken, key)
	if err != nil {
		return Sheet{}, err
	}
	content, err := json.Marshal(signed)
	if err != nil {
		return Sheet{}, err
	}
	content = append(content, '\n')
	sum := sha256.Sum256(content)
	return Sheet{
		Name: "moviola-" + taken.TakenAt.Format("20060102T150405.000Z"), TakenAt: taken.TakenAt, Content: content, List: list,
		Digest: hex.EncodeToString(sum[:]), Ledgers: int64(len(taken.Ledgers)), Events: int64(len(list) / sha256.Size),
		PublicKey: signed.PublicKey,
	}, nil
}
