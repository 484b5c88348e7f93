package embedded_test

import (
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/emptypb"

	"moviola/eventstore/embedded"
)

// batchOf is one message of a batch append, with n events of so many bytes each.
func batchOf(id, stream string, after int, final bool, n, bytes int) *streams.BatchAppendReq {
	options := &streams.BatchAppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
		ExpectedStreamPosition: &streams.BatchAppendReq_Options_StreamPosition{StreamPosition: uint64(after)},
	}
	if after < 0 {
		options.ExpectedStreamPosition = &streams.BatchAppendReq_Options_NoStream{NoStream: &emptypb.Empty{}}
	}
	request := &streams.BatchAppendReq{CorrelationId: stringID(id), Options: options, IsFinal: final}
	for range n {
		request.ProposedMessages = append(request.ProposedMessages, &streams.BatchAppendReq_ProposedMessage{
			Id: stringID(uuid.NewString()), Metadata: tested, Data: make([]byte, bytes),
		})
	}
	return request
}

// TestBatchAppend sends appends without waiting: each is answered by its own id, in order, and a refused one holds none of the others up.
func TestBatchAppend(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	if _, err := h.client.TombstoneStream(h.ctx, "buried", esdb.TombstoneStreamOptions{ExpectedRevision: esdb.NoStream{}}); err != nil {
		t.Fatal(err)
	}
	h.mustAppend("there", esdb.NoStream{}, events(3)...)
	call, err := h.wire.BatchAppend(h.ctx)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	send := func(name string, request func(id string) *streams.BatchAppendReq) {
		t.Helper()
		id := uuid.NewString()
		for known, as := range ids {
			if as == name {
				id = known
			}
		}
		ids[id] = name
		if err := call.Send(request(id)); err != nil {
			t.Fatal(err)
		}
	}
	send("in two parts", func(id string) *streams.BatchAppendReq { return batchOf(id, "parts", -1, false, 2, 10) })
	send("first", func(id string) *streams.BatchAppendReq { return batchOf(id, "a", -1, true, 1, 10) })
	send("second", func(id string) *streams.BatchAppendReq { return batchOf(id, "a", 0, true, 3, 10) })
	send("conflict", func(id string) *streams.BatchAppendReq { return batchOf(id, "there", 7, true, 1, 10) })
	send("too large", func(id string) *streams.BatchAppendReq { return batchOf(id, "large", -1, true, 1, 2<<20) })
	send("in two parts", func(id string) *streams.BatchAppendReq { return batchOf(id, "parts", -1, true, 1, 10) })
	send("no name", func(id string) *streams.BatchAppendReq { return batchOf(id, "", -1, true, 1, 10) })
	send("deleted", func(id string) *streams.BatchAppendReq { return batchOf(id, "buried", -1, true, 1, 10) })
	if err := call.CloseSend(); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Name     string
		Revision uint64
		Position uint64
		Code     codes.Code
		Details  string // the type of an error's details, by which clients know it
	}
	want := []answer{
		{Name: "first", Position: 5}, {Name: "second", Revision: 3, Position: 8},
		{Name: "conflict", Code: codes.Unknown, Details: "WrongExpectedVersion"},
		{Name: "too large", Code: codes.InvalidArgument, Details: "MaximumAppendSizeExceeded"},
		{Name: "in two parts", Revision: 2, Position: 11},
		{Name: "no name", Code: codes.InvalidArgument, Details: "BadRequest"},
		{Name: "deleted", Code: codes.FailedPrecondition, Details: "StreamDeleted"},
	}
	var got []answer
	for range want {
		told, err := call.Recv()
		if err != nil {
			t.Fatalf("after %+v: %v", got, err)
		}
		got = append(got, answer{
			ids[told.GetCorrelationId().GetString_()], told.GetSuccess().GetCurrentRevision(),
			told.GetSuccess().GetPosition().GetCommitPosition(), codes.Code(told.GetError().GetCode()), "",
		})
		for _, details := range told.GetError().GetDetails() {
			got[len(got)-1].Details = strings.TrimPrefix(string(details.MessageName()), "event_store.client.")
		}
		if got[len(got)-1].Name == "conflict" {
			var wrong shared.WrongExpectedVersion
			if err := told.GetError().GetDetails()[0].UnmarshalTo(&wrong); err != nil || wrong.GetCurrentStreamRevision() != 2 {
				t.Errorf("the conflict says %v, %v", &wrong, err)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if revisions, err := h.read("parts", esdb.ReadStreamOptions{}, 10); err != nil || len(revisions) != 3 {
		t.Errorf("the append in two parts: %v, %v", revisions, err)
	}
}

// TestBatchAppend_close: a call that is open and idle does not hold up the end of the server.
func TestBatchAppend_close(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	call, err := h.wire.BatchAppend(h.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Send(batchOf(uuid.NewString(), "a", -1, true, 1, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Recv(); err != nil {
		t.Fatal(err)
	}
	if err := closeServer(h.server); err != nil {
		t.Error(err)
	}
	if _, err := call.Recv(); err == nil {
		t.Error("the call goes on after the end of the server")
	}
}
