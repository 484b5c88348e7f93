package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"moviola/eventstore"
)

// Building is a generation that is being built in the background. After a restart, a process continues to build it if
// its program has the same versions of the documents' fields.
type Building struct {
	Generation int64            `json:"generation"`
	Models     map[string]Place `json:"models"`
}

// progressInterval is how often a process logs the progress of a build, or how far the read models lag. It is also the pause
// after a build that failed.
const progressInterval = 10 * time.Second

// Rebuild builds read models again from the beginning of the log, beside the current ones, and then makes them current:
// queries go on meanwhile. The old ones are dropped later. Without names it builds all. Any process may call it while
// others project and read. It calls progress, unless that is nil, with the position reached. When ctx ends before the
// switch, the current read models stay.
func (r *Reader) Rebuild(ctx context.Context, progress func(eventstore.Position), names ...string) error {
	current := r.at.current.Load()
	models, places, err := r.at.chosen(current, names)
	if err != nil {
		return err
	}
	number, err := r.at.takeNumber(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		places[m.name()] = r.at.generation(number)[m.name()]
	}
	basis := int64(0)
	if len(names) > 0 {
		basis = current.Generation
	}
	if err := r.build(ctx, construction{building: Building{Generation: number, Models: places}, models: models, basis: basis},
		progress); err != nil {
		return err
	}
	r.config.Logger.WithField("generation", number).Info("read models rebuilt")
	return nil
}

// chosen returns the read models with the given names, and the places of all others.
func (c *catalogue) chosen(current *Pointer, names []string) ([]model, map[string]Place, error) {
	places := make(map[string]Place, len(c.models))
	if len(names) == 0 {
		return c.models, places, nil
	}
	if !c.fits(current.Models) || len(c.standing.all()) > 0 || c.pending.Load() != nil {
		return nil, nil, errors.New("read models that are not up to date in themselves cannot be made one by one: rebuild all of them")
	}
	var known []string
	var models []model
	for _, m := range c.models {
		known = append(known, m.name())
		if slices.Contains(names, m.name()) {
			models = append(models, m)
		} else {
			places[m.name()] = current.Models[m.name()]
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, nil, fmt.Errorf("there is no read model %q: the names are %q", name, known)
		}
	}
	return models, places, nil
}

// construction describes a generation to be built.
type construction struct {
	why      string
	building Building
	models   []model // the read models to fold
	basis    int64   // generation from which all read models that are not in models are taken over; 0: none are
	// With alone, build makes the generation current only when no process of another version of the program reads the
	// generation basis any more, and gives up if events were left out of that generation.
	alone bool
}

// build folds the log into the read models of a generation, makes the generation current, and makes this process read it.
func (r *Reader) build(ctx context.Context, c construction, progress func(eventstore.Position)) error {
	number, places, models := c.building.Generation, c.building.Models, c.models
	if err := r.at.declare(ctx, number, places); err != nil {
		return err
	}
	p := newProjector(r.config, r.at, number, places, func(done report) {
		if progress != nil {
			progress(done.position)
		}
	})
	p.models, p.ends = models, true
	err := r.fill(ctx, p, c)
	if err == nil && len(models) < len(r.at.models) {
		err = r.reach(ctx, p.checkpoint.position())
	}
	if err != nil {
		return err
	}
	pointer, err := r.at.switchTo(ctx, number, places, c.basis, r.config.Now())
	if err != nil {
		return err
	}
	if pointer.Generation != number {
		return fmt.Errorf("rebuild generation %d: generation %d became current meanwhile", number, pointer.Generation)
	}
	p.models = r.at.models
	// This process switches when the new read models have reached the position of the old ones.
	return p.run(ctx, func(bool) bool {
		adopted, err := r.adopt(ctx, pointer, false)
		return adopted || err != nil // chores.follow retries adopt after an error
	})
}

// fill folds the log into the generation that p projects, until the construction c may end. A build that another process
// has begun, or this one before a restart, goes on at its checkpoint.
func (r *Reader) fill(ctx context.Context, p *projector, c construction) error {
	if err := p.locate(ctx); err != nil {
		return err
	}
	complete := false
	var spoilt error
	err := p.run(ctx, func(caughtUp bool) bool {
		complete = caughtUp
		if caughtUp && c.alone {
			complete, spoilt = r.free(ctx, c.basis)
		}
		return complete || spoilt != nil
	})
	if err == nil {
		err = spoilt
	}
	if err == nil && !complete {
		err = fmt.Errorf("rebuild generation %d: %w", c.building.Generation, ctx.Err())
	}
	return err
}

// reach folds the log into the current generation up to a position, which is the checkpoint of a new generation. The
// new generation takes documents over from the current one, and these must include every event up to its checkpoint.
func (r *Reader) reach(ctx context.Context, position eventstore.Position) error {
	current := r.at.current.Load()
	p := newProjector(r.config, r.at, current.Generation, current.Models, func(report) {})
	p.ends = true
	if err := p.locate(ctx); err != nil {
		return err
	}
	reached := false
	err := p.run(ctx, func(bool) bool {
		reached = p.checkpoint.position().Compare(position) >= 0
		return reached
	})
	if err == nil && !reached {
		err = fmt.Errorf("bring generation %d up to date: %w", current.Generation, ctx.Err())
	}
	return err
}

// free reports whether a new generation can take over read models of the generation with the number basis: no process
// of another version of the program reads that generation any more. It returns false also when the store fails, and
// errSpoilt when a process has left events out of that generation because it could not read them.
func (r *Reader) free(ctx context.Context, basis int64) (bool, error) {
	lacks, err := r.leftOut(ctx, basis)
	if lacks {
		return false, errSpoilt
	}
	others := false
	if err == nil {
		others, err = r.strangersRead(ctx, basis)
	}
	return err == nil && !others, nil // an error of the store is not returned: the caller calls free again after false
}

// takeBuilding returns the generation that is being built for this program. If there is none that it can continue, it
// begins one. With partly, the one that it begins takes over those read models of the current generation whose
// documents have the version of fields that this program writes, and only the others are built. Without partly, all
// read models are built.
func (r *Reader) takeBuilding(ctx context.Context, partly bool) (Building, error) {
	var building Building
	_, err := r.at.update(ctx, func(p *Pointer) bool {
		if r.at.continues(p.Building, p, partly) {
			building = *p.Building
			return false
		}
		building = Building{Generation: p.Next, Models: r.at.generation(p.Next)}
		if partly {
			building.Models = r.at.partly(p.Next, p.Models)
		}
		p.Building = &building
		p.Next++
		return true
	})
	return building, err
}

// renew builds read models in the background, until ctx ends. It does so when the documents of the current ones have
// another version of fields than this program writes, or lack events that this program can read. It continues a build
// from before a restart, if it can.
func (r *Reader) renew(ctx context.Context) {
	for sleep(ctx, pointerInterval) {
		c, err := r.nextConstruction(ctx)
		if err == nil && c == nil {
			continue
		}
		if err == nil {
			log := r.config.Logger.WithFields(map[string]any{"generation": c.building.Generation, "models": len(c.models)})
			log.Info(c.why + ": they are built anew in the background")
			if err = r.build(ctx, *c, r.tellProgress(ctx)); err == nil {
				log.Info("read models rebuilt")
			}
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.config.Logger.WithError(err).Warn("read models not rebuilt; trying again")
			sleep(ctx, progressInterval)
		}
	}
}

// nextConstruction returns the generation to build next, and nil when there is nothing to build. When the documents of
// only some read models have another version of fields than this program writes, usually only these are built, and the
// others are taken over from the current generation. But all read models are built, for example, when a process of
// another version of the program reads the current generation, or when events were left out of it because a process
// could not read them.
func (r *Reader) nextConstruction(ctx context.Context) (*construction, error) {
	why, all := r.outdated()
	if why == "" {
		return nil, nil
	}
	p, err := r.at.read(ctx)
	if err != nil || p == nil {
		return nil, err
	}
	basis := r.at.current.Load().Generation
	if pending := r.at.pending.Load(); pending != nil {
		basis = pending.beside.Basis
	}
	partly := !all && p.Generation == basis && len(r.at.standing.all()) == 0
	if partly {
		spoilt, err := r.spoilt(ctx, basis)
		if err != nil {
			return nil, err
		}
		partly = !spoilt
	}
	building, err := r.takeBuilding(ctx, partly)
	if err != nil {
		return nil, err
	}
	models := r.at.own(building)
	if partly = len(models) < len(r.at.models); !partly {
		basis = 0
	}
	return &construction{why: why, building: building, models: models, basis: basis, alone: partly}, nil
}

// outdated returns why current read models have to be rebuilt, and whether all of them have to be. An empty why means that none
// has to be.
func (r *Reader) outdated() (why string, all bool) {
	for _, u := range r.at.standing.all() {
		if r.config.Log.Codec().Knows(u.Type, u.Version) {
			return "the read models lack events that an earlier version of the program could not read", true
		}
	}
	if r.at.pending.Load() != nil || !r.at.fits(r.at.current.Load().Models) {
		return "read models have the shapes of another version of the program", false
	}
	return "", false
}

// tellProgress returns a function that logs the progress of building at intervals, and records it for BehindError.
func (r *Reader) tellProgress(ctx context.Context) func(eventstore.Position) {
	var pace pace
	next := r.config.Now().Add(progressInterval)
	return func(at eventstore.Position) {
		now := r.config.Now()
		if pending := r.at.pending.Load(); pending != nil {
			pending.built(at)
		}
		pace.begin(now, at)
		if now.Before(next) {
			return
		}
		next = now.Add(progressInterval)
		if head, err := r.config.Log.Store().Head(ctx); err == nil {
			r.config.Logger.WithField("left", pace.left(now, at,
				head).String()).Infof("the read models are being built: %.0f %%", share100(at, head))
		}
	}
}

// publish makes the generation that this process reads the current one, once it is complete. It puts this off while
// another live process reads the generation that is current. Otherwise versions of the program that run side by side
// could replace each other's generation again and again.
func (r *Reader) publish(ctx context.Context, caughtUp bool) {
	now := r.config.Now()
	if !caughtUp || !r.unpublished || now.Before(r.nextPublish) {
		return
	}
	r.nextPublish = now.Add(pointerInterval)
	current := r.at.current.Load()
	others, err := r.othersRead(ctx, now)
	if err == nil && others {
		return
	}
	if err == nil {
		_, err = r.at.switchTo(ctx, current.Generation, current.Models, 0, now)
	}
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		r.config.Logger.WithError(err).Warn("read models not activated; trying again")
		return
	}
	r.unpublished = false
	r.config.Logger.WithField("generation", current.Generation).Info("read models activated")
}

// pace measures how fast a position advances.
type pace struct {
	since time.Time
	from  eventstore.Position
}

// begin sets the start of the measurement; later calls change nothing.
func (p *pace) begin(now time.Time, at eventstore.Position) {
	if p.since.IsZero() {
		p.since, p.from = now, at
	}
}

// left estimates how long it takes until the measured position, which is `at` now, reaches the position to. The result
// is in whole seconds. 0 means that the position is reached, or that the time is unknown, for example because begin has
// not been called yet.
func (p *pace) left(now time.Time, at, to eventstore.Position) time.Duration {
	done, spent := float64(at.Commit)-float64(p.from.Commit), now.Sub(p.since)
	if p.since.IsZero() || done <= 0 || to.Commit <= at.Commit || spent <= 0 {
		return 0
	}
	return time.Duration(float64(spent) * float64(to.Commit-at.Commit) / done).Round(time.Second)
}

// share100 returns how far a position is on the way to another one: 0 to 100 percent.
func share100(at, to eventstore.Position) float64 {
	return min(100, 100*float64(at.Commit)/float64(max(to.Commit, 1)))
}
