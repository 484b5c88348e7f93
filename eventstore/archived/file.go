package archived

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"

	"moviola/eventstore"
)

// An archive file is a sequence of zstd frames. The first frames are blocks: compressed JSON lines, one for each event, in the
// order of the log. `zstd -dc` prints these events. Two skippable frames follow. The first has the places of the streams, as
// compressed JSON lines. The second is the directory, which has the place and the SHA-256 of every block and of the list of
// places.
const (
	format = 1
	// blockBytes is the size in bytes at which a block ends, before compression.
	blockBytes = 128 << 10
	// skippable is the magic number of a zstd frame that decoders skip. The size of its content follows, in four bytes.
	skippable = 0x184D2A50
	frameHead = 8
	// mostDecoded is the maximum size of a decompressed block, or list of places, in bytes.
	mostDecoded = 64 << 20
)

// span is the place of a range of bytes in a file, with its checksum.
type span struct {
	At   int64  `json:"at"`
	Size int64  `json:"size"`
	Hash string `json:"hash"` // hex SHA-256 of the bytes in this range
}

// block describes a block of events in an archive file.
type block struct {
	span
	Events int                 `json:"events"`
	First  eventstore.Position `json:"first"`
	Last   eventstore.Position `json:"last"`
}

// directory lists the blocks of an archive file, and says where in the file its list of streams is.
type directory struct {
	Format int     `json:"format"`
	Blocks []block `json:"blocks"`
	Places span    `json:"places"`
}

// place names the blocks that contain the events of one stream.
type place struct {
	Stream string              `json:"stream"`
	First  eventstore.Revision `json:"first"`
	End    eventstore.Revision `json:"end"` // revision after the stream's last event in the file
	Blocks []int               `json:"blocks"`
}

// line is the JSON of one event in an archive file. Data and metadata are strings, so that their bytes do not change. When one
// of them is not UTF-8, both are in base64.
type line struct {
	Commit   uint64              `json:"commit"`
	Prepare  uint64              `json:"prepare"`
	Stream   string              `json:"stream"`
	Revision eventstore.Revision `json:"revision"`
	ID       uuid.UUID           `json:"id"`
	Type     string              `json:"type"`
	Created  time.Time           `json:"created"`
	Metadata string              `json:"metadata"`
	Data     string              `json:"data"`
	Base64   bool                `json:"base64,omitempty"`
}

func toLine(e eventstore.Recorded) line {
	l := line{
		Commit: e.Position.Commit, Prepare: e.Position.Prepare, Stream: e.Stream, Revision: e.Revision, ID: e.ID, Type: e.Type,
		Created: e.Created.UTC(), Metadata: string(e.Metadata), Data: string(e.Data),
	}
	if l.Base64 = !utf8.Valid(e.Data) || !utf8.Valid(e.Metadata); l.Base64 {
		l.Metadata, l.Data = base64.StdEncoding.EncodeToString(e.Metadata), base64.StdEncoding.EncodeToString(e.Data)
	}
	return l
}

func (l line) event() (eventstore.Recorded, error) {
	e := eventstore.Recorded{
		ID: l.ID, Stream: l.Stream, Revision: l.Revision, Position: eventstore.Position{Commit: l.Commit, Prepare: l.Prepare},
		Type: l.Type, Created: l.Created, Metadata: []byte(l.Metadata), Data: []byte(l.Data),
	}
	if !l.Base64 {
		return e, nil
	}
	var err, failed error
	e.Metadata, err = base64.StdEncoding.DecodeString(l.Metadata)
	e.Data, failed = base64.StdEncoding.DecodeString(l.Data)
	return e, errors.Join(err, failed)
}

// encoder and decoder compress and decompress blocks. Both are safe for concurrent use.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(mostDecoded), zstd.WithDecoderConcurrency(0))
)

// encodeFile returns the content of an archive file, and its entry without key and revision. events are in the order of the log;
// those of one stream have consecutive revisions.
func encodeFile(events []eventstore.Recorded) ([]byte, Entry, error) {
	var file, raw bytes.Buffer
	dir := directory{Format: format}
	places := map[string]*place{}
	var names []string
	current := block{}
	end := func() {
		current.span = addFrame(&file, encoder.EncodeAll(raw.Bytes(), nil))
		dir.Blocks = append(dir.Blocks, current)
		current = block{}
		raw.Reset()
	}
	lines := json.NewEncoder(&raw)
	lines.SetEscapeHTML(false)
	for _, e := range events {
		if err := lines.Encode(toLine(e)); err != nil {
			return nil, Entry{}, fmt.Errorf("encode event %d of %s: %w", e.Revision, e.Stream, err)
		}
		if current.Events == 0 {
			current.First = e.Position
		}
		current.Events++
		current.Last = e.Position
		p := places[e.Stream]
		if p == nil {
			p = &place{Stream: e.Stream, First: e.Revision, End: e.Revision}
			places[e.Stream] = p
			names = append(names, e.Stream)
		}
		if p.End != e.Revision {
			return nil, Entry{}, fmt.Errorf("event %d of %s comes after revision %d", e.Revision, e.Stream, p.End-1)
		}
		p.End++
		if number := len(dir.Blocks); !slices.Contains(p.Blocks, number) {
			p.Blocks = append(p.Blocks, number)
		}
		if raw.Len() >= blockBytes {
			end()
		}
	}
	if raw.Len() > 0 {
		end()
	}
	for _, name := range names {
		if err := lines.Encode(places[name]); err != nil {
			return nil, Entry{}, err
		}
	}
	dir.Places = addSkippable(&file, encoder.EncodeAll(raw.Bytes(), nil))
	encoded, err := json.Marshal(dir)
	if err != nil {
		return nil, Entry{}, err
	}
	entry := Entry{
		Directory: addSkippable(&file, encoded), Events: len(events), Streams: len(names), Bytes: int64(file.Len()),
		First: events[0].Position, Last: events[len(events)-1].Position,
	}
	entry.Hash = hashOf(file.Bytes())
	return file.Bytes(), entry, nil
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func addFrame(file *bytes.Buffer, content []byte) span {
	s := span{At: int64(file.Len()), Size: int64(len(content)), Hash: hashOf(content)}
	file.Write(content)
	return s
}

func addSkippable(file *bytes.Buffer, content []byte) span {
	head := binary.LittleEndian.AppendUint32(nil, skippable)
	file.Write(binary.LittleEndian.AppendUint32(head, uint32(len(content))))
	return addFrame(file, content)
}

// decodeBlock decompresses a block and returns its events.
func decodeBlock(content []byte, b block) ([]eventstore.Recorded, error) {
	raw, err := decoder.DecodeAll(content, nil)
	if err != nil {
		return nil, err
	}
	events := make([]eventstore.Recorded, 0, b.Events)
	for text := range bytes.Lines(raw) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, err
		}
		event, err := l.event()
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	if len(events) != b.Events {
		return nil, fmt.Errorf("a block has %d events instead of %d", len(events), b.Events)
	}
	return events, nil
}

// decodePlaces decompresses and reads the list that says, for each stream of an archive file, which blocks of the file
// have its events. The map is by the name of the stream.
func decodePlaces(content []byte) (map[string]place, error) {
	raw, err := decoder.DecodeAll(content, nil)
	if err != nil {
		return nil, err
	}
	places := map[string]place{}
	for text := range bytes.Lines(raw) {
		var p place
		if err := json.Unmarshal(text, &p); err != nil {
			return nil, err
		}
		places[p.Stream] = p
	}
	return places, nil
}
