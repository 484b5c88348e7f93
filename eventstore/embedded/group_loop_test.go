package embedded

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"moviola/eventstore/embedded/logfile"
)

// loopGroup returns a group that does not run yet, over a log.
func loopGroup(t *testing.T, key logfile.GroupKey, log logfile.Storage, note logrus.FieldLogger) *group {
	t.Helper()
	tail := newTail(0, tailRecords)
	s := &service{log: log, tail: tail, note: note, now: time.Now, writer: newWriter(log, tail, time.Now, note)}
	g, err := newGroup(s, &logfile.GroupRow{Key: key, Checkpoint: logfile.NoCheckpoint, Settings: []byte(
		`{"strategy":"RoundRobin","maxRetries":10,"messageTimeoutMs":1000,"readBatch":20,"historyBuffer":500,"liveBuffer":500}`)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGroup_sleepsOrReadsOn: a group that has reached the end of its source is woken by the next event, also by one that comes
// while it lies down.
func TestGroup_sleepsOrReadsOn(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"a", logfile.AllStream} {
		g := loopGroup(t, logfile.GroupKey{Stream: stream, Name: "g"}, nothing{}, orDiscard(nil))
		g.connect(&consumer{slots: 10, end: make(chan error, 1)})
		ended := make(chan struct{})
		var publisher sync.WaitGroup
		publisher.Go(func() {
			for position := int64(1); ; position++ {
				select {
				case <-ended:
					return
				default:
					g.service.tail.publish([]*logfile.Record{{Position: position, Stream: "a", Revision: position}})
				}
			}
		})
		for range 20_000 {
			more, err := g.read()
			g.state.fresh = nil
			if err != nil || !more && g.woken == nil {
				t.Errorf("at the end of %s the group neither sleeps nor reads on (%v)", stream, err)
				break
			}
			if g.woken != nil {
				<-g.woken
				g.woken = nil
			}
		}
		close(ended)
		publisher.Wait()
	}
}

// once is a log of which one read of a stream fails.
type once struct {
	logfile.Storage
	stream string
	failed bool
}

func (o *once) ReadStream(ctx context.Context, stream string, page logfile.StreamPage) ([]*logfile.Record, error) {
	if stream == o.stream && !o.failed {
		o.failed = true
		return nil, errors.New("unreadable")
	}
	return o.Storage.ReadStream(ctx, stream, page)
}

// TestGroup_replaysAllAfterAFailedRead: a parked message whose event could not be read is read again.
func TestGroup_replaysAllAfterAFailedRead(t *testing.T) {
	t.Parallel()
	log, err := logfile.Open(filepath.Join(t.TempDir(), logfile.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	key := logfile.GroupKey{Stream: "a", Name: "g"}
	batch := []*logfile.Record{
		{Position: 1, Stream: "a", ID: uuid.New(), Kind: "Tested"},
		{Position: 2, Stream: key.ParkedStream(), ID: uuid.New(), Kind: linkType, Data: []byte("0@a")},
		{Position: 3, Stream: key.ParkedStream(), Revision: 1, ID: uuid.New(), Kind: linkType, Data: []byte("0@a")},
	}
	if err := log.Commit(batch, nil); err != nil {
		t.Fatal(err)
	}
	g := loopGroup(t, key, &once{Storage: log, stream: "a"}, orDiscard(nil))
	if err := g.replayParked(0); err != nil {
		t.Fatal(err)
	}
	if err := g.readReplays(); err == nil {
		t.Fatal("the failed read is no error")
	}
	if err := g.readReplays(); err != nil {
		t.Fatal(err)
	}
	if got := len(g.state.replays); got != 2 || g.state.replaying != 2 {
		t.Errorf("%d messages are replayed, %d are not finished; want 2", got, g.state.replaying)
	}
}

// TestGroup_parksWithPauses: while messages cannot be parked, it is tried once a second.
func TestGroup_parksWithPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		note := logrus.New()
		note.SetOutput(io.Discard)
		complaints := &counted{}
		note.AddHook(complaints)
		g := loopGroup(t, logfile.GroupKey{Stream: "a", Name: "g"}, nothing{}, note)
		complaints.at, complaints.do = 50, func() { g.end <- errClosed }
		broken := errors.New("read-only")
		g.service.writer.failure.Store(&broken)
		g.state.parking = []parked{{&message{event: &logfile.Record{Stream: "a"}}, "because"}}
		go g.run()
		<-time.After(10 * time.Second)
		g.stop(errClosed)
		if got := complaints.count.Load(); got < 5 || got > 12 {
			t.Errorf("in ten seconds it was tried %d times", got)
		}
	})
}

// counted counts messages of the log, and calls do at one of them.
type counted struct {
	count atomic.Int64
	at    int64
	do    func()
}

func (c *counted) Levels() []logrus.Level { return logrus.AllLevels }

func (c *counted) Fire(*logrus.Entry) error {
	if c.count.Add(1) == c.at {
		c.do()
	}
	return nil
}

// TestGroup_answersOutOfTime: a message whose time runs out after the group has looked for such messages is given out again at
// once.
func TestGroup_answersOutOfTime(t *testing.T) {
	t.Parallel()
	g := loopGroup(t, logfile.GroupKey{Stream: "a", Name: "g"}, nothing{}, orDiscard(nil))
	now := time.Unix(1_800_000_000, 0)
	g.service.now = func() time.Time { return now }
	c := &consumer{slots: 10, end: make(chan error, 1)}
	g.connect(c)
	g.state.offer([]*message{{event: &logfile.Record{Stream: "a", ID: uuid.New()}}}, 0, 0)
	if g.advance(); len(c.out) != 1 {
		t.Fatal("the message is not given out")
	}
	now = now.Add(time.Second)
	if wait := g.patience(); wait > time.Millisecond {
		t.Errorf("the group waits for %v", wait)
	}
	if g.advance(); len(c.out) != 2 {
		t.Error("the message is not given out again")
	}
}
