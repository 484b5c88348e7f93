package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/google/uuid"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/eventstore/embedded/logfile"
)

// OpenFaulty is Open over a log whose commits fail with what the function returns, unless that is nil.
func OpenFaulty(config Config, fault func() error) (*Server, error) {
	return open(config, tailRecords, func(path string) (logfile.Storage, error) {
		log, err := logfile.Open(path)
		if err != nil {
			return nil, err
		}
		return &faultyLog{Storage: log, fault: fault}, nil
	})
}

type faultyLog struct {
	logfile.Storage
	fault func() error
}

func (l *faultyLog) Commit(batch []*logfile.Record, groups []*logfile.GroupRow) error {
	if err := l.fault(); err != nil {
		return err
	}
	return l.Storage.Commit(batch, groups)
}

// ErrFull is what a commit fails with on a full disk.
var ErrFull = logfile.ErrFull

// OpenForgetful is Open with a memory of so many records.
func OpenForgetful(config Config, records int) (*Server, error) {
	return open(config, records, func(path string) (logfile.Storage, error) { return logfile.Open(path) })
}

// Tamper runs SQL on a log's file, as somebody would who has the pages' checksums right.
func Tamper(path, script string) (err error) {
	conn, err := logfile.OpenFile(path, sqlite.OpenReadWrite)
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
	var records []*logfile.Record
	for i, stream := range streams {
		records = append(records, &logfile.Record{Position: t.inner.edge() + int64(i) + 1, Stream: stream})
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
	for _, name := range []string{logfile.FileName, logfile.FileName + "-wal"} {
		path := filepath.Join(dir, name)
		if fault == nil {
			logfile.FileFaults.Delete(path)
			continue
		}
		logfile.FileFaults.Store(path, fault)
	}
}

// OpenWithoutStorage is Open over a storage that forgets everything at once: what is left is the protocol and the writer.
func OpenWithoutStorage(config Config) (*Server, error) {
	return open(config, tailRecords, func(string) (logfile.Storage, error) { return nothing{}, nil })
}

type nothing struct{}

func (nothing) Commit([]*logfile.Record, []*logfile.GroupRow) error { return nil }
func (nothing) Groups(context.Context) ([]*logfile.GroupRow, error) { return nil, nil }
func (nothing) LastPosition(context.Context) (int64, error)         { return 0, nil }
func (nothing) LastRevision(context.Context, string) (int64, error) {
	return -1, nil
}
func (nothing) Find(context.Context, string, uuid.UUID) (*logfile.Record, error) { return nil, nil }
func (nothing) ReadStream(context.Context, string, logfile.StreamPage) ([]*logfile.Record, error) {
	return nil, nil
}
func (nothing) ReadAll(context.Context, logfile.AllPage) ([]*logfile.Record, error) { return nil, nil }
func (nothing) Remove(string, int64, int) (int, error)                              { return 0, nil }
func (nothing) Discard(string, int64) (int, error)                                  { return 0, nil }
func (nothing) Collapse([]string, int64) (int, []string, error)                     { return 0, nil, nil }
func (nothing) Collapsed(context.Context, string) (*logfile.Record, error)          { return nil, nil }
func (nothing) FirstRevision(context.Context, string) (int64, error)                { return 0, nil }
func (nothing) MetaStreams(context.Context, string, int) ([]string, error)          { return nil, nil }
func (nothing) Buried(context.Context, int64, int) ([]string, int64, error)         { return nil, 0, nil }
func (nothing) Close() error                                                        { return nil }

// Fill makes a log of n events, in streams of ten.
func Fill(path string, n int, payload []byte) (err error) {
	log, err := logfile.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for position := int64(1); position <= int64(n); {
		var batch []*logfile.Record
		for range min(int64(n)-position+1, 5000) {
			batch = append(batch, &logfile.Record{
				Position: position, Stream: fmt.Sprintf("filled-%d", (position-1)/10), Revision: (position - 1) % 10, ID: uuid.New(),
				Kind: "Measured", JSON: true, Created: position, Data: payload, Metadata: []byte(`{"v":1}`),
			})
			position++
		}
		if err := log.Commit(batch, nil); err != nil {
			return err
		}
	}
	return nil
}

// OpenGroupless is Open over a log whose persistent subscriptions cannot be read.
func OpenGroupless(config Config) (*Server, error) {
	return open(config, tailRecords, func(path string) (logfile.Storage, error) {
		log, err := logfile.Open(path)
		if err != nil {
			return nil, err
		}
		return groupless{log}, nil
	})
}

type groupless struct{ logfile.Storage }

func (groupless) Groups(context.Context) ([]*logfile.GroupRow, error) {
	return nil, errors.New("unreadable")
}
