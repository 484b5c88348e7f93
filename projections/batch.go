package projections

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"
)

// slot is a document in memory while a batch of events is folded.
type slot struct {
	loaded  int64 // version of the stored document; 0: it is not stored
	doc     any   // nil: the document does not exist
	gone    bool
	changed bool
}

// docKey identifies a document of a generation.
type docKey struct{ model, id string }

// slots are documents of one read model, by id.
type slots map[string]*slot

// portion is a part of the documents of one read model: those whose ids have hashes with the same remainder.
// Model.apply reads and changes one document only, so that portions can be folded at the same time, whichever streams
// their documents follow. Within a portion events are folded in the order of the log.
type portion struct {
	model model
	part  int
	parts int
	docs  slots
}

var seed = maphash.MakeSeed()

func (s *portion) has(id string) bool {
	return s.parts == 1 || int(maphash.String(seed, id)%uint64(s.parts)) == s.part
}

// touch is an event with a document that it may change.
type touch struct {
	event int
	id    string
}

// fold loads the documents that the events touch, folds the events into them in order, and returns writes for the changed
// documents. The parameter before is the batch whose commit may not have ended yet: fold takes from memory the documents that
// this batch has changed.
func (p *projector) fold(ctx context.Context, events []Event, before *prepared) ([]Write, []*portion, error) {
	hands := p.crew.hands(len(events))
	portions := make([]*portion, 0, len(p.models)*hands)
	for _, m := range p.models {
		for part := range hands {
			portions = append(portions, &portion{model: m, part: part, parts: hands})
		}
	}
	now := millis(p.config.Now())
	writes := make([][]Write, len(portions))
	err := p.crew.each(hands, len(portions), func(i int) (err error) {
		writes[i], err = p.foldPortion(ctx, portions[i], events, before, now)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return p.inOrder(writes, hands), portions, nil
}

// inOrder returns all writes of a batch, sorted by read model and id, so that the same batch always has its writes in
// the same order. The documents of each read model are folded in parts, and hands is the number of these parts. writes
// has the writes of one part in each element: first those of the parts of the first read model, then those of the
// second, and so on.
func (p *projector) inOrder(writes [][]Write, hands int) []Write {
	var all []Write
	for i := 0; i < len(writes); i += hands {
		ofModel := slices.Concat(writes[i : i+hands]...)
		slices.SortFunc(ofModel, func(a, b Write) int { return strings.Compare(a.ID, b.ID) })
		all = append(all, ofModel...)
	}
	return all
}

// foldPortion folds events into the documents of s, a part of one read model's documents, and returns the writes of the
// changed ones.
func (p *projector) foldPortion(
	ctx context.Context, s *portion, events []Event, before *prepared, now time.Time,
) ([]Write, error) {
	var touches []touch
	for i, e := range events {
		for _, id := range s.model.touched(e) {
			if s.has(id) {
				touches = append(touches, touch{i, id})
			}
		}
	}
	if err := p.load(ctx, s, touches, before); err != nil {
		return nil, err
	}
	for _, t := range touches {
		doc := s.docs[t.id]
		f, err := s.model.apply(t.id, doc.doc, doc.gone, events[t.event])
		if err != nil {
			return nil, err
		}
		if f.changed {
			doc.doc, doc.gone, doc.changed = f.doc, f.gone, true
		}
	}
	return p.writes(s, now), nil
}

// load reads the stored documents that the touches name, and adds them to s, a part of one read model's documents. It
// takes a document from memory instead when before, the batch that is still being committed, has changed it.
func (p *projector) load(ctx context.Context, s *portion, touches []touch, before *prepared) error {
	s.docs = make(slots)
	var ids []string
	for _, t := range touches {
		if s.docs[t.id] != nil {
			continue
		}
		if known, ok := before.slot(s.model.name(), t.id); ok {
			s.docs[t.id] = &known
			continue
		}
		s.docs[t.id] = &slot{}
		ids = append(ids, t.id)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids) // sorted, because documents with neighbouring ids are stored, and read, together
	found, err := p.at.docs.Get(ctx, p.places[s.model.name()].Collection, ids...)
	if err != nil {
		return fmt.Errorf("load %d documents of %s: %w", len(ids), s.model.name(), err)
	}
	for id, stored := range found {
		doc, err := s.model.decode(stored.Body)
		if err != nil {
			return fmt.Errorf("decode %s %s: %w", s.model.name(), id, err)
		}
		*s.docs[id] = slot{loaded: stored.Version, doc: doc, gone: stored.Gone}
	}
	return nil
}

// writes returns the writes for the changed documents of s, a part of one read model's documents. A document that did
// not exist before this batch of events, and that the batch created and removed again, needs no write if the store
// commits atomically. Otherwise writes returns a tombstone for it. The tombstone prevents a lagging process, whose
// commit fails halfway, from creating the document again.
func (p *projector) writes(s *portion, now time.Time) []Write {
	var writes []Write
	collection := p.places[s.model.name()].Collection
	for id, doc := range s.docs {
		if !doc.changed {
			continue
		}
		if doc.gone && doc.loaded == 0 && p.at.docs.Atomic() {
			continue
		}
		w := Write{Collection: collection, ID: id, Loaded: doc.loaded, Document: doc.doc}
		if doc.gone {
			w.Gone = now
		}
		writes = append(writes, w)
	}
	return writes
}
