package projections

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// pointers is the collection of the pointer to the current generation. Its one document says where every read model is; the
// program and whoever reads the database directly start there.
var pointers = Collection{Name: "read_models"}

const pointerID = "current"

// Pointer says which generation of the read models is current. A rebuild makes the next one beside it and then replaces the
// pointer, at the version it was loaded at.
type Pointer struct {
	Generation int64            `json:"generation"`
	Next       int64            `json:"next"`     // the number that the next rebuild takes
	Models     map[string]Place `json:"models"`   // by name of the read model
	Building   *Building        `json:"building"` // the generation that is made in the background; nil: none
	// Beside is what is read meanwhile where the current generation cannot be, as a whole; nil: nothing is.
	Beside *Beside `json:"beside"`
	// Retired are the collections that nothing points to since SwitchedAt. They are dropped when no reader can be in them.
	Retired    []string  `json:"retired"`
	SwitchedAt time.Time `json:"switched_at"`

	version int64 // that the document was loaded at
}

// Place is where a read model is kept, and the version of its documents' fields.
type Place struct {
	Collection string `json:"collection"`
	Shape      int    `json:"shape"`
}

// catalogue knows the read models of this program and where they are now.
type catalogue struct {
	docs     Documents
	models   []model
	current  atomic.Pointer[Pointer]
	recent   recent
	standing standing
	pending  atomic.Pointer[pending]  // read models that are being built while the others go on; nil: none
	behind   func(model string) error // a *BehindError while lists of a read model would lack what was acknowledged long ago
}

// lagging returns a *BehindError while lists of a read model must not be answered.
func (c *catalogue) lagging(model string) error {
	if c.behind == nil {
		return nil
	}
	return c.behind(model)
}

// collection is where a read model is now.
func (c *catalogue) collection(name string) string { return c.current.Load().Models[name].Collection }

// read loads the pointer; nil when there is none yet.
func (c *catalogue) read(ctx context.Context) (*Pointer, error) {
	found, err := c.docs.Get(ctx, pointers.Name, pointerID)
	if err != nil {
		return nil, fmt.Errorf("read the pointer to the read models: %w", err)
	}
	stored, ok := found[pointerID]
	if !ok {
		return nil, nil
	}
	p, err := decodeAs[Pointer](stored.Body)
	if err != nil {
		return nil, fmt.Errorf("decode the pointer to the read models: %w", err)
	}
	p.version = stored.Version
	return &p, nil
}

// replace writes the pointer at the version it was loaded at, or returns ErrStale.
func (c *catalogue) replace(ctx context.Context, p *Pointer) error {
	err := c.docs.Commit(ctx, Batch{Writes: []Write{{
		Collection: pointers.Name, ID: pointerID, Loaded: p.version, Document: *p,
	}}})
	if err != nil {
		return fmt.Errorf("write the pointer to the read models: %w", err)
	}
	p.version++
	return nil
}

// generation names the places of the read models in a generation of this program's shapes.
func (c *catalogue) generation(number int64) map[string]Place {
	places := make(map[string]Place, len(c.models))
	for _, m := range c.models {
		places[m.name()] = Place{Collection: fmt.Sprintf("%s_%d", m.name(), number), Shape: m.shape()}
	}
	return places
}

// collections returns the names of the current generation's collections.
func (c *catalogue) collections() []string {
	var names []string
	for _, place := range c.current.Load().Models {
		names = append(names, place.Collection)
	}
	slices.Sort(names)
	return names
}

// declare makes the collections of a generation exist.
func (c *catalogue) declare(ctx context.Context, generation int64, places map[string]Place) error {
	collections := []Collection{unreadsOf(generation)}
	for _, m := range c.models {
		collections = append(collections, Collection{Name: places[m.name()].Collection, Indexes: m.declare()})
	}
	if err := c.docs.Declare(ctx, collections...); err != nil {
		return fmt.Errorf("declare the read models: %w", err)
	}
	return nil
}

// fits tells whether the stored documents have the shapes that this program reads and writes.
func (c *catalogue) fits(places map[string]Place) bool {
	for _, m := range c.models {
		if place, ok := places[m.name()]; !ok || place.Shape != m.shape() {
			return false
		}
	}
	return true
}

// usable tells whether this program can read and go on with the stored documents: since their shapes, fields were only added.
func (c *catalogue) usable(places map[string]Place) bool {
	return !slices.ContainsFunc(c.models, func(m model) bool { return !usableBy(m, places) })
}

func usableBy(m model, places map[string]Place) bool {
	place, ok := places[m.name()]
	return ok && place.Shape >= oldest(m) && place.Shape <= m.shape()
}

// update changes the pointer, as often as another process comes in between, and returns it as it is then. A change that returns
// false leaves it.
func (c *catalogue) update(ctx context.Context, change func(p *Pointer) bool) (*Pointer, error) {
	for {
		p, err := c.read(ctx)
		if err != nil {
			return nil, err
		}
		if p == nil {
			p = &Pointer{Next: 1}
		}
		if !change(p) {
			return p, nil
		}
		err = c.replace(ctx, p)
		if err == nil || !errors.Is(err, ErrStale) || ctx.Err() != nil {
			return p, err
		}
	}
}

// takeNumber reserves the number of a generation to be built.
func (c *catalogue) takeNumber(ctx context.Context) (int64, error) {
	var number int64
	_, err := c.update(ctx, func(p *Pointer) bool {
		number = p.Next
		p.Next++
		return true
	})
	return number, err
}

// switchTo makes a generation current and retires what of the one before it does not have, and those between that were never finished. A
// newer one that is current already stays so, and so does any other than basis, unless that is 0.
func (c *catalogue) switchTo(ctx context.Context, number int64, places map[string]Place, basis int64, now time.Time) (*Pointer, error) {
	return c.update(ctx, func(p *Pointer) bool {
		if p.Generation >= number || basis > 0 && p.Generation != basis {
			return false
		}
		retired := append(slices.Clone(p.Retired), unreadsOf(p.Generation).Name)
		if p.Beside != nil {
			retired = append(retired, unreadsOf(p.Beside.Generation).Name)
			p.Beside = nil
		}
		for _, place := range p.Models {
			retired = append(retired, place.Collection)
		}
		for unfinished := p.Generation + 1; unfinished < number; unfinished++ {
			retired = append(retired, unreadsOf(unfinished).Name)
			for _, place := range c.generation(unfinished) {
				retired = append(retired, place.Collection)
			}
		}
		retired = slices.DeleteFunc(retired, func(name string) bool {
			return slices.ContainsFunc(slices.Collect(maps.Values(places)), func(p Place) bool { return p.Collection == name })
		})
		slices.Sort(retired)
		p.Retired = slices.Compact(retired)
		p.Generation, p.Models, p.SwitchedAt = number, places, millis(now)
		if p.Building != nil && p.Building.Generation <= number {
			p.Building = nil
		}
		return true
	})
}

// unsaid tells that the document of a stream does not say what its stream says: who needs it folds the stream.
func (s streamModel[T]) unsaid(c *catalogue, id string) bool {
	return c.isPending(s.modelName) || c.standing.still(s.category, id)
}

// load reads one document of a stream's read model. There is none while the stream stands still, and while the read model is built.
func (s streamModel[T]) load(ctx context.Context, c *catalogue, id string) (T, bool, error) {
	if s.unsaid(c, id) {
		var none T
		return none, false, nil
	}
	key := recentKey{c.collection(s.modelName), id}
	mark, keeping := c.recent.mark()
	if keeping {
		if known, ok := recall[T](&c.recent, mark, key); ok {
			return known.doc, known.found, nil
		}
	}
	var read stored[T]
	found, err := c.docs.Get(ctx, key.collection, id)
	if err != nil {
		return read.doc, false, fmt.Errorf("read %s %s: %w", s.modelName, id, err)
	}
	if one, ok := found[id]; ok && !one.Gone {
		if read.doc, err = decodeAs[T](one.Body); err != nil {
			return read.doc, false, fmt.Errorf("decode %s %s: %w", s.modelName, id, err)
		}
		read.found = true
	}
	if keeping {
		keep(&c.recent, mark, key, read)
	}
	return read.doc, read.found, nil
}

// page reads documents of a read model in the order of one of its indexes.
func page[T any](ctx context.Context, c *catalogue, name string, q Query) ([]T, error) {
	if err := c.lagging(name); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	if len(q.Equal) > 0 {
		if account, ok := q.Equal[0].(string); ok { // the first field of every list of an account
			if err := c.standing.mayList(name, account); err != nil {
				return nil, fmt.Errorf("page %s: %w", name, err)
			}
		}
	}
	stored, err := c.docs.Page(ctx, c.collection(name), q)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	out := make([]T, len(stored))
	for i, s := range stored {
		if out[i], err = decodeAs[T](s.Body); err != nil {
			return nil, fmt.Errorf("decode %s %s: %w", name, s.ID, err)
		}
	}
	return out, nil
}
