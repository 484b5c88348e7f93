package embedded_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded"
)

func TestRead_stream(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(5)...)
	tests := []struct {
		name  string
		dir   esdb.Direction
		from  esdb.StreamPosition
		count uint64
		want  []uint64
	}{
		{"all", esdb.Forwards, esdb.Start{}, 100, []uint64{0, 1, 2, 3, 4}},
		{"two", esdb.Forwards, esdb.Start{}, 2, []uint64{0, 1}},
		{"two in the middle", esdb.Forwards, esdb.Revision(2), 2, []uint64{2, 3}},
		{"none", esdb.Forwards, esdb.Start{}, 0, []uint64{}},
		{"forwards from the end", esdb.Forwards, esdb.End{}, 10, []uint64{}},
		{"beyond the end", esdb.Forwards, esdb.Revision(5), 10, []uint64{}},
		{"backwards", esdb.Backwards, esdb.End{}, 100, []uint64{4, 3, 2, 1, 0}},
		{"backwards from the middle", esdb.Backwards, esdb.Revision(2), 2, []uint64{2, 1}},
		{"backwards from beyond the end", esdb.Backwards, esdb.Revision(50), 2, []uint64{4, 3}},
		{"backwards from the start", esdb.Backwards, esdb.Start{}, 10, []uint64{0}},
	}
	for _, tt := range tests {
		got, err := h.read("a", esdb.ReadStreamOptions{Direction: tt.dir, From: tt.from}, tt.count)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, revisions (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// TestRead_metadata hides events by each key of a stream's metadata that does.
func TestRead_metadata(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	tests := []struct {
		name string
		meta func(*esdb.StreamMetadata)
		want []uint64
	}{
		{"nothing", func(*esdb.StreamMetadata) {}, []uint64{0, 1, 2, 3, 4}},
		{"truncate before", func(m *esdb.StreamMetadata) { m.SetTruncateBefore(3) }, []uint64{3, 4}},
		{"truncate everything", func(m *esdb.StreamMetadata) { m.SetTruncateBefore(99) }, []uint64{}},
		{"count", func(m *esdb.StreamMetadata) { m.SetMaxCount(2) }, []uint64{3, 4}},
		{"count and truncate", func(m *esdb.StreamMetadata) { m.SetMaxCount(4); m.SetTruncateBefore(2) }, []uint64{2, 3, 4}},
		{"a long age", func(m *esdb.StreamMetadata) { m.SetMaxAge(time.Hour) }, []uint64{0, 1, 2, 3, 4}},
	}
	for i, tt := range tests {
		stream := fmt.Sprintf("a-%d", i)
		h.mustAppend(stream, esdb.NoStream{}, events(5)...)
		var meta esdb.StreamMetadata
		tt.meta(&meta)
		if _, err := h.client.SetStreamMetadata(h.ctx, stream, esdb.AppendToStreamOptions{}, meta); err != nil {
			t.Fatal(err)
		}
		for _, options := range []esdb.ReadStreamOptions{{}, {Direction: esdb.Backwards, From: esdb.End{}}} {
			want := tt.want
			if options.Direction == esdb.Backwards {
				want = turned(want)
			}
			got, err := h.read(stream, options, 10)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s, direction %v: %v, revisions (-want +got):\n%s", tt.name, options.Direction, err, diff)
			}
		}
		known, err := h.client.GetStreamMetadata(h.ctx, stream, esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}})
		if err != nil {
			t.Fatal(err)
		}
		want := []any{meta.TruncateBefore(), meta.MaxCount(), meta.MaxAge()}
		if diff := cmp.Diff(want, []any{known.TruncateBefore(), known.MaxCount(), known.MaxAge()}); diff != "" {
			t.Errorf("%s: metadata (-want +got):\n%s", tt.name, diff)
		}
	}
}

func turned(revisions []uint64) []uint64 {
	back := []uint64{}
	for i := len(revisions) - 1; i >= 0; i-- {
		back = append(back, revisions[i])
	}
	return back
}

func TestRead_all(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	all := events(5)
	for i, event := range all {
		h.mustAppend(fmt.Sprintf("a-%d", i%2), esdb.Any{}, event)
	}
	third := esdb.Position{Commit: 3, Prepare: 3}
	tests := []struct {
		name  string
		dir   esdb.Direction
		from  esdb.AllPosition
		count uint64
		want  []uint64 // positions
	}{
		{"all", esdb.Forwards, esdb.Start{}, 10, []uint64{1, 2, 3, 4, 5}},
		{"from a position, included", esdb.Forwards, third, 2, []uint64{3, 4}},
		{"forwards from the end", esdb.Forwards, esdb.End{}, 10, nil},
		{"backwards", esdb.Backwards, esdb.End{}, 2, []uint64{5, 4}},
		{"backwards from a position, excluded", esdb.Backwards, third, 10, []uint64{2, 1}},
		{"backwards from the start", esdb.Backwards, esdb.Start{}, 10, nil},
	}
	for _, tt := range tests {
		read, err := h.client.ReadAll(h.ctx, esdb.ReadAllOptions{Direction: tt.dir, From: tt.from}, tt.count)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for event, err := range received(read) {
			if err != nil {
				t.Fatal(err)
			}
			recorded := event.OriginalEvent()
			got = append(got, recorded.Position.Commit)
			if recorded.EventID != all[recorded.Position.Commit-1].EventID {
				t.Errorf("%s: another event stands at %d", tt.name, recorded.Position.Commit)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: positions (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestRead_wire reads in ways that the protocol has and the official client has not: filtered, and with ids as text.
func TestRead_wire(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	all := events(4)
	h.mustAppend("a-1", esdb.Any{}, all[:2]...)
	h.mustAppend("b-1", esdb.Any{}, all[2:]...)
	request := fromStart(&streams.ReadReq_Options_FilterOptions{
		Filter:                       &streams.ReadReq_Options_FilterOptions_StreamIdentifier{StreamIdentifier: prefix("b-")},
		CheckpointIntervalMultiplier: 1,
	})
	request.Options.CountOption = &streams.ReadReq_Options_Count{Count: 10}
	request.Options.UuidOption = &streams.ReadReq_Options_UUIDOption{
		Content: &streams.ReadReq_Options_UUIDOption_String_{String_: &shared.Empty{}},
	}
	call, err := h.wire.Read(h.ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range all[2:] {
		answer, err := call.Recv()
		if err != nil || answer.GetEvent().GetEvent().GetId().GetString_() != want.EventID.String() {
			t.Errorf("answer %v, %v, want event %v", answer, err, want.EventID)
		}
	}
	if answer, err := call.Recv(); err == nil {
		t.Errorf("one answer too many: %v", answer)
	}
}

func TestRead_refused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	counted := &streams.ReadReq_Options_Count{Count: 1}
	all := &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{}}
	following := &streams.ReadReq_Options_Subscription{Subscription: &streams.ReadReq_Options_SubscriptionOptions{}}
	regex := func(text string) *streams.ReadReq_Options_Filter {
		return &streams.ReadReq_Options_Filter{Filter: &streams.ReadReq_Options_FilterOptions{
			Filter: &streams.ReadReq_Options_FilterOptions_EventType{
				EventType: &streams.ReadReq_Options_FilterOptions_Expression{Regex: text},
			},
			CheckpointIntervalMultiplier: 1,
		}}
	}
	never := regex("a")
	never.Filter.CheckpointIntervalMultiplier = 0
	empty := regex("a")
	empty.Filter.Filter = nil
	for name, options := range map[string]*streams.ReadReq_Options{
		"of nothing":         {CountOption: counted},
		"of a stream's name": {StreamOption: &streams.ReadReq_Options_Stream{Stream: &streams.ReadReq_Options_StreamOptions{}}},
		"look-ahead":         {StreamOption: all, CountOption: following, FilterOption: regex("^(?!a)")},
		"no checkpoints":     {StreamOption: all, CountOption: following, FilterOption: never},
		"no expression":      {StreamOption: all, CountOption: counted, FilterOption: empty},
		"backwards": {StreamOption: all, CountOption: following,
			ReadDirection: streams.ReadReq_Options_Backwards},
	} {
		call, err := h.wire.Read(h.ctx, &streams.ReadReq{Options: options})
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := call.Recv(); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: answered with %v, %v, want %v", name, answer, err, codes.InvalidArgument)
		}
	}
}

// TestVersion checks what clients make their other behaviour depend on.
func TestVersion(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	if version, err := h.client.GetServerVersion(); err != nil || version.Major != 23 {
		t.Errorf("server version %+v, %v", version, err)
	}
}

// fromStart is a request for the log from its start, matching a filter.
func fromStart(filter *streams.ReadReq_Options_FilterOptions) *streams.ReadReq {
	return &streams.ReadReq{Options: &streams.ReadReq_Options{
		StreamOption: &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{
			AllOption: &streams.ReadReq_Options_AllOptions_Start{Start: &shared.Empty{}},
		}},
		FilterOption: &streams.ReadReq_Options_Filter{Filter: filter},
	}}
}

func prefix(prefixes ...string) *streams.ReadReq_Options_FilterOptions_Expression {
	return &streams.ReadReq_Options_FilterOptions_Expression{Prefix: prefixes}
}

// TestRead_largeEvents reads pages that end by their bytes and not by their number of events.
func TestRead_largeEvents(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	const count = 12
	for range count {
		h.mustAppend("a", esdb.Any{}, esdb.EventData{
			EventID: uuid.New(), EventType: "Large", ContentType: esdb.ContentTypeBinary, Data: make([]byte, 900<<10),
		})
	}
	for _, options := range []esdb.ReadStreamOptions{{}, {Direction: esdb.Backwards, From: esdb.End{}}} {
		if got, err := h.read("a", options, 1000); err != nil || len(got) != count {
			t.Errorf("read %d events, %v, want %d", len(got), err, count)
		}
	}
}
