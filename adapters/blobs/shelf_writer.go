package blobs

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The bounds of one transaction: the largest number of changes, and a number of bytes. When the files of its changes have that
// many bytes, no change is added.
const (
	maxShelvings     = 256
	maxShelvingBytes = 4 << 20
)

// shelving is a change that waits for the writer.
type shelving struct {
	key    string
	body   []byte
	remove bool
	// decided is set by whichever comes first: the writer takes the change, and then makes it, or the context of the
	// waiting caller ends. In the second case the writer does not make the change.
	decided atomic.Bool
	reply   chan error // gets the result of the change; buffered for one
}

// put stores a file. If ctx ends before the writer takes the change, it stores nothing.
func (s *shelf) put(ctx context.Context, key string, body []byte) error {
	return s.submit(ctx, &shelving{key: key, body: body})
}

// remove removes a file, if there is one.
func (s *shelf) remove(ctx context.Context, key string) error {
	return s.submit(ctx, &shelving{key: key, remove: true})
}

func (s *shelf) submit(ctx context.Context, change *shelving) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	change.reply = make(chan error, 1)
	select {
	case s.queue <- change:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-change.reply:
		return err
	case <-ctx.Done():
	}
	if change.decided.CompareAndSwap(false, true) {
		return ctx.Err()
	}
	return <-change.reply // the writer has taken the change
}

// run commits the changes in the queue until the queue is closed. Changes that wait at the same time are committed
// together.
func (s *shelf) run() {
	defer close(s.written)
	for first := range s.queue {
		s.write(s.collect(first))
	}
}

// collect returns a change together with those that wait after it.
func (s *shelf) collect(first *shelving) []*shelving {
	batch, bytes := []*shelving{first}, len(first.body)
	for len(batch) < maxShelvings && bytes < maxShelvingBytes {
		select {
		case next, open := <-s.queue:
			if !open {
				return batch
			}
			batch, bytes = append(batch, next), bytes+len(next.body)
		default:
			return batch
		}
	}
	return batch
}

// write commits a batch and answers its callers: all of it is on disk, or nothing.
func (s *shelf) write(batch []*shelving) {
	taken := batch[:0]
	err := s.transaction(func() error {
		for _, change := range batch {
			if !change.decided.CompareAndSwap(false, true) {
				continue
			}
			taken = append(taken, change)
		}
		for _, change := range taken {
			if err := change.apply(s.writer); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && len(taken) == 0 { // the transaction could not be begun
		taken = batch
	}
	for _, change := range taken {
		change.reply <- err
	}
}

// transaction runs do in a durable transaction. It waits for other processes that write.
func (s *shelf) transaction(do func() error) error {
	err := func() (err error) {
		end, err := sqlitex.ImmediateTransaction(s.writer)
		if err != nil {
			return err
		}
		defer end(&err)
		return do()
	}()
	switch code := sqlite.ErrCode(err); {
	case code.ToPrimary() == sqlite.ResultFull, code == sqlite.ResultIOErrSHMSize: // no space for write-ahead log or its index
		return fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	default:
		return err
	}
}

// apply makes one change in the writer's transaction.
func (c *shelving) apply(conn *sqlite.Conn) error {
	statement := shelfPut
	if c.remove {
		statement = shelfRemove
	}
	stmt, err := conn.Prepare(statement)
	if err != nil {
		return err
	}
	stmt.BindText(1, c.key)
	if !c.remove {
		stmt.BindInt64(2, time.Now().UnixMilli())
		if len(c.body) == 0 {
			stmt.BindZeroBlob(3, 0) // an empty slice would be stored as NULL
		} else {
			stmt.BindBytes(3, c.body)
		}
	}
	_, err = stmt.Step()
	if err != nil {
		_ = stmt.Reset() // the error is ignored: Reset returns that of Step once more
		return err
	}
	return stmt.Reset()
}
