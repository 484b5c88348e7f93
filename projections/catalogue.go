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

// pointers is the collection with the pointer, the document that names the current generation and says where each read
// model is stored. It has no other document. The program, and everybody who reads the database directly, starts there.
var pointers = Collection{Name: "read_models"}

const pointerID = "current"

// Pointer says which generation of the read models is current. A rebuild builds the next generation beside it and then replaces
// the pointer, at the version that it has loaded.
type Pointer struct {
	Generation int64            `json:"generation"`
	Next       int64            `json:"next"`     // number of the next generation to be built
	Models     map[string]Place `json:"models"`   // where each read model is stored, by the read model's name
	Building   *Building        `json:"building"` // the generation that is being built in the background; nil: none
	// Beside is set when a program that cannot read some read models of the current generation has begun to build these
	// anew. It says what that program reads meanwhile: all other read models of the current generation. nil: no program
	// has begun that.
	Beside *Beside `json:"beside"`
	// Retired are the collections that the current generation has not used since SwitchedAt, or since an earlier
	// switch. They are dropped when, according to the heartbeats, no process reads them any more.
	Retired    []string  `json:"retired"`
	SwitchedAt time.Time `json:"switched_at"`

	version int64 // version at which this document was loaded
}

// Place is where a read model is stored, and the shape of its documents: a version of their fields.
type Place struct {
	Collection string `json:"collection"`
	Shape      int    `json:"shape"`
}

// catalogue knows the read models of this program and where they are stored now.
type catalogue struct {
	docs     Documents
	models   []model
	current  atomic.Pointer[Pointer]
	recent   recent
	standing standing
	pending  atomic.Pointer[pending]  // read models that are being built while the others are current; nil: none
	behind   func(model string) error // returns a *BehindError while lists of a read model are too far behind
}

// lagging returns a *BehindError while lists of a read model must not be answered.
func (c *catalogue) lagging(model string) error {
	if c.behind == nil {
		return nil
	}
	return c.behind(model)
}

// model returns the read model with a name; nil when this program has none.
func (c *catalogue) model(name string) model {
	for _, m := range c.models {
		if m.name() == name {
			return m
		}
	}
	return nil
}

// collection returns the name of the collection in which a read model is stored now.
func (c *catalogue) collection(name string) string { return c.current.Load().Models[name].Collection }

// read loads the pointer, the document that names the current generation. It returns nil when there is none yet.
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

// replace writes the pointer to the current generation, or returns ErrStale when another process has written it since
// it was loaded.
func (c *catalogue) replace(ctx context.Context, p *Pointer) error {
	err := c.docs.Commit(ctx, Changes{Writes: []Write{{
		Collection: pointers.Name, ID: pointerID, Loaded: p.version, Document: *p,
	}}})
	if err != nil {
		return fmt.Errorf("write the pointer to the read models: %w", err)
	}
	p.version++
	return nil
}

// generation returns the Place (collection and shape) of each read model of this program in the generation with a
// number.
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

// declare creates the collections of a generation where they do not exist.
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

// fits reports whether all stored documents have the shapes (versions of the documents' fields) that this program
// writes.
func (c *catalogue) fits(places map[string]Place) bool {
	for _, m := range c.models {
		if place, ok := places[m.name()]; !ok || place.Shape != m.shape() {
			return false
		}
	}
	return true
}

// usable reports whether this program can read and update the stored documents of all read models: they have the shapes
// (versions of the documents' fields) that it writes, or older ones that it can still read.
func (c *catalogue) usable(places map[string]Place) bool {
	return !slices.ContainsFunc(c.models, func(m model) bool { return !usableBy(m, places) })
}

func usableBy(m model, places map[string]Place) bool {
	place, ok := places[m.name()]
	return ok && place.Shape >= oldest(m) && place.Shape <= m.shape()
}

// update changes the pointer to the current generation, with retries while other processes change it too, and returns
// the new pointer. When the function change returns false, the pointer stays as it is.
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

// takeNumber reserves the number of the next generation, which is to be built.
func (c *catalogue) takeNumber(ctx context.Context) (int64, error) {
	var number int64
	_, err := c.update(ctx, func(p *Pointer) bool {
		number = p.Next
		p.Next++
		return true
	})
	return number, err
}

// switchTo makes the generation number current, whose read models are stored at places. It retires (marks for removal)
// those collections of the previous generation that the new one does not use. It also retires the collections of the
// generations with numbers between the two, which never became current.
//
// It changes nothing when the generation number, or a newer one, is current already. It also changes nothing when basis
// is not 0 and the current generation is not basis, the one from which the new generation has taken documents over.
func (c *catalogue) switchTo(
	ctx context.Context, number int64, places map[string]Place, basis int64, now time.Time,
) (*Pointer, error) {
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

// unsaid reports whether the stored document with an id lacks events that it will not get soon: its read model is being
// built anew, or the read models leave out events of its stream because the program could not read them. Then the
// caller has to fold the stream itself.
func (s streamModel[T]) unsaid(c *catalogue, id string) bool {
	return c.isPending(s.modelName) || c.standing.still(s.category, id)
}

// load reads one document of a stream's read model. It returns no document while the stream is no longer folded (see
// Unread), and while the read model is being built beside current ones.
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

// page reads documents of a read model in the order of an index.
func page[T any](ctx context.Context, c *catalogue, name string, q Query) ([]T, error) {
	if err := c.lagging(name); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	if len(q.Equal) > 0 {
		if account, ok := q.Equal[0].(string); ok { // the first field of every list of an account is the account
			if err := c.standing.mayList(c.model(name), account); err != nil {
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
