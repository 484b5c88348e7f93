package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"moviola/eventstore"
)

// testMetadata limits streams by their metadata, an event in a stream of its own. The test checks what readers of the stream see.
// Whether the log still has the hidden events differs between servers.
func testMetadata(f *fixture) {
	tests := []struct {
		metadata string
		first    int // revision of the first visible event of ten
	}{
		{`{"$maxCount":3}`, 7},
		{`{"$maxCount":30}`, 0},
		{`{"$tb":4}`, 4},
		{`{"$tb":4,"$maxCount":8}`, 4},
		{`{"$tb":1,"$maxCount":2,"colour":"red"}`, 8},
		{`{"$tb":10}`, 10},
		{`{"$maxAge":3600}`, 0},
		{`{"colour":"red"}`, 0},
	}
	for i, tt := range tests {
		stream := f.stream(fmt.Sprint(i))
		events := proposed(10)
		// The newest metadata event is in force. Both are written before the first event of the stream: events that the older one
		// excludes could be removed at any moment.
		f.mustAppend("$$"+stream, eventstore.NoStream, metadata(`{"$maxCount":1,"$tb":2}`))
		f.mustAppend("$$"+stream, 0, metadata(tt.metadata))
		f.mustAppend(stream, eventstore.NoStream, events...)
		want := events[tt.first:]
		f.wantIDs(tt.metadata, want, f.mustReadStream(stream, eventstore.Forwards, 0))
		f.wantIDs(tt.metadata+" from the middle", events[max(5, tt.first):], f.mustReadStream(stream, eventstore.Forwards, 5))
		f.wantIDs(tt.metadata+" backwards", backwards(want), f.mustReadStream(stream, eventstore.Backwards, -1))
		more := proposed(1)
		if appended := f.mustAppend(stream, 9, more...); appended.Revision != 10 {
			f.Errorf("%s: the next event is at revision %d, want 10", tt.metadata, appended.Revision)
		}
		f.wantIDs(tt.metadata+" and one more", more, f.mustReadStream(stream, eventstore.Forwards, 10))
	}
}

func metadata(data string) eventstore.Proposed {
	return eventstore.Proposed{ID: uuid.New(), Type: "$metadata", Data: []byte(data)}
}

// testDiscard: a discarded stream is one that does not exist, for readers and for appends. What was appended after the last event
// that is discarded stays.
func testDiscard(f *fixture) {
	if d, ok := f.store.(interface {
		Discards(context.Context) (bool, error)
	}); ok {
		if knows, err := d.Discards(f.ctx); err != nil || !knows {
			f.Skipf("this server does not know the property: %v", err)
		}
	}
	stream := f.stream("1")
	f.mustAppend(stream, eventstore.NoStream, proposed(2)...)
	for range 2 { // it may be repeated
		if err := eventstore.Discard(f.ctx, f.store, stream, 1); err != nil {
			f.Fatal(err)
		}
	}
	f.wantIDs("discarded", nil, f.mustReadStream(stream, eventstore.Forwards, 0))
	f.wantIDs("discarded, backwards", nil, f.mustReadStream(stream, eventstore.Backwards, -1))
	again := proposed(1)
	first := f.mustAppend(stream, eventstore.NoStream, again...)
	if repeated := f.mustAppend(stream, eventstore.NoStream, again...); repeated != first {
		f.Errorf("the same append again ended at %v, want %v", repeated, first)
	}
	f.wantIDs("in its new life", again, f.mustReadStream(stream, eventstore.Forwards, 0))
	if _, err := f.store.Append(f.ctx, stream, eventstore.NoStream, proposed(1)...); !errors.Is(err, eventstore.ErrConflict) {
		f.Errorf("another first event: %v, want a conflict", err)
	}
	if err := eventstore.Discard(f.ctx, f.store, stream, first.Revision-1); err != nil { // seen before the new event
		f.Fatal(err)
	}
	f.wantIDs("discarded up to the event before", again, f.mustReadStream(stream, eventstore.Forwards, 0))
	f.mustAppend(stream, first.Revision, proposed(1)...)
}
