package embedded_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
)

// TestPass: calls through the socket need the pass of this start of the server; its file is for this user alone.
func TestPass(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir, NeedsPass: true})
	file := eventstore.PassFile(strings.TrimPrefix(h.server.Addr(), "unix://"))
	first := readPass(t, file)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the pass: %v, %v, want mode 600", info, err)
	}
	h.expectPass(first)
	if err := closeServer(h.server); err != nil {
		t.Fatal(err)
	}
	again := newHarness(t, embedded.Config{Dir: dir, NeedsPass: true})
	second := readPass(t, file)
	if second == first {
		t.Error("a pass outlives the start that it was made for")
	}
	again.expectPass(second, first)
}

// expectPass calls the server with a pass, with none, and with wrong ones, in metadata of their own.
func (h *harness) expectPass(right string, wrong ...string) {
	h.Helper()
	contexts := map[string]context.Context{"no pass": h.ctx}
	for _, pass := range append(wrong, "", right+"0", strings.ToUpper(right)+"x") {
		contexts["the pass "+pass] = metadata.AppendToOutgoingContext(h.ctx, eventstore.PassHeader, pass)
	}
	contexts["two passes"] = metadata.AppendToOutgoingContext(h.ctx, eventstore.PassHeader, right, eventstore.PassHeader, right)
	for name, ctx := range contexts {
		if err := h.readEnd(ctx); status.Code(err) != codes.Unavailable {
			h.Errorf("a read with %s: %v, want unavailable", name, err)
		}
		if err := h.appendOne(ctx); status.Code(err) != codes.Unavailable {
			h.Errorf("an append with %s: %v, want unavailable", name, err)
		}
	}
	ctx := metadata.AppendToOutgoingContext(h.ctx, eventstore.PassHeader, right)
	if err := h.appendOne(ctx); err != nil {
		h.Errorf("an append with the pass: %v", err)
	}
	if err := h.readEnd(ctx); err != nil {
		h.Errorf("a read with the pass: %v", err)
	}
	if _, err := serverfeatures.NewServerFeaturesClient(h.conn).GetSupportedMethods(h.ctx, &shared.Empty{}); err != nil {
		h.Errorf("what the server can do is not told without the pass: %v", err)
	}
}

func readPass(t *testing.T, file string) string {
	t.Helper()
	pass, err := os.ReadFile(file)
	if err != nil || len(pass) != 64 {
		t.Fatalf("the pass is %d characters, %v", len(pass), err)
	}
	return string(pass)
}

// readEnd reads the newest event, if there is one.
func (h *harness) readEnd(ctx context.Context) error {
	request := fromStart(nil)
	request.Options.CountOption = &streams.ReadReq_Options_Count{Count: 1}
	request.Options.FilterOption = &streams.ReadReq_Options_NoFilter{NoFilter: &shared.Empty{}}
	call, err := h.wire.Read(ctx, request)
	if err != nil {
		return err
	}
	for {
		_, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// appendOne appends an event to a stream of its own.
func (h *harness) appendOne(ctx context.Context) error {
	call, err := h.wire.Append(ctx)
	if err != nil {
		return err
	}
	for _, sent := range []*streams.AppendReq{toStream(uuid.NewString()), message(stringID(uuid.NewString()), tested, nil)} {
		if err := call.Send(sent); err != nil {
			break // the call has ended: its status says why
		}
	}
	_, err = call.CloseAndRecv()
	return err
}
