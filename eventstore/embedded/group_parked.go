package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// park appends links to messages that consumers could not handle to the group's parked stream, one append at a time. Until that is
// durable they count as not done with.
func (g *group) park() {
	if g.state.storing != nil || len(g.state.parking) == 0 {
		return
	}
	count := min(len(g.state.parking), maxParkedOnce)
	g.state.storing, g.state.parking = g.state.parking[:count:count], g.state.parking[count:]
	events := make([]*record, count)
	for i, p := range g.state.storing {
		events[i] = parkedRecord(p, g.service.now())
	}
	go func() { g.stored <- g.service.appendOwn(g.key.parkedStream(), events) }()
}

// parkedRecord is the link to a parked message, with what the protocol says about it.
func parkedRecord(p parked, now time.Time) *record {
	metadata, _ := json.Marshal(map[string]any{ // strings and a number always marshal
		"added": now.UTC().Format(time.RFC3339Nano), "reason": p.reason[:min(len(p.reason), maxReason)],
		"subscriptionEventNumber": p.message.place,
	})
	return &record{id: newEventID(), kind: linkType, data: []byte(p.message.reference()), metadata: metadata}
}

// appendOwn appends events that the server itself writes.
func (s *service) appendOwn(stream string, events []*record) error {
	op := &operation{
		ctx: context.Background(), stream: stream, expected: expectation{kind: expectAny}, events: events, reply: make(chan result, 1),
	}
	for _, r := range events {
		op.bytes += r.size()
	}
	return s.writer.submit(op).err
}

// replayParked gives out again what is parked, up to a revision of the parked stream when that is positive. While a replay runs, another
// one begins nothing.
func (g *group) replayParked(stopAt int64) error {
	if g.replay.active {
		return nil
	}
	h, err := loadHead(context.Background(), g.service.log, g.key.parkedStream())
	if err != nil {
		return err
	}
	stop := h.last + 1
	if stopAt > 0 {
		stop = min(stop, stopAt)
	}
	if next := h.firstVisible(); next < stop {
		g.replay = replay{active: true, next: next, stop: stop}
	}
	return nil
}

// readReplays reads the next parked messages while less than a batch of them waits.
func (g *group) readReplays() error {
	limit := int(min(g.state.settings.ReadBatch, maxReadAhead))
	if !g.replay.active || g.replay.next >= g.replay.stop || len(g.state.replays) >= limit {
		return nil
	}
	ctx := context.Background()
	page, err := g.service.log.ReadStream(ctx, g.key.parkedStream(),
		streamPage{low: g.replay.next, high: g.replay.stop - 1, until: noLimit, limit: limit})
	if err != nil {
		return err
	}
	if len(page) == 0 {
		g.replay.next = g.replay.stop
		return nil
	}
	for _, link := range page {
		g.replay.next = link.revision + 1
		event, err := g.service.resolve(ctx, link)
		if err != nil {
			return err
		}
		if event != nil && g.state.settings.ResolveLinks && event.kind == linkType {
			if event, err = g.service.resolve(ctx, event); err != nil {
				return err
			}
		}
		if event == nil { // deleted meanwhile: nobody can handle it any more
			continue
		}
		g.state.replays = append(g.state.replays, &message{event: event, link: link, place: link.revision, replayed: true})
		g.state.replaying++
	}
	return nil
}

// endReplay takes the replayed messages out of the parked stream when all are done with: what a crash interrupts is parked still.
func (g *group) endReplay() {
	if !g.replay.active || g.replay.ending || g.replay.next < g.replay.stop || g.state.replaying > 0 {
		return
	}
	g.replay.ending = true
	stop := g.replay.stop
	go func() {
		g.finished <- g.service.appendOwn(metaPrefix+g.key.parkedStream(), []*record{
			{id: newEventID(), kind: metaType, json: true, data: fmt.Appendf(nil, `{"$tb":%d}`, stop)},
		})
	}()
}
