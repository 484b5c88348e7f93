package embedded

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"moviola/eventstore/embedded/logfile"
)

// maxGroups is the maximum of persistent subscriptions of a log. Each has a goroutine and buffers.
const maxGroups = 1000

var (
	errGroupExists  = errors.New("there is a persistent subscription of that name already")
	errNoGroup      = errors.New("there is no such persistent subscription")
	errGroupDropped = errors.New("the persistent subscription was changed or is being restarted")
	errTooMany      = fmt.Errorf("there are %d persistent subscriptions already", maxGroups)
)

// groups are the persistent subscriptions of a log.
type groups struct {
	service *service
	change  sync.Mutex // held while a group is added, changed or removed, until the change is durable

	mu     sync.Mutex
	all    map[logfile.GroupKey]*group
	closed bool
}

// openGroups starts the groups stored in the log. A group that cannot be read is logged and left out.
func openGroups(ctx context.Context, s *service) (*groups, error) {
	g := &groups{service: s, all: map[logfile.GroupKey]*group{}}
	return g, g.load(ctx)
}

func (g *groups) load(ctx context.Context) error {
	rows, err := g.service.log.Groups(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := g.start(row); err != nil {
			g.service.note.WithError(err).Error("event store: persistent subscription not started: delete it or create it again")
		}
	}
	return nil
}

func (g *groups) start(row *logfile.GroupRow) error {
	made, err := newGroup(g.service, row)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errClosed
	}
	g.all[row.Key] = made
	go made.run()
	return nil
}

func (g *groups) find(key logfile.GroupKey) *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all[key]
}

// settled is find for callers that hold no lock: it waits for a change during which a group does not run.
func (g *groups) settled(key logfile.GroupKey) *group {
	if found := g.find(key); found != nil {
		return found
	}
	g.change.Lock()
	defer g.change.Unlock()
	return g.find(key)
}

// list returns the groups of a stream, or all with an empty name, in the order of their names.
func (g *groups) list(stream string) []*group {
	g.mu.Lock()
	defer g.mu.Unlock()
	found := slices.Collect(maps.Values(g.all))
	found = slices.DeleteFunc(found, func(one *group) bool { return stream != "" && one.key.Stream != stream })
	slices.SortFunc(found, func(a, b *group) int {
		return strings.Compare(a.key.Stream+"\x00"+a.key.Name, b.key.Stream+"\x00"+b.key.Name)
	})
	return found
}

func (g *groups) take(key logfile.GroupKey) *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	found := g.all[key]
	delete(g.all, key)
	return found
}

// create adds a group that starts at the revision or position start; startAtEnd: after the newest event.
func (g *groups) create(ctx context.Context, key logfile.GroupKey, settings *groupSettings, start int64) error {
	g.change.Lock()
	defer g.change.Unlock()
	switch {
	case g.find(key) != nil:
		return errGroupExists
	case len(g.list("")) >= maxGroups:
		return errTooMany
	}
	row, err := g.row(ctx, key, settings, start)
	if err == nil {
		err = g.service.saveGroup(ctx, row)
	}
	if err != nil {
		return err
	}
	return g.start(row)
}

// row makes the stored form of a group.
func (g *groups) row(ctx context.Context, key logfile.GroupKey, settings *groupSettings, start int64) (*logfile.GroupRow, error) {
	last := g.service.tail.edge()
	if !key.All() {
		h, err := logfile.LoadHead(ctx, g.service.log, key.Stream)
		if err != nil {
			return nil, err
		}
		last = h.Last
	} else if start > last {
		return nil, fmt.Errorf("position %d is beyond the end of the log, %d", start, last)
	}
	settings.Start, settings.Behind = start, start-1
	if start == startAtEnd {
		settings.Behind = last
	}
	encoded, err := json.Marshal(settings)
	return &logfile.GroupRow{Key: key, Settings: encoded, Checkpoint: logfile.NoCheckpoint}, err
}

// update changes a group's settings. Its consumers are disconnected; its checkpoint and its filter stay.
func (g *groups) update(ctx context.Context, key logfile.GroupKey, settings *groupSettings, start int64) error {
	g.change.Lock()
	defer g.change.Unlock()
	old := g.find(key)
	if old == nil {
		return errNoGroup
	}
	settings.Filter = old.state.settings.Filter // the filter cannot be changed
	row, err := g.row(ctx, key, settings, start)
	if err != nil {
		return err
	}
	g.take(key)
	old.stop(errGroupDropped)
	row.Checkpoint = old.state.checkpoint
	if err := g.service.saveGroup(ctx, row); err != nil {
		former, encodeErr := json.Marshal(old.state.settings)
		return errors.Join(err, encodeErr, g.start(&logfile.GroupRow{Key: key, Settings: former, Checkpoint: old.state.checkpoint}))
	}
	return g.start(row)
}

// remove deletes a group, its checkpoint and its parked messages. The group need not be running: one that could not be started is
// stored in the log only.
func (g *groups) remove(ctx context.Context, key logfile.GroupKey) error {
	g.change.Lock()
	defer g.change.Unlock()
	old := g.take(key)
	if old == nil {
		if stored, err := g.stored(ctx, key); err != nil || !stored {
			return cmp.Or(err, errNoGroup)
		}
	} else {
		old.stop(errNoGroup)
	}
	err := g.service.saveGroup(ctx, &logfile.GroupRow{Key: key, Removed: true})
	if err != nil && old != nil {
		former, encodeErr := json.Marshal(old.state.settings)
		return errors.Join(err, encodeErr, g.start(&logfile.GroupRow{Key: key, Settings: former, Checkpoint: old.state.checkpoint}))
	}
	if err != nil {
		return err
	}
	op := &operation{ctx: context.WithoutCancel(ctx), stream: key.ParkedStream(), remove: true,
		expected: expectation{kind: expectAny}, reply: make(chan result, 1)}
	var none *wrongVersionError
	if err := g.service.writer.submit(op).err; err != nil && !errors.As(err, &none) {
		return err
	}
	return nil
}

// stored reports whether the log has a group, running or not.
func (g *groups) stored(ctx context.Context, key logfile.GroupKey) (bool, error) {
	rows, err := g.service.log.Groups(ctx)
	return slices.ContainsFunc(rows, func(row *logfile.GroupRow) bool { return row.Key == key }), err
}

// restart disconnects all consumers and starts all groups again from their stored state.
func (g *groups) restart(ctx context.Context) error {
	g.change.Lock()
	defer g.change.Unlock()
	for _, one := range g.list("") {
		g.take(one.key)
		one.stop(errGroupDropped)
	}
	return g.load(ctx)
}

// close ends all groups. They write their checkpoints, so the writer must still be running.
func (g *groups) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	for _, one := range g.list("") {
		one.stop(errClosed)
	}
}

// saveGroup makes a change of a group durable. It waits for the writer also when ctx ends: what runs must be what is stored.
func (s *service) saveGroup(ctx context.Context, row *logfile.GroupRow) error {
	return s.writer.submit(&operation{
		ctx: context.WithoutCancel(ctx), group: row, bytes: int64(len(row.Settings)) + 64, reply: make(chan result, 1),
	}).err
}
