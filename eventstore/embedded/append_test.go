package embedded_test

import (
	"errors"
	"io"
	"iter"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded"
)

// received yields what a read gives until its end.
func received(read *esdb.ReadStream) iter.Seq2[*esdb.ResolvedEvent, error] {
	return func(yield func(*esdb.ResolvedEvent, error) bool) {
		for {
			event, err := read.Recv()
			if errors.Is(err, io.EOF) || !yield(event, err) || err != nil {
				return
			}
		}
	}
}

func wantCode(t *testing.T, what string, err error, want esdb.ErrorCode) {
	t.Helper()
	var failure *esdb.Error
	if !errors.As(err, &failure) || !failure.IsErrorCode(want) {
		t.Errorf("%s: the error is %v, want code %d", what, err, want)
	}
}

// TestAppend_expected goes through every kind of expected revision, on streams that have no event, three, or were deleted.
func TestAppend_expected(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	const conflict, deleted = esdb.ErrorCodeWrongExpectedVersion, esdb.ErrorCodeStreamDeleted
	const good = esdb.ErrorCode(-1)
	tests := []struct {
		name                 string
		expected             esdb.ExpectedRevision
		empty, three, erased esdb.ErrorCode
	}{
		{"any", esdb.Any{}, good, good, good},
		{"no stream", esdb.NoStream{}, good, conflict, good},
		{"stream exists", esdb.StreamExists{}, conflict, good, deleted},
		{"the last revision", esdb.Revision(2), conflict, good, good},
		{"a revision before", esdb.Revision(1), conflict, conflict, conflict},
		{"a revision beyond", esdb.Revision(3), conflict, conflict, conflict},
	}
	for _, tt := range tests {
		for state, want := range map[string]esdb.ErrorCode{"empty": tt.empty, "three": tt.three, "erased": tt.erased} {
			stream := state + "-" + uuid.NewString()
			first := uint64(0)
			if state != "empty" {
				h.mustAppend(stream, esdb.NoStream{}, events(3)...)
				first = 3
			}
			if state == "erased" {
				if _, err := h.client.DeleteStream(h.ctx, stream, esdb.DeleteStreamOptions{ExpectedRevision: esdb.Revision(2)}); err != nil {
					t.Fatal(err)
				}
			}
			written, err := h.append(stream, tt.expected, events(2)...)
			if want != good {
				wantCode(t, tt.name+" of "+state, err, want)
				continue
			}
			if err != nil || written.NextExpectedVersion != first+1 {
				t.Errorf("%s of %s: %+v, %v, want revision %d", tt.name, state, written, err, first+1)
				continue
			}
			got, err := h.read(stream, esdb.ReadStreamOptions{From: esdb.Revision(first)}, 10)
			if diff := cmp.Diff([]uint64{first, first + 1}, got); diff != "" || err != nil {
				t.Errorf("%s of %s: %v, revisions (-want +got):\n%s", tt.name, state, err, diff)
			}
		}
	}
}

// TestAppend_repeatedByID repeats appends that name no revision: they are recognised by their ids, for ever.
func TestAppend_repeatedByID(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	all := events(6)
	h.mustAppend("a", esdb.Any{}, all[:2]...)
	h.mustAppend("a", esdb.Any{}, all[2:4]...)
	again := h.mustAppend("a", esdb.Any{}, all[:2]...)
	if again.NextExpectedVersion != 1 {
		t.Errorf("a repeated append ended at %d, want 1", again.NextExpectedVersion)
	}
	h.mustAppend("a", esdb.StreamExists{}, all[2:4]...)
	_, err := h.append("a", esdb.Any{}, all[3], all[4])
	wantCode(t, "known and new events in one append", err, esdb.ErrorCodeWrongExpectedVersion)
	h.mustAppend("b", esdb.Any{}, all[:2]...) // ids count within a stream
	for stream, want := range map[string][]uint64{"a": {0, 1, 2, 3}, "b": {0, 1}} {
		got, err := h.read(stream, esdb.ReadStreamOptions{}, 100)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("stream %s: %v, revisions (-want +got):\n%s", stream, err, diff)
		}
	}
}

func TestAppend_nothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	answer, err := h.send(toStream("a"))
	if err != nil {
		t.Fatal(err)
	}
	if answer.GetSuccess().GetNoStream() == nil || answer.GetSuccess().GetNoPosition() == nil {
		t.Errorf("an append of nothing to no stream is answered with %v", answer)
	}
	h.mustAppend("a", esdb.NoStream{}, events(2)...)
	answer, err = h.send(toStream("a"))
	if err != nil || answer.GetWrongExpectedVersion().GetCurrentRevision() != 1 {
		t.Errorf("an append of nothing at another revision is answered with %v, %v", answer, err)
	}
}

// TestAppend_refused sends what the official client would not, and reads status and trailers, which clients rely on.
func TestAppend_refused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	id := stringID(uuid.NewString())
	big := message(id, tested, make([]byte, 100<<10))
	tests := []struct {
		name     string
		messages []*streams.AppendReq
		code     codes.Code
		trailers map[string]string
	}{
		{"no options", []*streams.AppendReq{message(id, tested, nil)}, codes.InvalidArgument, nil},
		{"an empty request", nil, codes.InvalidArgument, nil},
		{"no stream", []*streams.AppendReq{toStream("")}, codes.InvalidArgument, nil},
		{"the log itself", []*streams.AppendReq{toStream("$all")}, codes.InvalidArgument, nil},
		{"no id", []*streams.AppendReq{toStream("a"), message(nil, tested, nil)}, codes.InvalidArgument, nil},
		{"no UUID", []*streams.AppendReq{toStream("a"), message(stringID("x"), tested, nil)}, codes.InvalidArgument, nil},
		{"an unknown content type",
			[]*streams.AppendReq{toStream("a"), message(id, map[string]string{"type": "T", "content-type": "text/html"}, nil)},
			codes.InvalidArgument, nil},
		{"no type", []*streams.AppendReq{toStream("a"), message(id, map[string]string{"content-type": "application/json"}, nil)},
			codes.InvalidArgument, map[string]string{
				"exception": "missing-required-metadata-property", "required-metadata-properties": "type,content-type"}},
		{"too much", append([]*streams.AppendReq{toStream("a")}, repeat(big, 40)...), codes.InvalidArgument, map[string]string{
			"exception": "maximum-append-size-exceeded", "maximum-append-size": "1048576"}},
	}
	for _, tt := range tests {
		call, err := h.wire.Append(h.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range tt.messages {
			if err := call.Send(message); err != nil {
				t.Errorf("%s: the server ended the request before it was sent: %v", tt.name, err)
			}
		}
		answer, err := call.CloseAndRecv()
		if status.Code(err) != tt.code {
			t.Errorf("%s: answered with %v, %v, want %v", tt.name, answer, err, tt.code)
		}
		for name, want := range tt.trailers {
			if got := call.Trailer().Get(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s: trailer %s is %q, want %q", tt.name, name, got, want)
			}
		}
	}
	if _, err := h.read("a", esdb.ReadStreamOptions{}, 1); err == nil {
		t.Error("a refused append left a stream")
	}
	_, err := h.append("a", esdb.Any{}, esdb.EventData{EventID: uuid.New(), EventType: "Tested", Data: make([]byte, 2<<20)})
	if !errors.As(err, new(*esdb.Error)) || status.Code(err) != codes.InvalidArgument {
		t.Errorf("an append of 2 MiB through the client: %v", err)
	}
}

func repeat(message *streams.AppendReq, n int) []*streams.AppendReq {
	messages := make([]*streams.AppendReq, n)
	for i := range messages {
		messages[i] = message
	}
	return messages
}

// TestDelete deletes streams softly: they are not found, and come back with the next revision.
func TestDelete(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(3)...)
	position, err := h.client.DeleteStream(h.ctx, "a", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Any{}})
	if err != nil || position.Position.Commit == 0 {
		t.Fatalf("delete: %+v, %v", position, err)
	}
	for _, dir := range []esdb.Direction{esdb.Forwards, esdb.Backwards} {
		_, err = h.read("a", esdb.ReadStreamOptions{Direction: dir, From: esdb.Start{}}, 10)
		wantCode(t, "read a deleted stream", err, esdb.ErrorCodeResourceNotFound)
	}
	h.mustAppend("a", esdb.NoStream{}, events(2)...)
	got, err := h.read("a", esdb.ReadStreamOptions{}, 10)
	if diff := cmp.Diff([]uint64{3, 4}, got); diff != "" || err != nil {
		t.Errorf("a stream that came back: %v, revisions (-want +got):\n%s", err, diff)
	}
}

func TestDelete_refused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(3)...)
	remove := func(stream string, revision uint64) metadata.MD {
		var trailers metadata.MD
		_, err := h.wire.Delete(h.ctx, &streams.DeleteReq{Options: &streams.DeleteReq_Options{
			StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
			ExpectedStreamRevision: &streams.DeleteReq_Options_Revision{Revision: revision},
		}}, grpc.Trailer(&trailers))
		if status.Code(err) != codes.FailedPrecondition {
			t.Errorf("delete %s at %d: %v, want %v", stream, revision, err, codes.FailedPrecondition)
		}
		return trailers
	}
	trailers := remove("a", 1)
	for name, want := range map[string]string{
		"exception": "wrong-expected-version", "stream-name": "a", "expected-version": "1", "actual-version": "2",
	} {
		if got := trailers.Get(name); len(got) != 1 || got[0] != want {
			t.Errorf("trailer %s is %q, want %q", name, got, want)
		}
	}
	if got := remove("grün\n", 0).Get("stream-name"); len(got) != 1 || got[0] != "gr%C3%BCn%0A" {
		t.Errorf("trailer stream-name of a stream whose name no trailer can carry is %q", got)
	}
	if got := remove("none", 0).Get("actual-version"); len(got) != 1 || got[0] != "-1" {
		t.Errorf("trailer actual-version of a missing stream is %q, want -1", got)
	}
	_, err := h.client.DeleteStream(h.ctx, "none", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Any{}})
	if err == nil {
		t.Error("a missing stream was deleted")
	}
}
