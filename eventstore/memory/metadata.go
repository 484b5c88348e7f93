package memory

import (
	"encoding/json"
)

// metaPrefix + a stream's name is the name of the stream that holds its metadata.
const metaPrefix = "$$"

// firstVisible is the index of the first event that a stream's metadata leaves visible. Hidden events stay in the log; $maxAge is
// ignored. The caller holds the lock.
func (s *Store) firstVisible(stream string) int {
	described := s.streams[metaPrefix+stream]
	if len(described) == 0 {
		return 0
	}
	var metadata struct {
		TruncateBefore int64 `json:"$tb"`
		MaxCount       int64 `json:"$maxCount"`
	}
	if json.Unmarshal(s.log[described[len(described)-1]].Data, &metadata) != nil {
		return 0
	}
	count := int64(len(s.streams[stream]))
	first := max(metadata.TruncateBefore, 0)
	if metadata.MaxCount > 0 {
		first = max(first, count-metadata.MaxCount)
	}
	return int(min(first, count))
}
