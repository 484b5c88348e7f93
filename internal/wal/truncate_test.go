package wal_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/internal/wal"
)

func open(t *testing.T, path string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

func run(t *testing.T, conn *sqlite.Conn, statement string) {
	t.Helper()
	if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
		t.Fatal(err)
	}
}

// TestTruncate: the log is emptied beside idle connections and a short read of others, and not beside a read that does not end.
func TestTruncate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	log := func() int64 {
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	writer, idle, reader := open(t, path), open(t, path), open(t, path)
	run(t, writer, "CREATE TABLE a (b TEXT)")
	run(t, idle, "SELECT * FROM a")
	write := func() {
		run(t, writer, "INSERT INTO a VALUES ('text')")
		if log() == 0 {
			t.Fatal("nothing is in the log")
		}
	}
	write()
	if err := wal.Truncate(t.Context(), idle, time.Minute); err != nil || log() != 0 {
		t.Errorf("beside idle connections: %v, %d bytes are left", err, log())
	}

	run(t, reader, "BEGIN")
	run(t, reader, "SELECT * FROM a")
	write()
	if err := wal.Truncate(t.Context(), writer, time.Millisecond); !errors.Is(err, wal.ErrInUse) || log() == 0 {
		t.Errorf("beside a read: %v, %d bytes are left", err, log())
	}
	write() // the others go on

	ended := make(chan error, 1)
	go func() { ended <- wal.Truncate(t.Context(), writer, time.Minute) }()
	run(t, reader, "COMMIT")
	if err := <-ended; err != nil || log() != 0 {
		t.Errorf("when the read has ended: %v, %d bytes are left", err, log())
	}
}
