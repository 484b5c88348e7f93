package embedded

import (
	"math"
	"regexp"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
)

// filter says which events of the log a reader wants, and how often it wants a checkpoint.
type filter struct {
	matchFunc func(stream, kind string) bool // nil: every event
	interval  int64                          // number of events searched between two checkpoints, matching or not; 0: no checkpoints
	interest  []string                       // keys of tail.sleepers under which a waiting subscriber is woken
}

func (f filter) matches(r *logfile.Record) bool {
	return f.matchFunc == nil || f.matchFunc(r.Stream, r.Kind)
}

// defaultWindow is the number of events that the client's checkpointIntervalMultiplier multiplies when the client names no
// number. The product is how many events are searched between two checkpoints.
const defaultWindow = 32

// newFilter reads a request's filter. Regular expressions are RE2; those of .NET with look-ahead or look-behind are refused.
func newFilter(options *streams.ReadReq_Options) (filter, error) {
	wire := options.GetFilter()
	if wire == nil {
		return filter{interest: []string{everything}}, nil
	}
	if wire.GetCheckpointIntervalMultiplier() == 0 {
		return filter{}, status.Error(codes.InvalidArgument, "checkpointIntervalMultiplier must be greater than 0")
	}
	window := uint64(defaultWindow)
	if max := wire.GetMax(); max > 0 {
		window = uint64(max)
	}
	f := filter{
		interval: int64(min(window*uint64(wire.GetCheckpointIntervalMultiplier()), math.MaxInt32)),
		interest: interestOf(wire.GetStreamIdentifier().GetPrefix()),
	}
	byStream, byType := wire.GetStreamIdentifier(), wire.GetEventType()
	switch {
	case byStream != nil:
		match, err := newMatcher(byStream)
		f.matchFunc = func(stream, _ string) bool { return match(stream) }
		return f, err
	case byType != nil:
		match, err := newMatcher(byType)
		f.matchFunc = func(_, kind string) bool { return match(kind) }
		return f, err
	default:
		return filter{}, status.Error(codes.InvalidArgument, "a filter needs an expression for streams or types")
	}
}

// interestOf returns what wakes a subscriber whose filter has stream prefixes: the categories, when every prefix names a whole
// category, and otherwise every record.
func interestOf(prefixes []string) []string {
	for _, prefix := range prefixes {
		if strings.IndexByte(prefix, '-') != len(prefix)-1 {
			return []string{everything}
		}
	}
	if len(prefixes) == 0 {
		return []string{everything}
	}
	return prefixes
}

// newMatcher compiles a filter expression: a list of prefixes, or a regular expression that may match anywhere in the text.
func newMatcher(expression *streams.ReadReq_Options_FilterOptions_Expression) (func(string) bool, error) {
	if prefixes := expression.GetPrefix(); len(prefixes) > 0 {
		return func(name string) bool {
			for _, prefix := range prefixes {
				if strings.HasPrefix(name, prefix) {
					return true
				}
			}
			return false
		}, nil
	}
	compiled, err := regexp.Compile(expression.GetRegex())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "the filter's expression is not supported: %v", err)
	}
	return compiled.MatchString, nil
}
