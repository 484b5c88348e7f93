package embedded

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// groupKey names a persistent subscription: a group of consumers that share the events of a stream, or of the log ("$all").
type groupKey struct{ stream, name string }

func (k groupKey) all() bool { return k.stream == allStream }

// parkedStream holds links to the events that the group's consumers could not handle.
func (k groupKey) parkedStream() string { return groupStreams + k.stream + "::" + k.name + "-parked" }

// groupStreams begins the names of the streams that persistent subscriptions write. A group of the whole log does not get them: it would
// be given what it parks.
const groupStreams = "$persistentsubscription-"

// Strategies by which a group's events go to its consumers.
const (
	strategyRoundRobin = "RoundRobin"       // to each in turn
	strategySingle     = "DispatchToSingle" // to the first, and to the next one only what the first has no room for
	strategyPinned     = "Pinned"           // those of a stream always to the same
)

// groupSettings is what a group was created with, as it is kept.
type groupSettings struct {
	ResolveLinks     bool          `json:"resolveLinks,omitempty"`
	ExtraStatistics  bool          `json:"extraStatistics,omitempty"`
	MaxRetries       int32         `json:"maxRetries"`
	MinCheckpoint    int32         `json:"minCheckpoint"`    // events done with before a checkpoint is due by time
	MaxCheckpoint    int32         `json:"maxCheckpoint"`    // events done with before one is due at once
	MaxSubscribers   int32         `json:"maxSubscribers"`   // 0: any number
	LiveBuffer       int32         `json:"liveBuffer"`       // kept for clients that ask; one buffer serves history and live events
	ReadBatch        int32         `json:"readBatch"`        // events that are read ahead
	HistoryBuffer    int32         `json:"historyBuffer"`    // bounds ReadBatch
	MessageTimeoutMS int64         `json:"messageTimeoutMs"` // until an event that nobody answered for is sent again; 0: never
	CheckpointMS     int64         `json:"checkpointMs"`
	Strategy         string        `json:"strategy"`
	Start            int64         `json:"start"`  // the first event: a revision, or a position of the log; startAtEnd: what comes after the creation
	Behind           int64         `json:"behind"` // the event before the first, found out at the creation
	Filter           *streamFilter `json:"filter,omitempty"`
}

// startAtEnd is the start of a group that gets nothing of what was there before it.
const startAtEnd = -1

// streamFilter is the filter of a group of the whole log. The first of its parts that is set counts.
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
	if s.Strategy == "" { // an older client
		//lint:ignore SA1019 it counts where the newer field is missing
		s.Strategy = wire.GetNamedConsumerStrategy().String()
	}
	s.MessageTimeoutMS = milliseconds(wire.GetMessageTimeoutTicks(), wire.GetMessageTimeoutMs())
	s.CheckpointMS = milliseconds(wire.GetCheckpointAfterTicks(), wire.GetCheckpointAfterMs())
	return s, s.check()
}

// milliseconds is a time in one of its two units; ticks are of 100 ns.
func milliseconds(ticks int64, ms int32) int64 { return max(ticks/10_000, int64(ms), 0) }

func (s *groupSettings) check() error {
	switch {
	case s.Strategy != strategyRoundRobin && s.Strategy != strategySingle && s.Strategy != strategyPinned:
		return fmt.Errorf("consumer strategy %q is none of %s, %s and %s", s.Strategy, strategyRoundRobin, strategySingle, strategyPinned)
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
		StreamPrefix: byStream.GetPrefix(), StreamRegex: byStream.GetRegex(), TypePrefix: byType.GetPrefix(), TypeRegex: byType.GetRegex(),
	}
	_, err := s.filter()
	return err
}

// filter is the group's filter as a reader of the log uses it.
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

// startOf reads the revision or position that a group starts at.
func startOf(revision uint64, end bool) int64 {
	if end || revision > math.MaxInt64 {
		return startAtEnd
	}
	return int64(revision)
}
