package logfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The size of one piece (a part of a backup: a file of JSON lines for events, streams or groups). The numbers are part of the
// format: with other numbers, no piece of an earlier backup could be reused.
const (
	pieceEvents  = 1024 // a piece (part of a backup) with events has the events of a range of this many positions, from 0 on
	pieceStreams = 4096 // a piece (part of a backup) with streams has the streams of a range of this many ids, from 0 on
	pieceGroups  = 4096 // a piece (part of a backup) with groups has this many persistent subscriptions
	// a piece (part of a backup) with collapsed streams has those whose newest event was in a range of this many positions
	pieceCollapsed = 65536
)

const (
	eventPieces  = "events-"
	streamPieces = "streams-"
	groupPieces  = "groups-" // there is none when the log has no persistent subscriptions
	// there is none when the log has no collapsed streams
	collapsedPieces = "collapsed-"
)

// pieceStream is the JSON line of one stream in a piece (a part of a backup).
type pieceStream struct {
	ID      int64     `json:"id"`
	Name    pieceBlob `json:"name"` // names of streams are bytes, which need not be UTF-8
	Removed int64     `json:"removed,omitempty"`
}

// pieceEvent is the JSON line of one event in a piece (a part of a backup), with the log's own checksum of the event.
type pieceEvent struct {
	Position int64     `json:"position"`
	Stream   int64     `json:"stream"` // id of the event's stream in the log
	Revision int64     `json:"revision"`
	ID       []byte    `json:"id"`
	Type     string    `json:"type"`
	JSON     int64     `json:"json"`
	Created  int64     `json:"created"`
	Checksum int64     `json:"checksum"`
	Metadata pieceBlob `json:"metadata"`
	Data     pieceBlob `json:"data"`
}

// pieceCollapsedStream is the JSON line of one collapsed stream in a piece (a part of a backup).
type pieceCollapsedStream struct {
	Name         pieceBlob `json:"name"`
	Revision     int64     `json:"revision"`
	Position     int64     `json:"position"`
	ID           []byte    `json:"id"`
	MetaRevision int64     `json:"metaRevision"`
	MetaPosition int64     `json:"metaPosition"`
	Created      int64     `json:"created"` // creation time of the metadata
	Metadata     pieceBlob `json:"metadata"`
}

// pieceGroup is the JSON line of one persistent subscription in a piece (a part of a backup).
type pieceGroup struct {
	Stream     pieceBlob `json:"stream"`
	Name       string    `json:"name"`
	Settings   pieceBlob `json:"settings"`
	Checkpoint int64     `json:"checkpoint"`
}

// pieceBlob is bytes. In JSON it is a string when the bytes are UTF-8, and an array with their Base64 when they are not.
type pieceBlob []byte

// MarshalJSON implements json.Marshaler.
func (b pieceBlob) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return json.Marshal(string(b))
	}
	return json.Marshal([1][]byte{b})
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *pieceBlob) UnmarshalJSON(encoded []byte) error {
	if bytes.HasPrefix(encoded, []byte("[")) {
		var binary [1][]byte
		err := json.Unmarshal(encoded, &binary)
		*b = binary[0]
		return err
	}
	var text string
	err := json.Unmarshal(encoded, &text)
	*b = []byte(text)
	return err
}

// Pieces splits the file of a backup into pieces of JSON lines, and calls visit with the name and the content of each
// piece. A piece with events or streams covers a fixed range of positions, or of streams. So while a log grows, all these
// pieces but the last ones stay the same, except where retention removes events. Assemble restores the log from the pieces.
func Pieces(ctx context.Context, file string, visit func(name string, content []byte) error) (err error) {
	i, err := inspect(ctx, file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.close()) }()
	if err := i.pieces(visit); err != nil {
		return fmt.Errorf("take %s apart: %w", file, readError(i.path, err))
	}
	return nil
}

func (i *inspection) pieces(visit func(name string, content []byte) error) error {
	err := i.cut(&cutter{prefix: eventPieces, span: pieceEvents, visit: visit},
		`SELECT position, stream, revision, id, type, json, created, checksum, metadata, data FROM events ORDER BY position`,
		func(stmt *sqlite.Stmt) any {
			return pieceEvent{
				Position: stmt.ColumnInt64(0), Stream: stmt.ColumnInt64(1), Revision: stmt.ColumnInt64(2), ID: column(stmt, 3),
				Type: stmt.ColumnText(4),
				JSON: stmt.ColumnInt64(5), Created: stmt.ColumnInt64(6), Checksum: stmt.ColumnInt64(7),
				Metadata: column(stmt, 8), Data: column(stmt, 9),
			}
		})
	if err != nil {
		return err
	}
	err = i.cut(&cutter{prefix: streamPieces, span: pieceStreams, visit: visit},
		`SELECT id, name, removed FROM streams ORDER BY id`,
		func(stmt *sqlite.Stmt) any {
			return pieceStream{ID: stmt.ColumnInt64(0), Name: column(stmt, 1), Removed: stmt.ColumnInt64(2)}
		})
	if err != nil {
		return err
	}
	if err := i.collapsedPieces(visit); err != nil {
		return err
	}
	if known, _, err := queryInt(i.conn, groupTables); err != nil || known == 0 {
		return err
	}
	return i.cut(&cutter{prefix: groupPieces, span: pieceGroups, visit: visit},
		`SELECT row_number() OVER (ORDER BY stream, name) - 1, stream, name, settings, checkpoint FROM groups ORDER BY stream, name`,
		func(stmt *sqlite.Stmt) any {
			return pieceGroup{Stream: column(stmt, 1), Name: stmt.ColumnText(2), Settings: column(stmt, 3),
				Checkpoint: stmt.ColumnInt64(4)}
		})
}

// collapsedPieces makes the pieces with collapsed streams.
func (i *inspection) collapsedPieces(visit func(name string, content []byte) error) error {
	if !i.collapses {
		return nil
	}
	return i.cut(&cutter{prefix: collapsedPieces, span: pieceCollapsed, visit: visit},
		`SELECT c.position, c.name, c.revision, c.id, c.meta_revision, c.meta_position, m.created, m.data
			FROM collapsed c JOIN collapsed_metadata m ON m.id = c.metadata ORDER BY c.position, c.name`,
		func(stmt *sqlite.Stmt) any {
			return pieceCollapsedStream{
				Position: stmt.ColumnInt64(0), Name: column(stmt, 1), Revision: stmt.ColumnInt64(2), ID: column(stmt, 3),
				MetaRevision: stmt.ColumnInt64(4), MetaPosition: stmt.ColumnInt64(5), Created: stmt.ColumnInt64(6),
				Metadata: column(stmt, 7),
			}
		})
}

// cut writes the rows of a query into pieces. The first column is the number by which a row belongs to a piece.
func (i *inspection) cut(to *cutter, query string, line func(*sqlite.Stmt) any) error {
	err := sqlitex.ExecuteTransient(i.conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		return to.add(stmt.ColumnInt64(0), line(stmt))
	}})
	if err != nil {
		return err
	}
	return to.end()
}

func column(stmt *sqlite.Stmt, at int) []byte {
	content := make([]byte, stmt.ColumnLen(at))
	stmt.ColumnBytes(at, content)
	return content
}

// cutter writes JSON lines into pieces. A piece has the lines of a fixed span of numbers (positions of events, ids of streams, or
// places of groups in their order) and goes to visit when a line of the next piece is added.
type cutter struct {
	prefix string
	span   int64
	visit  func(name string, content []byte) error

	piece int64
	lines bytes.Buffer
}

func (c *cutter) add(number int64, line any) error {
	if piece := number / c.span; piece != c.piece {
		if err := c.end(); err != nil {
			return err
		}
		c.piece = piece
	}
	return json.NewEncoder(&c.lines).Encode(line)
}

func (c *cutter) end() error {
	if c.lines.Len() == 0 {
		return nil
	}
	err := c.visit(fmt.Sprintf("%s%012d.jsonl", c.prefix, c.piece), c.lines.Bytes())
	c.lines.Reset()
	return err
}

// Assembly is a log that is restored from its pieces, in any order. Verify finds the gap that a missing piece leaves, but
// may not find that events at the end of the log are missing.
type Assembly struct{ log *Log }

// Assemble starts to restore a log in a folder that has none.
func Assemble(dir string) (*Assembly, error) {
	if _, err := LogFile(dir); !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("there is an event log in %s already", dir), err)
	}
	log, err := Open(filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	return &Assembly{log}, nil
}

// Add adds a piece, all of it or nothing. The piece's name tells whether it holds events, streams or groups.
func (a *Assembly) Add(name string, piece io.Reader) (err error) {
	end, err := sqlitex.ImmediateTransaction(a.log.writer)
	if err != nil {
		return err
	}
	defer end(&err)
	lines := json.NewDecoder(piece)
	for add := a.adder(name); ; {
		if add == nil {
			return fmt.Errorf("%s is no piece of a log", name)
		}
		if err := add(lines); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("add %s to the log: %w", name, err)
		}
	}
}

// adder returns the function that reads and adds a line of a piece; nil when the name is not that of a piece.
func (a *Assembly) adder(name string) func(*json.Decoder) error {
	insert := a.insert
	switch {
	case strings.HasPrefix(name, eventPieces):
		return func(lines *json.Decoder) error {
			var e pieceEvent
			if err := lines.Decode(&e); err != nil {
				return err
			}
			return insert(`INSERT INTO events (position, stream, revision, id, type, json, created, checksum, metadata, data)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				e.Position, e.Stream, e.Revision, e.ID, e.Type, e.JSON, e.Created, e.Checksum, []byte(e.Metadata), []byte(e.Data))
		}
	case strings.HasPrefix(name, streamPieces):
		return func(lines *json.Decoder) error {
			var s pieceStream
			if err := lines.Decode(&s); err != nil {
				return err
			}
			return insert(`INSERT INTO streams (id, name, removed) VALUES (?, ?, ?)`, s.ID, string(s.Name), s.Removed)
		}
	case strings.HasPrefix(name, collapsedPieces):
		return a.addCollapsed
	case strings.HasPrefix(name, groupPieces):
		return func(lines *json.Decoder) error {
			var g pieceGroup
			if err := lines.Decode(&g); err != nil {
				return err
			}
			return insert(`INSERT INTO groups (stream, name, settings, checkpoint) VALUES (?, ?, ?, ?)`,
				string(g.Stream), g.Name, []byte(g.Settings), g.Checkpoint)
		}
	}
	return nil
}

func (a *Assembly) insert(statement string, args ...any) error {
	return sqlitex.Execute(a.log.writer, statement, &sqlitex.ExecOptions{Args: args})
}

// addCollapsed adds the next collapsed stream of a piece.
func (a *Assembly) addCollapsed(lines *json.Decoder) error {
	var c pieceCollapsedStream
	if err := lines.Decode(&c); err != nil {
		return err
	}
	version, _, err := queryInt(a.log.writer, "PRAGMA user_version")
	if err == nil && version != collapsedVersion {
		err = a.log.script(collapsedSchema)
	}
	if err == nil {
		err = a.insert("INSERT OR IGNORE INTO collapsed_metadata (data, created) VALUES (?, ?)", []byte(c.Metadata), c.Created)
	}
	if err != nil {
		return err
	}
	return a.insert(`INSERT INTO collapsed (name, revision, position, id, metadata, meta_revision, meta_position)
		VALUES (?, ?, ?, ?, (SELECT id FROM collapsed_metadata WHERE data = ?), ?, ?)`,
		string(c.Name), c.Revision, c.Position, c.ID, []byte(c.Metadata), c.MetaRevision, c.MetaPosition)
}

// Close ends the assembly. What was added is on the disk when Close returns.
func (a *Assembly) Close() error { return a.log.Close() }
