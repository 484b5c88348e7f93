package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"moviola/eventstore"
)

// Difference is a document that differs from the result of folding the log.
type Difference struct {
	Model string // name of the read model
	ID    string // id of the document
	What  string // what is wrong: it is missing, superfluous, other than the log says, or cannot be decoded
}

// How many times differing documents are compared, the first time included, and the pause before each further time: while
// the service runs, documents are being written.
const (
	verifyTries = 5
	verifyPause = 500 * time.Millisecond
	// mostDifferences is the maximum of differences that are collected.
	mostDifferences = 10_000
)

// ErrUnlike is the error of Verify for read models that cannot be compared with the log, and have to be made again.
var ErrUnlike = errors.New("the read models cannot be compared with the log")

// Verify folds the log into scratch, a document store that must be empty, up to the checkpoint of the current read
// models, and returns the documents that differ, at most mostDifferences of them. config must be the service's own,
// because documents contain times that depend on it. Verify writes documents to scratch only.
func Verify(ctx context.Context, config Config, scratch Documents) ([]Difference, error) {
	config = config.withDefaults()
	live := &catalogue{docs: config.Documents, models: allModels(config)}
	if err := live.docs.Declare(ctx, pointers, checkpoints); err != nil {
		return nil, err
	}
	pointer, err := live.read(ctx)
	switch {
	case err != nil:
		return nil, err
	case pointer == nil:
		return nil, fmt.Errorf("%w: there are none", ErrUnlike)
	case !live.fits(pointer.Models):
		return nil, fmt.Errorf("%w: they are those of another version of this program", ErrUnlike)
	}
	live.current.Store(pointer)
	if err := live.declare(ctx, pointer.Generation, pointer.Models); err != nil {
		return nil, err
	}
	unread, err := live.loadUnread(ctx, pointer.Generation)
	if err != nil {
		return nil, err
	}
	if len(unread) > 0 {
		return nil, fmt.Errorf("%w: %d streams stand still in them: a newer version of the program wrote to them", ErrUnlike,
			len(unread))
	}
	v, err := newVerifier(ctx, config, live, scratch)
	if err != nil {
		return nil, err
	}
	return v.run(ctx)
}

// verifier compares the documents of two stores.
type verifier struct {
	config Config
	live   *catalogue
	fresh  *catalogue
	fold   *projector // folds the log into the read models of the field fresh
}

func newVerifier(ctx context.Context, config Config, live *catalogue, scratch Documents) (*verifier, error) {
	fresh := &catalogue{docs: scratch, models: live.models}
	fresh.current.Store(&Pointer{Generation: 1, Models: fresh.generation(1)})
	if err := scratch.Declare(ctx, checkpoints); err != nil {
		return nil, err
	}
	if err := fresh.declare(ctx, 1, fresh.generation(1)); err != nil {
		return nil, err
	}
	return &verifier{
		config: config, live: live, fresh: fresh,
		fold: newProjector(config, fresh, 1, fresh.generation(1), func(report) {}),
	}, nil
}

func (v *verifier) run(ctx context.Context) ([]Difference, error) {
	if err := v.follow(ctx); err != nil {
		return nil, err
	}
	suspects, err := v.compareAll(ctx)
	for try := 1; err == nil && len(suspects) > 0 && try < verifyTries; try++ {
		if !sleep(ctx, verifyPause) {
			return nil, ctx.Err()
		}
		if err = v.follow(ctx); err == nil {
			suspects, err = v.compareAgain(ctx, suspects)
		}
	}
	return suspects, err
}

// follow folds the log up to the checkpoint of the current read models.
func (v *verifier) follow(ctx context.Context) error {
	until, err := v.live.loadCheckpoint(ctx, v.live.current.Load().Generation)
	if err != nil {
		return err
	}
	if err := v.fold.locate(ctx); err != nil {
		return err
	}
	var batch []eventstore.Recorded
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		_, err := v.fold.try(ctx, batch, false)
		batch = batch[:0]
		return err
	}
	for event, err := range v.config.Log.Store().ReadAll(ctx, eventstore.Forwards, v.fold.checkpoint.position()) {
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if event.Position.Compare(until.position()) > 0 {
			break
		}
		if !concerns(event.Stream) {
			continue
		}
		if batch = append(batch, event); len(batch) == v.config.BatchEvents {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// compareAll compares all documents of both stores in the order of their ids.
func (v *verifier) compareAll(ctx context.Context) ([]Difference, error) {
	var found []Difference
	for _, m := range v.live.models {
		have := newWalk(v.live, m)
		want := newWalk(v.fresh, m)
		for {
			h, err := have.peek(ctx)
			if err != nil {
				return nil, err
			}
			w, err := want.peek(ctx)
			if err != nil {
				return nil, err
			}
			if h == nil && w == nil || len(found) >= mostDifferences {
				break
			}
			id, what, err := difference(m, h, w)
			if err != nil {
				return nil, err
			}
			if what != "" {
				found = append(found, Difference{Model: m.name(), ID: id, What: what})
			}
			if h != nil && h.ID == id {
				have.next()
			}
			if w != nil && w.ID == id {
				want.next()
			}
		}
	}
	return found, nil
}

// compareAgain compares the documents that differed.
func (v *verifier) compareAgain(ctx context.Context, suspects []Difference) ([]Difference, error) {
	var found []Difference
	for _, s := range suspects {
		var m model
		for _, one := range v.live.models {
			if one.name() == s.Model {
				m = one
			}
		}
		h, err := one(ctx, v.live, m, s.ID)
		if err != nil {
			return nil, err
		}
		w, err := one(ctx, v.fresh, m, s.ID)
		if err != nil {
			return nil, err
		}
		_, what, err := difference(m, h, w)
		if err != nil {
			return nil, err
		}
		if what != "" {
			found = append(found, Difference{Model: s.Model, ID: s.ID, What: what})
		}
	}
	return found, nil
}

func one(ctx context.Context, c *catalogue, m model, id string) (*Stored, error) {
	found, err := c.docs.Get(ctx, c.collection(m.name()), id)
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", m.name(), id, err)
	}
	stored, ok := found[id]
	if !ok || stored.Gone {
		return nil, nil
	}
	return &stored, nil
}

// difference compares the stored document have with want, the document that folding the log gives. nil stands for no
// document. When the two have different ids, difference reports on the one with the lower id. The result what says what
// is wrong with the stored document; it is empty when the two are equal.
func difference(m model, have, want *Stored) (id, what string, err error) {
	switch {
	case have == nil && want == nil:
		return "", "", nil
	case want == nil || have != nil && have.ID < want.ID:
		return have.ID, "superfluous", nil
	case have == nil || want.ID < have.ID:
		return want.ID, "missing", nil
	}
	a, err := content(m, have)
	if err != nil {
		return have.ID, "cannot be decoded", nil
	}
	b, err := content(m, want)
	if err == nil && a != b {
		what = "other than the log says"
	}
	return have.ID, what, err
}

// content returns a document's content as text, independent of the store.
func content(m model, stored *Stored) (string, error) {
	doc, err := m.decode(stored.Body)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(doc)
	return string(text), err
}

// walk iterates over the documents of a read model in the order of their ids.
type walk struct {
	at    *catalogue
	model model
	page  []Stored
	after string
	ended bool
}

func newWalk(at *catalogue, m model) *walk { return &walk{at: at, model: m} }

// peek returns the next document; nil: there are no more.
func (w *walk) peek(ctx context.Context) (*Stored, error) {
	if len(w.page) == 0 && !w.ended {
		q := Query{Index: IDIndex, Limit: MaxPage}
		if w.after != "" {
			q.After = []any{w.after}
		}
		page, err := w.at.docs.Page(ctx, w.at.collection(w.model.name()), q)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", w.model.name(), err)
		}
		w.page, w.ended = page, len(page) < MaxPage
	}
	if len(w.page) == 0 {
		return nil, nil
	}
	return &w.page[0], nil
}

func (w *walk) next() {
	w.after, w.page = w.page[0].ID, w.page[1:]
}
