package embedded

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// Strategies by which a group's events go to its consumers.
const (
	strategyRoundRobin = "RoundRobin" // to each consumer in turn
	// to the first consumer; to the next one only while the first has its maximum of unanswered events
	strategySingle = "DispatchToSingle"
	strategyPinned = "Pinned" // the events of one stream always to the same consumer
)

// groupSettings are the stored settings of a group.
type groupSettings struct {
	ResolveLinks    bool  `json:"resolveLinks,omitempty"`
	ExtraStatistics bool  `json:"extraStatistics,omitempty"`
	MaxRetries      int32 `json:"maxRetries"`
	// minimum of finished events for which a checkpoint is written when CheckpointMS have passed
	MinCheckpoint  int32 `json:"minCheckpoint"`
	MaxCheckpoint  int32 `json:"maxCheckpoint"`  // number of finished events after which a checkpoint is written at once
	MaxSubscribers int32 `json:"maxSubscribers"` // maximum number of consumers; 0: no maximum
	// size of the buffer for new events: stored and told to clients, but not used, because one buffer holds old and new events
	LiveBuffer int32 `json:"liveBuffer"`
	ReadBatch  int32 `json:"readBatch"` // maximum number of events of one read
	// size of the buffer for old events: stored and told to clients, and greater than ReadBatch, but not used otherwise
	HistoryBuffer    int32  `json:"historyBuffer"`
	MessageTimeoutMS int64  `json:"messageTimeoutMs"` // ms until an unanswered event is given out again or parked; 0: never
	CheckpointMS     int64  `json:"checkpointMs"`
	Strategy         string `json:"strategy"`
	// the group's first event: a revision of its stream, or a position of the log. startAtEnd: the first event after the group was
	// created or updated
	Start int64 `json:"start"`
	// revision or position of the event before the group's first event, determined when the group is created or updated
	Behind int64         `json:"behind"`
	Filter *streamFilter `json:"filter,omitempty"`
}

// startAtEnd is the start of a group that gets only events appended after its creation or its last update.
const startAtEnd = -1

// streamFilter is the filter of a group of the whole log: by the type of event when TypePrefix or TypeRegex is set,
// otherwise by the name of the stream. When both prefixes and a regular expression are set, only the prefixes apply.
type streamFilter struct {
	StreamPrefix []string `json:"streamPrefix,omitempty"`
	StreamRegex  string   `json:"streamRegex,omitempty"`
	TypePrefix   []string `json:"typePrefix,omitempty"`
	TypeRegex    string   `json:"typeRegex,omitempty"`
}

func (s *groupSettings) messageTimeout() time.Duration {
	return time.Duration(s.MessageTimeoutMS) * time.Millisecond
}

func (s *groupSettings) checkpointAfter() time.Duration {
	return time.Duration(s.CheckpointMS) * time.Millisecond
}

// newGroupSettings reads the settings of a request.
func newGroupSettings(wire *persistent.CreateReq_Settings) (*groupSettings, error) {
	s := &groupSettings{
		ResolveLinks: wire.GetResolveLinks(), ExtraStatistics: wire.GetExtraStatistics(),
		MaxRetries: wire.GetMaxRetryCount(), MinCheckpoint: wire.GetMinCheckpointCount(), MaxCheckpoint: wire.GetMaxCheckpointCount(),
		MaxSubscribers: wire.GetMaxSubscriberCount(), LiveBuffer: wire.GetLiveBufferSize(), ReadBatch: wire.GetReadBatchSize(),
		HistoryBuffer: wire.GetHistoryBufferSize(), Strategy: wire.GetConsumerStrategy(),
	}
	if s.Strategy == "" { // an older client, which does not send the field for the strategy
		//lint:ignore SA1019 the old field applies when the newer one is missing
		s.Strategy = wire.GetNamedConsumerStrategy().String()
	}
	s.MessageTimeoutMS = milliseconds(wire.GetMessageTimeoutTicks(), wire.GetMessageTimeoutMs())
	s.CheckpointMS = milliseconds(wire.GetCheckpointAfterTicks(), wire.GetCheckpointAfterMs())
	return s, s.check()
}

// milliseconds returns a duration that is given in one of two units: ticks of 100 ns, or milliseconds.
func milliseconds(ticks int64, ms int32) int64 { return max(ticks/10_000, int64(ms), 0) }

func (s *groupSettings) check() error {
	switch {
	case s.Strategy != strategyRoundRobin && s.Strategy != strategySingle && s.Strategy != strategyPinned:
		return fmt.Errorf("consumer strategy %q is none of %s, %s and %s", s.Strategy, strategyRoundRobin, strategySingle,
			strategyPinned)
	case s.ReadBatch <= 0 || s.HistoryBuffer <= 0 || s.LiveBuffer <= 0:
		return errors.New("buffer sizes have to be greater than 0")
	case s.ReadBatch >= s.HistoryBuffer:
		return errors.New("the read batch size must be less than the history buffer size")
	case s.MaxRetries < 0 || s.MinCheckpoint < 0 || s.MaxSubscribers < 0:
		return errors.New("counts must not be negative")
	case s.MaxCheckpoint < s.MinCheckpoint:
		return errors.New("the maximum checkpoint count must not be less than the minimum checkpoint count")
	default:
		return nil
	}
}

// setFilter reads the filter of a group of the whole log.
func (s *groupSettings) setFilter(wire *persistent.CreateReq_AllOptions_FilterOptions) error {
	if wire == nil {
		return nil
	}
	byStream, byType := wire.GetStreamIdentifier(), wire.GetEventType()
	s.Filter = &streamFilter{
		StreamPrefix: byStream.GetPrefix(), StreamRegex: byStream.GetRegex(), TypePrefix: byType.GetPrefix(),
		TypeRegex: byType.GetRegex(),
	}
	_, err := s.filter()
	return err
}

// filter returns the group's filter in the form that readers of the log use.
func (s *groupSettings) filter() (filter, error) {
	if s.Filter == nil {
		return filter{interest: []string{everything}}, nil
	}
	wire := &streams.ReadReq_Options_FilterOptions{CheckpointIntervalMultiplier: 1}
	if f := s.Filter; f.TypeRegex != "" || len(f.TypePrefix) > 0 {
		wire.Filter = &streams.ReadReq_Options_FilterOptions_EventType{
			EventType: &streams.ReadReq_Options_FilterOptions_Expression{Regex: f.TypeRegex, Prefix: f.TypePrefix},
		}
	} else {
		wire.Filter = &streams.ReadReq_Options_FilterOptions_StreamIdentifier{
			StreamIdentifier: &streams.ReadReq_Options_FilterOptions_Expression{Regex: f.StreamRegex, Prefix: f.StreamPrefix},
		}
	}
	return newFilter(&streams.ReadReq_Options{FilterOption: &streams.ReadReq_Options_Filter{Filter: wire}})
}

// startOf returns the value for groupSettings.Start: revision (a position, for a group of the whole log), or startAtEnd
// when end is true or revision does not fit into an int64.
func startOf(revision uint64, end bool) int64 {
	if end || revision > math.MaxInt64 {
		return startAtEnd
	}
	return int64(revision)
}
