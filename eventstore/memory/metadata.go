package memory

import (
	"encoding/json"

	"moviola/eventstore"
)

// metaPrefix + a stream's name is the name of the stream that holds its metadata.
const metaPrefix = "$$"

// limits is what a stream's metadata says about which events are visible.
type limits struct {
	TruncateBefore int64 `json:"$tb"`
	MaxCount       int64 `json:"$maxCount"`
	// nobody needs the stream once all its events are truncated: eventstore.DiscardProperty
	Discard bool `json:"moviolaDiscard"`
}

// limitsOf returns what the metadata of a stream says. The caller holds the lock.
func (s *Store) limitsOf(stream string) limits {
	described := s.streams[metaPrefix+stream]
	var metadata limits
	if len(described) == 0 || json.Unmarshal(s.log[described[len(described)-1]].Data, &metadata) != nil {
		return limits{}
	}
	return metadata
}

// firstVisible is the index of the first event that a stream's metadata leaves visible. Hidden events stay in the log; $maxAge is
// ignored. The caller holds the lock.
func (s *Store) firstVisible(stream string) int {
	metadata := s.limitsOf(stream)
	count := int64(len(s.streams[stream]))
	first := max(metadata.TruncateBefore, 0)
	if metadata.MaxCount > 0 {
		first = max(first, count-metadata.MaxCount)
	}
	return int(min(first, count))
}

// absent returns the revision at which a stream must end for an append that expects no stream (NoStream). It is NoStream
// or, when metadata discards events of the stream, the revision of the last discarded event. The caller holds the lock.
func (s *Store) absent(stream string) eventstore.Revision {
	metadata := s.limitsOf(stream)
	if !metadata.Discard {
		return eventstore.NoStream
	}
	return eventstore.Revision(min(metadata.TruncateBefore, int64(len(s.streams[stream])))) - 1
}
