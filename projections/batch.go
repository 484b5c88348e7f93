package projections

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// slot is a document in memory while a batch of events is folded.
type slot struct {
	loaded  int64 // version
	doc     any   // nil: the document does not exist
	gone    bool
	changed bool
}

// fold loads the documents that the events touch, folds the events into them in order, and returns writes for the changed
// documents.
func (p *projector) fold(ctx context.Context, events []Event) ([]Write, error) {
	var writes []Write
	for _, m := range p.models {
		slots, err := p.loadSlots(ctx, m, events)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			for _, id := range m.touched(e) {
				s := slots[id]
				f, err := m.apply(id, s.doc, s.gone, e)
				if err != nil {
					return nil, err
				}
				if f.changed {
					s.doc, s.gone, s.changed = f.doc, f.gone, true
				}
			}
		}
		writes = append(writes, changed(p.places[m.name()].Collection, slots, millis(p.config.Now()))...)
	}
	return writes, nil
}

// loadSlots reads the documents of one read model that the events touch.
func (p *projector) loadSlots(ctx context.Context, m model, events []Event) (map[string]*slot, error) {
	slots := make(map[string]*slot)
	for _, e := range events {
		for _, id := range m.touched(e) {
			slots[id] = &slot{}
		}
	}
	if len(slots) == 0 {
		return slots, nil
	}
	ids := make([]string, 0, len(slots))
	for id := range slots {
		ids = append(ids, id)
	}
	found, err := p.at.docs.Get(ctx, p.places[m.name()].Collection, ids...)
	if err != nil {
		return nil, fmt.Errorf("load %d documents of %s: %w", len(ids), m.name(), err)
	}
	for id, stored := range found {
		doc, err := m.decode(stored.Body)
		if err != nil {
			return nil, fmt.Errorf("decode %s %s: %w", m.name(), id, err)
		}
		*slots[id] = slot{loaded: stored.Version, doc: doc, gone: stored.Gone}
	}
	return slots, nil
}

// changed returns the writes for the changed slots, ordered by id. So the same log produces the same writes.
func changed(collection string, slots map[string]*slot, now time.Time) []Write {
	var writes []Write
	for id, s := range slots {
		if !s.changed {
			continue
		}
		w := Write{Collection: collection, ID: id, Loaded: s.loaded, Document: s.doc}
		if s.gone {
			w.Gone = now
		}
		writes = append(writes, w)
	}
	slices.SortFunc(writes, func(a, b Write) int { return strings.Compare(a.ID, b.ID) })
	return writes
}
