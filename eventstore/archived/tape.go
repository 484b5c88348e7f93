package archived

import (
	"context"
	"slices"

	"moviola/eventstore"
)

// loadedBlocks is how many blocks of archive files a tape (the reader of all archive files, in the order of the log) keeps
// in memory at most. It reads several files at the same time, because the positions in them overlap: a file can have events
// that are older than the newest events of the file before.
const loadedBlocks = 16

// tape reads all archive files, and yields their events in the order of the log or in the reverse order. It is used by
// one goroutine.
type tape struct {
	dirs     *directoryCache
	backward bool
	cursor   eventstore.Position // position of the last event that was yielded or skipped; zero: none was
	seen     eventstore.Revision // revision of the last catalogue entry that was added
	waiting  []Entry             // archive files that are not open yet; the first is opened next
	open     []*reel
}

// reel is one archive file that a tape (the reader of all archive files) has open, and how far it was read.
type reel struct {
	entry  Entry
	blocks []block               // blocks that have events left to read; the first is read next
	head   eventstore.Position   // position of the file's next event
	events []eventstore.Recorded // events of blocks[0] that were not yielded yet; nil: the block is not in memory
}

func newTape(s *directoryCache, dir eventstore.Direction, from eventstore.Position) *tape {
	return &tape{dirs: s, backward: dir == eventstore.Backwards, cursor: from, seen: eventstore.NoStream}
}

// before reports whether p comes before q in the direction in which t reads.
func (t *tape) before(p, q eventstore.Position) bool {
	if t.backward {
		return q.Compare(p) < 0
	}
	return p.Compare(q) < 0
}

// passed reports whether t, which reads all archive files in the order of their events, has already yielded or skipped
// the events at position p.
func (t *tape) passed(p eventstore.Position) bool {
	return t.cursor != (eventstore.Position{}) && !t.before(t.cursor, p)
}

// nearEnd returns the end of a file or block that t reaches first: the position first or, when t reads backwards, the
// position last.
func (t *tape) nearEnd(first, last eventstore.Position) eventstore.Position {
	if t.backward {
		return last
	}
	return first
}

// farEnd returns the end of a file or block that t reaches last: the position last or, when t reads backwards, the
// position first.
func (t *tape) farEnd(first, last eventstore.Position) eventstore.Position {
	return t.nearEnd(last, first)
}

// add adds the catalogue's new entries to the files to be read.
func (t *tape) add(entries []Entry) {
	added := false
	for i := len(entries) - 1; i >= 0 && entries[i].Revision > t.seen; i-- {
		if entry := entries[i]; !t.passed(t.farEnd(entry.First, entry.Last)) {
			t.waiting = append(t.waiting, entry)
			added = true
		}
	}
	if n := len(entries); n > 0 {
		t.seen = entries[n-1].Revision
	}
	if added {
		slices.SortStableFunc(t.waiting, func(a, b Entry) int {
			order := t.nearEnd(a.First, a.Last).Compare(t.nearEnd(b.First, b.Last))
			if t.backward {
				return -order
			}
			return order
		})
	}
}

// next returns the next archived event, if its position is limit or comes before limit. The zero value of limit stands for the
// end of the log.
func (t *tape) next(ctx context.Context, limit eventstore.Position) (eventstore.Recorded, bool, error) {
	for {
		r := t.first()
		if len(t.waiting) > 0 {
			begins := t.nearEnd(t.waiting[0].First, t.waiting[0].Last)
			if (r == nil || !t.before(r.head, begins)) && t.within(begins, limit) {
				if err := t.begin(ctx); err != nil {
					return eventstore.Recorded{}, false, err
				}
				continue
			}
		}
		if r == nil || !t.within(r.head, limit) {
			return eventstore.Recorded{}, false, nil
		}
		event, err := t.take(ctx, r)
		if err != nil {
			return eventstore.Recorded{}, false, err
		}
		// Skip an event that t has already passed. It comes up when t began in the middle of the block, or when two files
		// have the same event.
		if t.passed(event.Position) {
			continue
		}
		t.cursor = event.Position
		return event, true, nil
	}
}

func (t *tape) within(p, limit eventstore.Position) bool {
	return limit == (eventstore.Position{}) || !t.before(limit, p)
}

// first returns the open file whose event comes next; nil: none is open.
func (t *tape) first() *reel {
	var first *reel
	for _, r := range t.open {
		if first == nil || t.before(r.head, first.head) {
			first = r
		}
	}
	return first
}

// begin opens the archive file waiting[0], to be read from its first block with events that t has not passed yet. A file
// without such a block is left out.
func (t *tape) begin(ctx context.Context) error {
	entry := t.waiting[0]
	dir, err := t.dirs.directory(ctx, entry)
	if err != nil {
		return err
	}
	t.waiting = t.waiting[1:]
	r := &reel{entry: entry, blocks: slices.Clone(dir.Blocks)}
	if t.backward {
		slices.Reverse(r.blocks)
	}
	for len(r.blocks) > 0 && t.passed(t.farEnd(r.blocks[0].First, r.blocks[0].Last)) {
		r.blocks = r.blocks[1:]
	}
	if len(r.blocks) > 0 {
		r.head = t.nearEnd(r.blocks[0].First, r.blocks[0].Last)
		t.open = append(t.open, r)
	}
	return nil
}

// take returns the next event of an open file, and closes the file after its last one.
func (t *tape) take(ctx context.Context, r *reel) (eventstore.Recorded, error) {
	if r.events == nil {
		if err := t.load(ctx, r); err != nil {
			return eventstore.Recorded{}, err
		}
	}
	event := r.events[0]
	switch r.events = r.events[1:]; {
	case len(r.events) > 0:
		r.head = r.events[0].Position
	case len(r.blocks) > 1:
		r.blocks, r.events = r.blocks[1:], nil
		r.head = t.nearEnd(r.blocks[0].First, r.blocks[0].Last)
	default:
		t.open = slices.DeleteFunc(t.open, func(other *reel) bool { return other == r })
	}
	return event, nil
}

// load reads the block r.blocks[0] into memory, from the file's next event on. When loadedBlocks blocks are in memory
// already, load first drops the one whose next event comes last; that block is read again when its events are due.
func (t *tape) load(ctx context.Context, r *reel) error {
	loaded := 0
	var last *reel
	for _, other := range t.open {
		if other.events == nil {
			continue
		}
		if loaded++; last == nil || t.before(last.head, other.head) {
			last = other
		}
	}
	if loaded >= loadedBlocks {
		last.events = nil
	}
	events, err := t.dirs.block(ctx, r.entry.Key, r.blocks[0])
	if err != nil {
		return err
	}
	if t.backward {
		slices.Reverse(events)
	}
	for len(events) > 1 && t.before(events[0].Position, r.head) {
		events = events[1:]
	}
	r.events = events
	return nil
}
