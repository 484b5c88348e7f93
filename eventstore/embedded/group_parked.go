package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"moviola/eventstore/embedded/logfile"
)

// park appends links to messages that consumers could not handle to the group's parked stream, one append at a time. Until
// that append is durable, the checkpoint stays before those of these messages that were not replayed.
func (g *group) park() {
	if g.state.storing != nil || len(g.state.parking) == 0 || g.service.now().Before(g.parkAt) {
		return
	}
	count := min(len(g.state.parking), maxParkedOnce)
	g.state.storing, g.state.parking = g.state.parking[:count:count], g.state.parking[count:]
	events := make([]*logfile.Record, count)
	for i, p := range g.state.storing {
		events[i] = parkedRecord(p, g.service.now())
	}
	go func() { g.stored <- g.service.appendOwn(g.key.ParkedStream(), events) }()
}

// parkedRecord makes the link to a parked message, with the metadata that the protocol defines.
func parkedRecord(p parked, now time.Time) *logfile.Record {
	metadata, _ := json.Marshal(map[string]any{ // strings and a number always marshal
		"added": now.UTC().Format(time.RFC3339Nano), "reason": p.reason[:min(len(p.reason), maxReason)],
		"subscriptionEventNumber": p.message.place,
	})
	return &logfile.Record{ID: newEventID(), Kind: linkType, Data: []byte(p.message.reference()), Metadata: metadata}
}

// appendOwn appends events of the server itself.
func (s *service) appendOwn(stream string, events []*logfile.Record) error {
	op := &operation{
		ctx: context.Background(), stream: stream, expected: expectation{kind: expectAny}, events: events, reply: make(chan result, 1),
	}
	for _, r := range events {
		op.bytes += r.Size()
	}
	return s.writer.submit(op).err
}

// replay is the state of a replay of parked messages.
type replay struct {
	active     bool
	next, stop int64 // revisions of the parked stream: the next to read, and the end
	ending     bool  // the parked stream is being truncated
	// another replay was requested while the parked stream was being truncated; it starts after the truncation
	again  bool
	stopAt int64 // the parameter stopAt of that other replay: see replayParked
}

// handled reports whether all messages of a replay are read and finished.
func (g *group) handled() bool { return g.replay.next >= g.replay.stop && g.state.replaying == 0 }

// replayParked starts to give out the parked messages again: all of them or, when stopAt is positive, those before this
// revision of the parked stream. While replayed messages are unfinished, another call has no effect. While the replayed
// messages are only being removed from the parked stream, another call takes effect after the removal.
func (g *group) replayParked(stopAt int64) error {
	if g.replay.active {
		if g.handled() {
			g.replay.again, g.replay.stopAt = true, stopAt
		}
		return nil
	}
	h, err := logfile.LoadHead(context.Background(), g.service.log, g.key.ParkedStream())
	if err != nil {
		return err
	}
	stop := h.Last + 1
	if stopAt > 0 {
		stop = min(stop, stopAt)
	}
	if next := h.FirstVisible(); next < stop {
		g.replay = replay{active: true, next: next, stop: stop}
	}
	return nil
}

// readReplays reads the next parked messages, unless as many as one read may bring are queued already.
func (g *group) readReplays() error {
	limit := int(min(g.state.settings.ReadBatch, maxReadAhead))
	if !g.replay.active || g.replay.next >= g.replay.stop || len(g.state.replays) >= limit {
		return nil
	}
	ctx := context.Background()
	page, err := g.service.log.ReadStream(ctx, g.key.ParkedStream(),
		logfile.StreamPage{Low: g.replay.next, High: g.replay.stop - 1, Until: logfile.NoLimit, Limit: limit})
	if err != nil {
		return err
	}
	if len(page) == 0 {
		g.replay.next = g.replay.stop
		return nil
	}
	for _, link := range page {
		event, err := g.service.resolve(ctx, link)
		if err != nil {
			return err
		}
		if event != nil && g.state.settings.ResolveLinks && event.Kind == linkType {
			if event, err = g.service.resolve(ctx, event); err != nil {
				return err
			}
		}
		g.replay.next = link.Revision + 1
		if event == nil { // the event was deleted since: the message is finished
			continue
		}
		g.state.replays = append(g.state.replays, &message{event: event, link: link, place: link.Revision, replayed: true})
		g.state.replaying++
	}
	return nil
}

// endReplay truncates the parked stream when all replayed messages are finished. After a crash before the truncation, the
// messages are still parked.
func (g *group) endReplay() {
	if !g.replay.active || g.replay.ending || !g.handled() {
		return
	}
	g.replay.ending = true
	stop := g.replay.stop
	go func() {
		g.finished <- g.service.appendOwn(logfile.MetaPrefix+g.key.ParkedStream(), []*logfile.Record{
			{ID: newEventID(), Kind: logfile.MetaType, JSON: true, Data: fmt.Appendf(nil, `{"$tb":%d}`, stop)},
		})
	}()
}

// endedReplay forgets a replay whose messages have left the parked stream, and starts the replay that was requested meanwhile.
func (g *group) endedReplay() {
	ended := g.replay
	g.replay = replay{}
	if !ended.again {
		return
	}
	if err := g.replayParked(ended.stopAt); err != nil {
		g.complain("parked messages not replayed; ask for it again", err)
	}
}
