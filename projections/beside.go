package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"moviola/eventstore"
)

// Beside is what is read and kept up to the log while some read models are built whose documents have shapes that this program cannot read:
// all the others, where they are. They have a checkpoint of their own, because that of the current generation is for all its models.
type Beside struct {
	Generation int64            `json:"generation"` // of the checkpoint
	Basis      int64            `json:"basis"`      // the generation whose documents these are
	Models     map[string]Place `json:"models"`     // of all read models; those in Pending are being built
	Pending    []string         `json:"pending"`
}

// pending are the read models that are being built while all others go on. It is safe for concurrent use.
type pending struct {
	beside   Beside
	building int64 // the generation that the others are part of when it is complete

	mu       sync.Mutex
	known    bool                // the rest was found out
	position eventstore.Position // how far they are
	oldest   time.Time           // of the first event that is not in them; zero: there is none
	head     eventstore.Position
	pace     pace
}

// isPending tells whether a read model is being built while others go on: its documents say nothing yet.
func (c *catalogue) isPending(name string) bool {
	p := c.pending.Load()
	return p != nil && slices.Contains(p.beside.Pending, name)
}

// kept are the read models that a generation's checkpoint stands for.
func (c *catalogue) kept(generation int64) []model {
	p := c.pending.Load()
	if p == nil || p.beside.Generation != generation {
		return c.models
	}
	return slices.DeleteFunc(slices.Clone(c.models), func(m model) bool { return slices.Contains(p.beside.Pending, m.name()) })
}

// own are the read models that are built for a generation, and not taken from another.
func (c *catalogue) own(b Building) []model {
	return slices.DeleteFunc(slices.Clone(c.models), func(m model) bool { return generationOf(b.Models[m.name()].Collection) != b.Generation })
}

// partly names the places of a generation of this program's shapes that takes the documents of others as they are, where they fit.
func (c *catalogue) partly(number int64, others map[string]Place) map[string]Place {
	places := c.generation(number)
	for _, m := range c.models {
		if place, ok := others[m.name()]; ok && place.Shape == m.shape() {
			places[m.name()] = place
		}
	}
	return places
}

// continues tells whether a generation that is being built can be gone on with: it is this program's, and every read model is its own or,
// if it may be built in part, one of the current generation's.
func (c *catalogue) continues(b *Building, p *Pointer, partly bool) bool {
	if b == nil || b.Generation <= p.Generation || !c.fits(b.Models) {
		return false
	}
	for name, place := range b.Models {
		if generationOf(place.Collection) != b.Generation && (!partly || place != p.Models[name]) {
			return false
		}
	}
	return true
}

// program names what this program makes of documents: processes that show another name are of another version.
func (c *catalogue) program() string {
	names := make([]string, len(c.models))
	for i, m := range c.models {
		names[i] = fmt.Sprintf("%s:%d", m.name(), m.shape())
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// goBeside makes this process read what it can of the current generation, while the rest is built. It is false where all has to be built.
func (r *Reader) goBeside(ctx context.Context, p *Pointer) (bool, error) {
	rest, err := r.takeBeside(ctx, p)
	if err != nil || rest == nil {
		return false, err
	}
	r.config.Logger.WithFields(map[string]any{"generation": rest.building, "models": rest.beside.Pending}).
		Info("read models have shapes of another version of the program: others are built, and their lists wait for them; all other lists go on")
	r.at.pending.Store(rest)
	_, err = r.adopt(ctx, &Pointer{Generation: rest.beside.Generation, Models: rest.beside.Models}, true)
	return true, err
}

// takeBeside returns what to read while the read models are built that have shapes of another version in the current generation, with the number
// of the generation that is built, or begins it. It is nil where all have to be built: nothing can be read, a process of another version
// reads the current generation, or left something out of it, or the rest is older than the current generation.
func (r *Reader) takeBeside(ctx context.Context, p *Pointer) (*pending, error) {
	var lacking []string
	for _, m := range r.at.models {
		if !usableBy(m, p.Models) {
			lacking = append(lacking, m.name())
		}
	}
	if len(lacking) == len(r.at.models) || r.at.continues(p.Building, p, false) {
		return nil, nil
	}
	spoilt, err := r.spoilt(ctx, p.Generation)
	if err != nil || spoilt {
		return nil, err
	}
	checkpoint, err := r.at.loadCheckpoint(ctx, p.Generation)
	if err != nil {
		return nil, err
	}
	if known, err := r.knownBeside(ctx, p, lacking, checkpoint); known != nil || err != nil {
		return known, err
	}
	return r.beginBeside(ctx, p.Generation, lacking, checkpoint)
}

// knownBeside returns what was begun for a pointer before, if it can be gone on with.
func (r *Reader) knownBeside(ctx context.Context, p *Pointer, lacking []string, basis Checkpoint) (*pending, error) {
	b := p.Beside
	if b == nil || b.Basis != p.Generation || !slices.Equal(b.Pending, lacking) || !r.at.continues(p.Building, p, true) {
		return nil, nil
	}
	checkpoint, err := r.at.loadCheckpoint(ctx, b.Generation)
	if err != nil || checkpoint.position().Compare(basis.position()) < 0 {
		return nil, err
	}
	return &pending{beside: *b, building: p.Building.Generation}, nil
}

// beginBeside makes a checkpoint for what goes on being read, at that of the current generation, and names it in the pointer.
func (r *Reader) beginBeside(ctx context.Context, basis int64, lacking []string, checkpoint Checkpoint) (*pending, error) {
	var number int64
	reserved, err := r.at.update(ctx, func(p *Pointer) bool {
		number = p.Next
		p.Next += 2
		return true
	})
	if err != nil || reserved.Generation != basis {
		return nil, err
	}
	building := Building{Generation: number, Models: r.at.partly(number, reserved.Models)}
	beside := Beside{Generation: number + 1, Basis: basis, Models: make(map[string]Place, len(r.at.models)), Pending: lacking}
	for _, m := range r.at.models {
		beside.Models[m.name()] = reserved.Models[m.name()]
		if slices.Contains(lacking, m.name()) {
			beside.Models[m.name()] = building.Models[m.name()]
		}
	}
	checkpoint.version = 0
	if err := r.at.docs.Commit(ctx, Batch{Writes: []Write{*checkpoint.write(beside.Generation)}}); err != nil {
		return nil, fmt.Errorf("write the checkpoint of generation %d: %w", beside.Generation, err)
	}
	var taken *pending
	_, err = r.at.update(ctx, func(p *Pointer) bool {
		taken = nil
		if p.Generation != basis || p.Building != nil && p.Building.Generation > number {
			return false // another process was here: all are built, or its generation is taken at the next start
		}
		p.Building, p.Beside = &building, &beside
		taken = &pending{beside: beside, building: number}
		return true
	})
	return taken, err
}

// spoilt tells whether documents of a generation cannot be shared with one of this program: a process of another version reads it, or has left
// out events that it could not read.
func (r *Reader) spoilt(ctx context.Context, generation int64) (bool, error) {
	others, err := r.strangersRead(ctx, generation)
	if err != nil || others {
		return others, err
	}
	return r.leftOut(ctx, generation)
}

// leftOut tells whether a process has left events out of a generation that it could not read.
func (r *Reader) leftOut(ctx context.Context, generation int64) (bool, error) {
	if err := r.at.docs.Declare(ctx, unreadsOf(generation)); err != nil {
		return false, fmt.Errorf("declare the unread streams of generation %d: %w", generation, err)
	}
	unread, err := r.at.loadUnread(ctx, generation)
	return len(unread) > 0, err
}

// measurePending finds out how far the read models are that are being built.
func (r *Reader) measurePending(ctx context.Context) {
	p := r.at.pending.Load()
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, behindTime)
	defer cancel()
	head, err := r.config.Log.Store().Head(ctx)
	if err != nil {
		return
	}
	checkpoint, err := r.at.loadCheckpoint(ctx, p.building)
	if err != nil {
		return
	}
	next, err := r.nextConcern(ctx, checkpoint.position())
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.position, p.head, p.oldest = true, checkpoint.position(), head, next.created
	p.pace.begin(r.config.Now(), p.position)
}

// built notes how far this process has built them.
func (p *pending) built(position eventstore.Position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.position.Compare(position) < 0 {
		p.position = position
	}
}

// pendingBehind is a *BehindError while the read models that are being built lack what was acknowledged long ago, as far as is known.
func (r *Reader) pendingBehind() error {
	p := r.at.pending.Load()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known && (p.oldest.IsZero() || !r.tooOld(p.oldest)) {
		return nil
	}
	now := r.config.Now()
	behind := &BehindError{Models: p.beside.Pending, Progress: share100(p.position, p.head), Left: p.pace.left(now, p.position, p.head)}
	if !p.oldest.IsZero() {
		behind.Lag = now.Sub(p.oldest)
	}
	return behind
}

// errSpoilt says that read models which were built in part cannot be taken.
var errSpoilt = errors.New("a process of another version has left events out of the other read models: all are built")
