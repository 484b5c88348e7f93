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

// Beside describes what a process reads while those read models are built anew whose stored documents it cannot read
// (Pending): all other read models, which are kept current meanwhile. The read models that it reads have a checkpoint
// of their own, because the checkpoint of the current generation stands for all read models of that generation.
type Beside struct {
	Generation int64            `json:"generation"` // generation number of the checkpoint
	Basis      int64            `json:"basis"`      // the generation whose documents are read
	Models     map[string]Place `json:"models"`     // all read models; those in Pending are being built
	Pending    []string         `json:"pending"`
}

// pending describes the read models that are being built while all others are current. It is safe for concurrent use.
type pending struct {
	beside   Beside
	building int64 // generation being built; when it is complete, it has all read models, not only those in Pending

	mu       sync.Mutex
	known    bool                // position and oldest were measured
	position eventstore.Position // position up to which the read models in Pending are built
	// when the oldest event was created that the read models in Pending lack; zero: they lack none
	oldest time.Time
	head   eventstore.Position
	pace   pace
}

// isPending reports whether a read model is being built while others are current: its documents are incomplete.
func (c *catalogue) isPending(name string) bool {
	p := c.pending.Load()
	return p != nil && slices.Contains(p.beside.Pending, name)
}

// kept returns the read models that a generation's checkpoint covers.
func (c *catalogue) kept(generation int64) []model {
	p := c.pending.Load()
	if p == nil || p.beside.Generation != generation {
		return c.models
	}
	return slices.DeleteFunc(slices.Clone(c.models), func(m model) bool { return slices.Contains(p.beside.Pending, m.name()) })
}

// own returns the read models that are built for a generation, without those taken over from another.
func (c *catalogue) own(b Building) []model {
	return slices.DeleteFunc(slices.Clone(c.models), func(m model) bool {
		return generationOf(b.Models[m.name()].Collection) != b.Generation
	})
}

// partly returns the Places of a new generation: for each read model its collection and the shape (field version) of
// its documents. A read model in others whose shape is the one that this program writes keeps its place, so its
// documents are taken over. All others get new collections.
func (c *catalogue) partly(number int64, others map[string]Place) map[string]Place {
	places := c.generation(number)
	for _, m := range c.models {
		if place, ok := others[m.name()]; ok && place.Shape == m.shape() {
			places[m.name()] = place
		}
	}
	return places
}

// continues reports whether this program can go on building the generation b. It can when b is newer than the current
// generation in p, has the shapes (field versions) of this program's documents, and stores each read model in a
// collection of its own. With partly, b may also share collections with the current generation.
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

// program returns a text that identifies the shapes of this program's documents. A process with another text is of another
// version of the program.
func (c *catalogue) program() string {
	names := make([]string, len(c.models))
	for i, m := range c.models {
		names[i] = fmt.Sprintf("%s:%d", m.name(), m.shape())
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// goBeside makes this process read those read models of the current generation that it can read, while the other read models are
// built. It returns false when all read models have to be built.
func (r *Reader) goBeside(ctx context.Context, p *Pointer) (bool, error) {
	rest, err := r.takeBeside(ctx, p)
	if err != nil || rest == nil {
		return false, err
	}
	r.config.Logger.WithFields(map[string]any{"generation": rest.building, "models": rest.beside.Pending}).
		Info("some read models were built by another version of the program and are rebuilt for this one; their lists are " +
			"unavailable until then, all others work")
	r.at.pending.Store(rest)
	_, err = r.adopt(ctx, &Pointer{Generation: rest.beside.Generation, Models: rest.beside.Models}, true)
	return true, err
}

// takeBeside returns what to read when this program can read only some read models of the current generation: those
// that it can read stay in use, and the others are built anew. The others do not exist, or have a shape (version of the
// documents' fields) that this program cannot read. takeBeside continues the generation that is being built, or begins
// one.
//
// It returns nil when all read models have to be built instead:
//
//   - this program can read none of the current ones;
//   - a generation for this program, with all read models, is being built already;
//   - a process of another version reads the current generation, or events were left out of it because a process could
//     not read them;
//   - another process meanwhile makes another generation current, or begins to build a later one.
//
// What was begun earlier is begun again if it is behind the current generation.
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

// knownBeside returns what another process, or this one before a restart, has recorded in p.Beside: which read models
// stay in use while others are built. It returns nil if this process cannot continue that, or if it is behind the
// checkpoint basis. lacking are the names of the read models that this program cannot read, and basis is that of the
// current generation.
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

// beginBeside begins a generation in which the read models named in lacking are built anew, while all others stay in
// use. It gives those in use a checkpoint of their own, a copy of the parameter checkpoint, which is that of the
// current generation. basis is the number of the current generation. beginBeside records what it has begun in the
// pointer to the current generation. It returns nil when another generation has become current meanwhile, or another
// process has begun to build a later one.
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
	if err := r.at.docs.Commit(ctx, Changes{Writes: []Write{*checkpoint.write(beside.Generation)}}); err != nil {
		return nil, fmt.Errorf("write the checkpoint of generation %d: %w", beside.Generation, err)
	}
	var taken *pending
	_, err = r.at.update(ctx, func(p *Pointer) bool {
		taken = nil
		if p.Generation != basis || p.Building != nil && p.Building.Generation > number {
			return false // another process was faster: this one builds all read models, or uses the other's generation at its next start
		}
		p.Building, p.Beside = &building, &beside
		taken = &pending{beside: beside, building: number}
		return true
	})
	return taken, err
}

// spoilt reports whether a new generation must not take over documents of the given generation. That is so when a live
// process of another version of the program reads the given generation, and also when events were left out of its
// documents because a process could not read these events.
func (r *Reader) spoilt(ctx context.Context, generation int64) (bool, error) {
	others, err := r.strangersRead(ctx, generation)
	if err != nil || others {
		return others, err
	}
	return r.leftOut(ctx, generation)
}

// leftOut reports whether a process has left out of a generation events that it could not read.
func (r *Reader) leftOut(ctx context.Context, generation int64) (bool, error) {
	if err := r.at.docs.Declare(ctx, unreadsOf(generation)); err != nil {
		return false, fmt.Errorf("declare the unread streams of generation %d: %w", generation, err)
	}
	unread, err := r.at.loadUnread(ctx, generation)
	return len(unread) > 0, err
}

// measurePending measures how far those read models are built that are being built while the others are current.
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

// built records how far this process has built the read models in Pending.
func (p *pending) built(position eventstore.Position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.position.Compare(position) < 0 {
		p.position = position
	}
}

// pendingBehind returns a *BehindError while a read model that is being built, while others are current, lacks an event
// older than MaxLag. It also returns the error while that has not been measured yet.
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
	behind := &BehindError{Models: p.beside.Pending, Progress: share100(p.position, p.head),
		Left: p.pace.left(now, p.position, p.head)}
	if !p.oldest.IsZero() {
		behind.Lag = now.Sub(p.oldest)
	}
	return behind
}

// errSpoilt says that a generation which shares documents with another must not become current.
var errSpoilt = errors.New("a process of another version has left events out of the other read models: all are built")
