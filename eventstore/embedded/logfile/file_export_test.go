package logfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// ReadFile opens a log's file and reads everything there is in it, by every road: the log forwards, and every event of every
// stream by its revision and by its id. It returns one line per event.
func ReadFile(path string) (lines []string, err error) {
	log, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	ctx := context.Background()
	last, err := log.LastPosition(ctx)
	if err != nil {
		return nil, err
	}
	streams := map[string]int64{}
	for low := int64(1); low <= last; {
		page, err := log.ReadAll(ctx, AllPage{Low: low, High: last, Limit: PageLimit})
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			lines = append(lines, fmt.Sprintf("%d %s@%d %s %s %s %s", r.Position, r.Stream, r.Revision, r.ID, r.Kind, r.Data, r.Metadata))
			streams[r.Stream]++
			low = r.Position + 1
		}
		if len(page) == 0 {
			break
		}
	}
	for stream, count := range streams {
		if err := readBothWays(ctx, log, stream, count); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// readBothWays checks that both indexes of a stream, by revision and by id, lead to as many events as the log has of it.
func readBothWays(ctx context.Context, log *Log, stream string, count int64) error {
	last, err := log.LastRevision(ctx, stream)
	if err != nil {
		return err
	}
	if last != count-1 {
		return fmt.Errorf("%s ends at %d, want %d", stream, last, count-1)
	}
	for revision := range count {
		page, err := log.ReadStream(ctx, stream, StreamPage{Low: revision, High: revision, Until: NoLimit, Limit: 1})
		if err != nil {
			return err
		}
		if len(page) != 1 {
			return fmt.Errorf("event %d of %s is not found", revision, stream)
		}
		found, err := log.Find(ctx, stream, page[0].ID)
		if err != nil {
			return err
		}
		if found == nil || found.Revision != revision {
			return fmt.Errorf("event %d of %s is not found by its id", revision, stream)
		}
	}
	return nil
}

// CommitFile opens a log's file, writes commits of a few events each, and returns copies of the file and of its write-ahead log as a
// crash leaves them.
func CommitFile(path string, commits int) (file, wal []byte, err error) {
	log, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	last, err := log.LastPosition(context.Background())
	if err != nil {
		return nil, nil, err
	}
	revisions := map[string]int64{}
	for i := range commits {
		var batch []*Record
		for j := range 1 + i%3 {
			last++
			stream := fmt.Sprintf("stream%d-%d", last%2, last%7)
			batch = append(batch, &Record{
				Position: last, Stream: stream, Revision: revisions[stream], ID: uuid.New(), Kind: "Tested", JSON: true,
				Created: last, Data: fmt.Appendf(nil, `{"n":%d,"j":%d,"text":%q}`, last, j, strings.Repeat("x", int(last%300))),
			})
			revisions[stream]++
		}
		if err := log.Commit(batch, nil); err != nil {
			return nil, nil, err
		}
	}
	if file, err = os.ReadFile(path); err != nil {
		return nil, nil, err
	}
	wal, err = os.ReadFile(path + "-wal")
	return file, wal, err
}

// ScanWAL looks for damage in the bytes of a write-ahead log: the number of the damaged frame, or Whole.
func ScanWAL(content []byte) (int, error) { return scanWAL(bytes.NewReader(content)) }

// Whole is what ScanWAL returns when there is no damage.
const Whole = whole

// ReadMeta reads stream metadata, and writes it back with another $tb.
func ReadMeta(data []byte, before int64) (truncateBefore, maxCount int64, maxAge time.Duration, written []byte, err error) {
	meta := ParseMeta(data)
	written, err = WithTruncateBefore(data, before)
	return meta.truncateBefore, meta.maxCount, meta.MaxAge, written, err
}

// ScanRow reads a row of the events table whose columns hold these values.
func ScanRow(stream, kind string, id []byte, created, checksum int64, metadata, data []byte) error {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	log := &Log{path: "row"}
	return sqlitex.ExecuteTransient(conn, "SELECT 1, ?, 2, ?, ?, 1, ?, ?, ?, ?", &sqlitex.ExecOptions{
		Args:       []any{stream, kind, id, created, checksum, metadata, data},
		ResultFunc: func(stmt *sqlite.Stmt) error { _, err := log.scan(stmt, nil); return err },
	})
}
