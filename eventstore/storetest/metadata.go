package storetest

import (
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
