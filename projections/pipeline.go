package projections

import (
	"context"
	"fmt"
	"maps"

	"moviola/eventstore"
)

// prepared is a batch that is decoded and folded, with the documents to commit.
type prepared struct {
	recorded []eventstore.Recorded
	writes   []Write
	next     Checkpoint
	unread   map[string]Unread // all streams with an event that the program cannot read, including those of this batch
	found    []Unread          // streams in unread whose first event that cannot be read is in this batch
	changed  map[docKey]slot   // documents changed by the batch
	ahead    eventstore.Position
	done     chan error // receives the result of the commit; nil: the commit has not begun
}

// slot returns a document that the batch b has changed, as it will be stored. It returns false when the batch has not
// changed the document, and for a nil batch.
func (b *prepared) slot(model, id string) (slot, bool) {
	if b == nil {
		return slot{}, false
	}
	s, ok := b.changed[docKey{model, id}]
	return s, ok
}

// remember keeps the batch's documents for the next batch, which may change them again.
func (b *prepared) remember(portions []*portion, atomic bool) {
	b.changed = make(map[docKey]slot, len(b.writes))
	for _, s := range portions {
		name := s.model.name()
		for id, doc := range s.docs {
			switch {
			case !doc.changed:
			case doc.gone && doc.loaded == 0 && atomic:
				b.changed[docKey{name, id}] = slot{} // the document was created and removed within the batch, so it was never written
			default:
				b.changed[docKey{name, id}] = slot{loaded: doc.loaded + 1, doc: doc.doc, gone: doc.gone}
			}
		}
	}
}

// prepare decodes those events of a batch that come after a checkpoint, and folds them. With patient, it fails at an event
// younger than newerAge that this program cannot read, so that a process of a newer version of the program can project
// that event. before is the batch whose commit has not ended yet; nil: there is none.
func (p *projector) prepare(
	ctx context.Context, recorded []eventstore.Recorded, at Checkpoint, unread map[string]Unread, patient bool, before *prepared,
) (*prepared, []*portion, error) {
	events, found, err := p.read(recorded, at, unread, patient)
	if err != nil {
		return nil, nil, err
	}
	writes, portions, err := p.fold(ctx, events, before)
	if err != nil {
		return nil, nil, err
	}
	b := &prepared{recorded: recorded, writes: append(writes, p.note(found)...), next: at, unread: unread, found: found}
	if last := recorded[len(recorded)-1]; last.Position.Compare(at.position()) > 0 {
		b.next = at.after(last)
	}
	if len(found) > 0 {
		b.unread = maps.Clone(unread) // other goroutines may hold the old map
		for _, u := range found {
			b.unread[u.Stream] = u
		}
	}
	return b, portions, nil
}

// write commits a prepared batch.
func (p *projector) write(ctx context.Context, b *prepared) error {
	if err := p.at.docs.Commit(ctx, Changes{Writes: b.writes, Checkpoint: b.next.write(p.generation)}); err != nil {
		return fmt.Errorf("commit %d documents: %w", len(b.writes), err)
	}
	return nil
}

// committed records that a prepared batch is committed. It logs each stream that the read models no longer follow
// because the batch has an event of the stream that the program cannot read.
func (p *projector) committed(b *prepared) {
	p.checkpoint, p.unread = b.next, b.unread
	p.checkpoint.version++
	p.warn(b.found)
}

// commitBehind folds a batch while the batch before it is being committed, and then begins to commit the folded batch.
// When the folding or the running commit fails, commitBehind first makes sure that the batch before is committed. Then
// it commits the batch by the method commit, which retries.
func (p *projector) commitBehind(ctx context.Context, events []eventstore.Recorded) error {
	b, err := p.foldBehind(ctx, events)
	smooth, failed := p.settle(ctx)
	if failed != nil {
		return failed
	}
	// Folding the batch has failed, or the commit of the batch before has (smooth is false). So the stored documents
	// may differ from those that the batch was folded from: commit folds the batch again, from the stored ones.
	if err != nil || !smooth {
		if err := p.commit(ctx, events); err != nil {
			return err
		}
		if ctx.Err() == nil {
			p.considered = p.ahead
		}
		return nil
	}
	b.ahead, b.done = p.ahead, make(chan error, 1)
	p.flying = b
	go func() {
		var err error
		p.thread.Do(func() {
			ctx, cancel := context.WithTimeout(ctx, commitTimeout)
			defer cancel()
			err = p.write(ctx, b)
		})
		b.done <- err
	}()
	return nil
}

// foldBehind prepares a batch that follows the one that is being committed.
func (p *projector) foldBehind(ctx context.Context, events []eventstore.Recorded) (*prepared, error) {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	if p.flying == nil {
		if err := p.locate(ctx); err != nil {
			return nil, err
		}
	}
	at, unread := p.checkpoint, p.unread
	if p.flying != nil {
		at, unread = p.flying.next, p.flying.unread
		at.version++
	}
	b, portions, err := p.prepare(ctx, events, at, unread, true, p.flying)
	if err == nil {
		b.remember(portions, p.at.docs.Atomic())
	}
	return b, err
}

// settle waits for the running commit, if there is one. If the running commit fails, settle calls the method commit, which
// retries, for the same batch, and returns false.
func (p *projector) settle(ctx context.Context) (smooth bool, err error) {
	b := p.flying
	if b == nil {
		return true, nil
	}
	p.flying = nil
	if smooth = <-b.done == nil; smooth {
		p.committed(b)
	} else {
		p.lost = true
		if err := p.commit(ctx, b.recorded); err != nil || ctx.Err() != nil {
			return false, err
		}
	}
	p.considered = b.ahead
	p.tell(len(b.writes) > 0, nil)
	return smooth, nil
}
