package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"moviola/eventstore"
)

// Seal is a hash chain over entries: each digest is the SHA-256 of the previous digest (32 bytes, zeros at the beginning) and of
// the entry
//
//	stream LF revision LF event id LF type LF data
//
// in UTF-8, with the data exactly as stored. Two audits that end with the same seal have seen the same entries in the same order.
// The zero Seal is the beginning.
type Seal struct {
	digest [sha256.Size]byte
	buffer []byte
}

// Add adds an entry to the chain.
func (s *Seal) Add(r *eventstore.Recorded) {
	b := append(s.buffer[:0], s.digest[:]...)
	b = append(append(b, r.Stream...), '\n')
	b = append(strconv.AppendInt(b, int64(r.Revision), 10), '\n')
	b = append(append(b, r.ID.String()...), '\n')
	b = append(append(b, r.Type...), '\n')
	b = append(b, r.Data...)
	s.buffer, s.digest = b, sha256.Sum256(b)
}

// String is the last digest in hex.
func (s *Seal) String() string { return hex.EncodeToString(s.digest[:]) }
