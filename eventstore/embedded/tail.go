package embedded

import (
	"math"
	"strings"
	"sync"

	"moviola/eventstore/embedded/logfile"
)

const (
	tailRecords = 8192     // maximum of the newest records that are kept in memory
	tailBytes   = 32 << 20 // maximum size of the records kept in memory, in bytes
)

// tail holds the newest committed records, and wakes the readers that wait for new ones. Positions have no gaps, so a position is
// an index into the ring.
type tail struct {
	mu    sync.Mutex
	ring  []*logfile.Record
	first int64 // position of the oldest record in the ring; last+1 when it is empty
	last  int64 // position of the newest committed record
	bytes int64

	// sleepers by the key that wakes them: the name of a stream, a category with its dash, or everything
	sleepers map[string]map[*sleeper]bool
	due      int64 // the field due of every sleeper is at least this; math.MaxInt64: no sleeper waits for a position
}

// everything is the key of sleepers that any record wakes. No stream has an empty name.
const everything = ""

// sleeper is a reader that waits for new records. It is woken once.
type sleeper struct {
	interest []string
	due      int64 // position of the log at which the sleeper is woken, by whatever record
	// buffered; gets one position when the sleeper is woken: that of the record it waited for, or of the newest record
	woken chan int64
}

// newTail returns an empty tail of a log. last is the position of the newest record of the log. records is how many
// records the tail has room for.
func newTail(last int64, records int) *tail {
	return &tail{
		ring: make([]*logfile.Record, records), first: last + 1, last: last,
		sleepers: map[string]map[*sleeper]bool{}, due: math.MaxInt64,
	}
}

// slot is the place in the ring for the record of a position.
func (t *tail) slot(position int64) **logfile.Record { return &t.ring[position%int64(len(t.ring))] }

// publish adds committed records, which follow the newest one.
func (t *tail) publish(records []*logfile.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range records {
		t.last = r.Position
		*t.slot(r.Position) = r
		t.bytes += r.Size()
		for t.last-t.first >= int64(len(t.ring))-1 || t.bytes > tailBytes && t.first < t.last {
			t.drop()
		}
		if len(t.sleepers) > 0 {
			t.wakeAll(r.Stream, r.Position)
			if dash := strings.IndexByte(r.Stream, '-'); dash >= 0 {
				t.wakeAll(r.Stream[:dash+1], r.Position)
			}
		}
	}
	t.wakeAll(everything, t.last)
	if t.last >= t.due {
		t.wakeDue()
	}
}

// drop removes the oldest record from the ring.
func (t *tail) drop() {
	slot := t.slot(t.first)
	t.bytes -= (*slot).Size()
	*slot = nil
	t.first++
}

// wakeAll wakes all sleepers that wait for interest: the name of a stream, a category with its dash, or everything. Each
// gets position.
func (t *tail) wakeAll(interest string, position int64) {
	for s := range t.sleepers[interest] {
		t.wake(s, position)
	}
}

// wakeDue wakes the sleepers whose field due is reached, and computes the lowest value of the field due among the other sleepers.
func (t *tail) wakeDue() {
	t.due = math.MaxInt64
	for _, sleepers := range t.sleepers {
		for s := range sleepers {
			if s.due <= t.last {
				t.wake(s, t.last)
				continue
			}
			t.due = min(t.due, s.due)
		}
	}
}

func (t *tail) wake(s *sleeper, position int64) {
	s.woken <- position
	t.forget(s)
}

func (t *tail) forget(s *sleeper) {
	for _, interest := range s.interest {
		delete(t.sleepers[interest], s)
		if len(t.sleepers[interest]) == 0 {
			delete(t.sleepers, interest)
		}
	}
}

// sleep registers a reader that waits for records after the position behind. The channel woken gets one position when the
// wait is over. When a record arrives in one of the streams or categories of interest, that is its position. When
// interest is everything, or the log reaches the position due, it is the position of the newest record. end cancels the
// registration. woken and end are nil when the log already has records after behind. One lock covers this check and the
// registration, so that no record is missed between them.
func (t *tail) sleep(behind int64, interest []string, due int64) (woken <-chan int64, end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last > behind {
		return nil, nil
	}
	s := &sleeper{interest: interest, due: due, woken: make(chan int64, 1)}
	for _, what := range interest {
		if t.sleepers[what] == nil {
			t.sleepers[what] = map[*sleeper]bool{}
		}
		t.sleepers[what][s] = true
	}
	t.due = min(t.due, due)
	return s.woken, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.forget(s)
	}
}

// edge is the position of the newest record.
func (t *tail) edge() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// after returns up to limit records that follow a position. It returns false when some of them are no longer in memory.
func (t *tail) after(position int64, limit int) ([]*logfile.Record, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if position+1 < t.first {
		return nil, false
	}
	count := min(t.last-position, int64(limit))
	if count <= 0 {
		return nil, true
	}
	records := make([]*logfile.Record, 0, count)
	for p := position + 1; p <= position+count; p++ {
		records = append(records, *t.slot(p))
	}
	return records, true
}
