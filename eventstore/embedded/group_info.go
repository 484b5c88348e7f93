package embedded

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"

	"moviola/eventstore/embedded/logfile"
)

// GetInfo describes one group.
func (p *persistentService) GetInfo(ctx context.Context, request *persistent.GetInfoReq) (*persistent.GetInfoResp, error) {
	options := request.GetOptions()
	key := newGroupKey(options.GetStreamIdentifier(), options.GetAll(), options.GetGroupName())
	if err := p.service.authorize(ctx, key.Stream, rightRead); err != nil {
		return nil, err
	}
	g := p.groups.settled(key)
	if g == nil {
		return nil, p.refuse(ctx, key, errNoGroup)
	}
	info, err := g.info(ctx)
	if err != nil {
		return nil, p.refuse(ctx, key, err)
	}
	return &persistent.GetInfoResp{SubscriptionInfo: info}, nil
}

// List describes all groups, or those of one stream. A stream without groups is reported as not found.
func (p *persistentService) List(ctx context.Context, request *persistent.ListReq) (*persistent.ListResp, error) {
	of := ""
	if wire := request.GetOptions().GetListForStream(); wire != nil {
		of = newGroupKey(wire.GetStream(), wire.GetAll(), "").Stream
	}
	found := p.groups.list(of)
	if of != "" && len(found) == 0 {
		return nil, p.refuse(ctx, logfile.GroupKey{Stream: of}, errNoGroup)
	}
	answer := &persistent.ListResp{}
	for _, g := range found {
		info, err := g.info(ctx)
		if err != nil {
			return nil, p.refuse(ctx, g.key, err)
		}
		answer.Subscriptions = append(answer.Subscriptions, info)
	}
	return answer, nil
}

// info describes a group for clients. The counters begin at 0 whenever the group is started, for example with the server or
// after an update.
func (g *group) info(ctx context.Context) (*persistent.SubscriptionInfo, error) {
	known := g.service.tail.edge()
	if !g.key.All() {
		h, err := logfile.LoadHead(ctx, g.service.log, g.key.Stream)
		if err != nil {
			return nil, err
		}
		known = h.Last
	}
	waiting, err := logfile.LoadHead(ctx, g.service.log, g.key.ParkedStream())
	if err != nil {
		return nil, err
	}
	var info *persistent.SubscriptionInfo
	if !g.do(ctx, func() { info = g.tellInfo(known) }) {
		return nil, errGroupDropped
	}
	if !waiting.Meta.SoftDeleted() {
		info.ParkedMessageCount = waiting.Last + 1 - waiting.FirstVisible()
	}
	return info, nil
}

func (g *group) tellInfo(known int64) *persistent.SubscriptionInfo {
	s, now := g.state.settings, g.service.now()
	info := &persistent.SubscriptionInfo{
		EventSource: g.key.Stream, GroupName: g.key.Name, Status: "Live",
		TotalItems:                    g.state.given,
		LastCheckpointedEventPosition: g.place(g.state.checkpoint), LastKnownEventPosition: g.place(known),
		ResolveLinkTos: s.ResolveLinks, StartFrom: g.startFrom(),
		MessageTimeoutMilliseconds: int32(min(s.MessageTimeoutMS, math.MaxInt32)),
		ExtraStatistics:            s.ExtraStatistics, MaxRetryCount: s.MaxRetries, LiveBufferSize: s.LiveBuffer,
		BufferSize:    s.HistoryBuffer,
		ReadBatchSize: s.ReadBatch, CheckPointAfterMilliseconds: int32(min(s.CheckpointMS, math.MaxInt32)),
		MinCheckPointCount: s.MinCheckpoint,
		MaxCheckPointCount: s.MaxCheckpoint, NamedConsumerStrategy: s.Strategy, MaxSubscriberCount: s.MaxSubscribers,
		ReadBufferCount: int32(len(g.state.fresh)), RetryBufferCount: int32(len(g.state.retries) + len(g.state.replays)),
		TotalInFlightMessages:    int32(g.state.unanswered()),
		OutstandingMessagesCount: int32(g.state.unanswered() + len(g.state.retries) + len(g.state.parking) + len(g.state.storing)),
	}
	if g.state.considered < known {
		info.Status = "Behind"
	}
	for _, c := range g.state.consumers {
		connection := &persistent.SubscriptionInfo_ConnectionInfo{
			From: c.from, Username: c.user, ConnectionName: c.name, TotalItems: c.given,
			AverageItemsPerSecond: perSecond(c.given, now.Sub(c.since)),
			AvailableSlots:        int32(c.slots - c.count), InFlightMessages: int32(c.count),
		}
		info.AveragePerSecond += connection.AverageItemsPerSecond
		info.Connections = append(info.Connections, connection)
	}
	return info
}

func perSecond(count int64, in time.Duration) int32 {
	return int32(min(float64(count)/max(in.Seconds(), 1), math.MaxInt32))
}

// place formats a revision or position as clients parse it. A text that they cannot parse would fail their whole call.
func (g *group) place(at int64) string {
	switch {
	case at < 0:
		return ""
	case g.key.All():
		return fmt.Sprintf("C:%d/P:%d", at, at)
	default:
		return strconv.FormatInt(at, 10)
	}
}

func (g *group) startFrom() string {
	start := g.state.settings.Start
	if g.key.All() {
		return fmt.Sprintf("C:%d/P:%d", start, start)
	}
	return strconv.FormatInt(start, 10)
}
