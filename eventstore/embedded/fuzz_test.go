package embedded_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"moviola/eventstore/embedded"
)

// fuzzServer is a server for requests that no client makes.
func fuzzServer(f *testing.F) (wire streams.StreamsClient, client *esdb.Client) {
	f.Helper()
	server, err := embedded.Open(embedded.Config{Dir: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	conn, err := grpc.NewClient(server.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		f.Fatal(err)
	}
	client = newClient(f, server.Addr())
	f.Cleanup(func() {
		if err := errors.Join(client.Close(), conn.Close(), closeServer(server), <-served); err != nil {
			f.Error(err)
		}
	})
	return streams.NewStreamsClient(conn), client
}

// seedReads are requests of every kind.
func seedReads(f *testing.F) {
	f.Helper()
	stream := &streams.ReadReq_Options_Stream{Stream: &streams.ReadReq_Options_StreamOptions{
		StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte("a-1")},
		RevisionOption:   &streams.ReadReq_Options_StreamOptions_Revision{Revision: 1 << 63},
	}}
	all := &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{
		AllOption: &streams.ReadReq_Options_AllOptions_Position{Position: &streams.ReadReq_Options_Position{CommitPosition: 1<<64 - 1}},
	}}
	counted := &streams.ReadReq_Options_Count{Count: 1 << 63}
	subscribed := &streams.ReadReq_Options_Subscription{Subscription: &streams.ReadReq_Options_SubscriptionOptions{}}
	filter := &streams.ReadReq_Options_Filter{Filter: &streams.ReadReq_Options_FilterOptions{
		Filter: &streams.ReadReq_Options_FilterOptions_StreamIdentifier{StreamIdentifier: &streams.ReadReq_Options_FilterOptions_Expression{
			Regex: "^(a|b)+[-]", Prefix: []string{"a-", ""},
		}},
		Window:                       &streams.ReadReq_Options_FilterOptions_Max{Max: 1<<32 - 1},
		CheckpointIntervalMultiplier: 1<<32 - 1,
	}}
	for _, options := range []*streams.ReadReq_Options{
		nil, {}, {StreamOption: stream, CountOption: counted}, {StreamOption: stream, CountOption: subscribed},
		{StreamOption: all, CountOption: counted, ReadDirection: streams.ReadReq_Options_Backwards, FilterOption: filter},
		{StreamOption: all, CountOption: subscribed, FilterOption: filter},
	} {
		encoded, err := proto.Marshal(&streams.ReadReq{Options: options})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded)
	}
}

// FuzzRead sends any read that can be said in the protocol. The server answers it, and goes on.
func FuzzRead(f *testing.F) {
	wire, client := fuzzServer(f)
	seedReads(f)
	appendOptions := esdb.AppendToStreamOptions{ExpectedRevision: esdb.Any{}}
	if _, err := client.AppendToStream(context.Background(), "a-1", appendOptions, events(5)...); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var request streams.ReadReq
		if proto.Unmarshal(encoded, &request) != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond) // a subscription does not end by itself
		defer cancel()
		call, err := wire.Read(ctx, &request)
		for err == nil {
			_, err = call.Recv()
		}
		if _, err := client.AppendToStream(context.Background(), "a-2", appendOptions, events(1)...); err != nil {
			t.Fatalf("after the request %v: %v", &request, err)
		}
	})
}

// FuzzAppend sends any sequence of append messages. The server answers not before the request has ended, and goes on.
func FuzzAppend(f *testing.F) {
	wire, client := fuzzServer(f)
	frame := func(messages ...proto.Message) {
		var framed []byte
		for _, message := range messages {
			encoded, err := proto.Marshal(message)
			if err != nil {
				f.Fatal(err)
			}
			framed = protowire.AppendBytes(framed, encoded)
		}
		f.Add(framed)
	}
	id := &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{MostSignificantBits: -1, LeastSignificantBits: 1}}}
	frame()
	frame(toStream("a-1"))
	frame(toStream("a-1"), message(id, tested, []byte(`{}`)))
	frame(toStream("$$a-1"), message(id, map[string]string{"type": "$metadata", "content-type": "application/json"}, []byte(`{"$tb":9223372036854775807}`)))
	frame(message(id, tested, nil), toStream("a-1"), toStream(""))
	frame(toStream("$all"), message(stringID("no id"), nil, nil))
	f.Fuzz(func(t *testing.T, framed []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		call, err := wire.Append(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for len(framed) > 0 {
			encoded, n := protowire.ConsumeBytes(framed)
			var message streams.AppendReq
			if n < 0 || proto.Unmarshal(encoded, &message) != nil {
				break
			}
			framed = framed[n:]
			if err := call.Send(&message); errors.Is(err, io.EOF) {
				t.Fatal("the server answered before the request had ended")
			}
		}
		_, _ = call.CloseAndRecv() // success, a conflict or a refusal
		if ctx.Err() != nil {
			t.Fatal("the server did not answer")
		}
		if _, err := client.AppendToStream(ctx, "other-1", esdb.AppendToStreamOptions{ExpectedRevision: esdb.Any{}}, events(1)...); err != nil {
			t.Fatalf("the server does not go on: %v", err)
		}
	})
}
