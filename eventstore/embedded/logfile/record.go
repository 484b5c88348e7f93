package logfile

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Record is a stored event. Once committed it never changes and is shared between goroutines.
type Record struct {
	Position int64 // position in the log: records are given 1, 2, 3, ... without gaps
	Stream   string
	Revision int64
	ID       uuid.UUID
	Kind     string // the event's type
	JSON     bool   // content type: true for JSON, false for bytes
	Created  int64  // creation time, in ticks of 100 ns since 1970 UTC, the protocol's unit
	Data     []byte
	Metadata []byte
}

// Ticks converts a time to the protocol's unit: ticks of 100 ns since 1970 UTC.
func Ticks(t time.Time) int64 { return t.UnixNano() / 100 }

// Size estimates a record's memory in bytes.
func (r *Record) Size() int64 {
	return int64(len(r.Stream)+len(r.Kind)+len(r.Data)+len(r.Metadata)) + 128
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers all fields that a reader gets, so that damage of the file is detected at the damaged event.
func (r *Record) checksum() uint32 {
	sum := crc32.New(castagnoli)
	var fixed [25]byte
	binary.LittleEndian.PutUint64(fixed[0:], uint64(r.Position))
	binary.LittleEndian.PutUint64(fixed[8:], uint64(r.Revision))
	binary.LittleEndian.PutUint64(fixed[16:], uint64(r.Created))
	if r.JSON {
		fixed[24] = 1
	}
	sum.Write(fixed[:])
	sum.Write(r.ID[:])
	writeSized(sum, []byte(r.Stream))
	writeSized(sum, []byte(r.Kind))
	writeSized(sum, r.Data)
	writeSized(sum, r.Metadata)
	return sum.Sum32()
}

// writeSized adds a field's length and the field to a checksum. With the length, moving bytes from one field to the next changes
// the sum.
func writeSized(sum hash.Hash32, field []byte) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(field)))
	sum.Write(length[:])
	sum.Write(field)
}

// CorruptError says where the log is damaged, as far as that is known: at an event or a page of the file whose checksum does
// not match, or at a frame of its write-ahead log.
type CorruptError struct {
	File string

	Stream   string // stream of the damaged event
	Revision int64
	Position int64 // position of the damaged event; 0: not known

	Page  int64 // damaged page of the file, counted from 1; 0: not known
	Frame int   // damaged frame of the write-ahead log, counted from 1; 0: the header of the write-ahead log, or not known
}

// Error implements error.
func (e *CorruptError) Error() string {
	switch {
	case e.Position > 0:
		return fmt.Sprintf("%s is damaged: event %d of stream %s (position %d) does not match its checksum",
			e.File, e.Revision, e.Stream, e.Position)
	case e.Page > 0:
		return fmt.Sprintf("%s is damaged: page %d does not match its checksum", e.File, e.Page)
	case strings.HasSuffix(e.File, "-wal"):
		return fmt.Sprintf("%s is damaged: frame %d does not match its checksum, and commits stand behind it", e.File, e.Frame)
	default:
		return e.File + " is damaged: it is not what SQLite wrote"
	}
}
