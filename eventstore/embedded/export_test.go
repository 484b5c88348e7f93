package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// OpenFaulty is Open over a log whose commits fail with what the function returns, unless that is nil.
func OpenFaulty(config Config, fault func() error) (*Server, error) {
	return open(config, tailRecords, func(path string) (storage, error) {
		log, err := openSQLite(path)
		if err != nil {
			return nil, err
		}
		return &faultyLog{storage: log, fault: fault}, nil
	})
}

type faultyLog struct {
	storage
	fault func() error
}

func (l *faultyLog) Commit(batch []*record, groups []*groupRow) error {
	if err := l.fault(); err != nil {
		return err
	}
	return l.storage.Commit(batch, groups)
}

// ErrFull is what a commit fails with on a full disk.
var ErrFull = errFull

// OpenForgetful is Open with a memory of so many records.
func OpenForgetful(config Config, records int) (*Server, error) {
	return open(config, records, func(path string) (storage, error) { return openSQLite(path) })
}

// ReadFile opens a log's file and reads everything there is in it, by every road: the log both ways, every stream both ways, and
// every event by its id. It returns one line per event.
func ReadFile(path string) (lines []string, err error) {
	log, err := openSQLite(path)
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
		page, err := log.ReadAll(ctx, allPage{low: low, high: last, limit: pageLimit})
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			lines = append(lines, fmt.Sprintf("%d %s@%d %s %s %s %s", r.position, r.stream, r.revision, r.id, r.kind, r.data, r.metadata))
			streams[r.stream]++
			low = r.position + 1
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

// readBothWays checks that a stream's own index leads to as many events as the log has of it.
func readBothWays(ctx context.Context, log *sqliteLog, stream string, count int64) error {
	last, err := log.LastRevision(ctx, stream)
	if err != nil {
		return err
	}
	if last != count-1 {
		return fmt.Errorf("%s ends at %d, want %d", stream, last, count-1)
	}
	for revision := range count {
		page, err := log.ReadStream(ctx, stream, streamPage{low: revision, high: revision, until: noLimit, limit: 1})
		if err != nil {
			return err
		}
		if len(page) != 1 {
			return fmt.Errorf("event %d of %s is not found", revision, stream)
		}
		found, err := log.Find(ctx, stream, page[0].id)
		if err != nil {
			return err
		}
		if found == nil || found.revision != revision {
			return fmt.Errorf("event %d of %s is not found by its id", revision, stream)
		}
	}
	return nil
}

// CommitFile opens a log's file, writes commits of a few events each, and returns copies of the file and of its write-ahead log as a
// crash leaves them.
func CommitFile(path string, commits int) (file, wal []byte, err error) {
	log, err := openSQLite(path)
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
		var batch []*record
		for j := range 1 + i%3 {
			last++
			stream := fmt.Sprintf("stream%d-%d", last%2, last%7)
			batch = append(batch, &record{
				position: last, stream: stream, revision: revisions[stream], id: uuid.New(), kind: "Tested", json: true,
				created: last, data: fmt.Appendf(nil, `{"n":%d,"j":%d,"text":%q}`, last, j, strings.Repeat("x", int(last%300))),
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

// Tamper runs SQL on a log's file, as somebody would who has the pages' checksums right.
func Tamper(path, script string) (err error) {
	conn, err := openFile(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return sqlitex.ExecuteScript(conn, script, nil)
}

// Tail is a tail to be published to by stream names.
type Tail struct{ inner *tail }

// NewTail returns an empty one.
func NewTail() Tail { return Tail{inner: newTail(0, tailRecords)} }

// Publish commits a record to each stream, together.
func (t Tail) Publish(streams ...string) {
	var records []*record
	for i, stream := range streams {
		records = append(records, &record{position: t.inner.edge() + int64(i) + 1, stream: stream})
	}
	t.inner.publish(records)
}

// Sleep waits for records behind the newest.
func (t Tail) Sleep(due int64, interest ...string) (woken <-chan int64, end func()) {
	return t.inner.sleep(t.inner.edge(), interest, due)
}

// Sleepers is how many entries there are of those who wait.
func (t Tail) Sleepers() int {
	n := 0
	for _, sleepers := range t.inner.sleepers {
		n += len(sleepers)
	}
	return n
}

// What an operation on a file can be made to fail with.
const (
	FaultSync  = int32(lib.SQLITE_IOERR_FSYNC)
	FaultWrite = int32(lib.SQLITE_IOERR_WRITE)
	FaultFull  = int32(lib.SQLITE_FULL)
)

// InjectFaults lets a function decide what comes of the reads, writes and syncs of the log in a folder, in servers opened from now on;
// nil ends that.
func InjectFaults(dir string, fault func(operation string) int32) {
	for _, name := range []string{fileName, fileName + "-wal"} {
		path := filepath.Join(dir, name)
		if fault == nil {
			fileFaults.Delete(path)
			continue
		}
		fileFaults.Store(path, fault)
	}
}

// OpenWithoutStorage is Open over a storage that forgets everything at once: what is left is the protocol and the writer.
func OpenWithoutStorage(config Config) (*Server, error) {
	return open(config, tailRecords, func(string) (storage, error) { return nothing{}, nil })
}

type nothing struct{}

func (nothing) Commit([]*record, []*groupRow) error         { return nil }
func (nothing) Groups(context.Context) ([]*groupRow, error) { return nil, nil }
func (nothing) LastPosition(context.Context) (int64, error) { return 0, nil }
func (nothing) LastRevision(context.Context, string) (int64, error) {
	return -1, nil
}
func (nothing) Find(context.Context, string, uuid.UUID) (*record, error) { return nil, nil }
func (nothing) ReadStream(context.Context, string, streamPage) ([]*record, error) {
	return nil, nil
}
func (nothing) ReadAll(context.Context, allPage) ([]*record, error)        { return nil, nil }
func (nothing) Remove(string, int64, int) (int, error)                     { return 0, nil }
func (nothing) FirstRevision(context.Context, string) (int64, error)       { return 0, nil }
func (nothing) MetaStreams(context.Context, string, int) ([]string, error) { return nil, nil }
func (nothing) Close() error                                               { return nil }

// Fill makes a log of n events, in streams of ten.
func Fill(path string, n int, payload []byte) (err error) {
	log, err := openSQLite(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for position := int64(1); position <= int64(n); {
		var batch []*record
		for range min(int64(n)-position+1, 5000) {
			batch = append(batch, &record{
				position: position, stream: fmt.Sprintf("filled-%d", (position-1)/10), revision: (position - 1) % 10, id: uuid.New(),
				kind: "Measured", json: true, created: position, data: payload, metadata: []byte(`{"v":1}`),
			})
			position++
		}
		if err := log.Commit(batch, nil); err != nil {
			return err
		}
	}
	return nil
}

// ScanWAL looks for damage in the bytes of a write-ahead log: the number of the damaged frame, or Whole.
func ScanWAL(content []byte) (int, error) { return scanWAL(bytes.NewReader(content)) }

// Whole is what ScanWAL returns when there is no damage.
const Whole = whole

// ReadMeta reads stream metadata, and writes it back with another $tb.
func ReadMeta(data []byte, before int64) (truncateBefore, maxCount int64, maxAge time.Duration, written []byte, err error) {
	meta := parseMeta(data)
	written, err = withTruncateBefore(data, before)
	return meta.truncateBefore, meta.maxCount, meta.maxAge, written, err
}

// ScanRow reads a row of the events table whose columns hold these values.
func ScanRow(stream, kind string, id []byte, created, checksum int64, metadata, data []byte) error {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	log := &sqliteLog{path: "row"}
	return sqlitex.ExecuteTransient(conn, "SELECT 1, ?, 2, ?, ?, 1, ?, ?, ?, ?", &sqlitex.ExecOptions{
		Args:       []any{stream, kind, id, created, checksum, metadata, data},
		ResultFunc: func(stmt *sqlite.Stmt) error { _, err := log.scan(stmt, nil); return err },
	})
}

// OpenGroupless is Open over a log whose persistent subscriptions cannot be read.
func OpenGroupless(config Config) (*Server, error) {
	return open(config, tailRecords, func(path string) (storage, error) {
		log, err := openSQLite(path)
		if err != nil {
			return nil, err
		}
		return groupless{log}, nil
	})
}

type groupless struct{ storage }

func (groupless) Groups(context.Context) ([]*groupRow, error) { return nil, errors.New("unreadable") }
