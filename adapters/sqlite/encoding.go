package sqlite

import (
	"bufio"
	"bytes"
	"fmt"
	"net/url"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// encode turns a document into BSON, by its json tags: the types that MongoDB would keep are the ones kept here.
func encode(document any) (bson.Raw, error) {
	var out bytes.Buffer
	encoder := bson.NewEncoder(bson.NewDocumentWriter(&out))
	encoder.UseJSONStructTags()
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("encode a %T: %w", document, err)
	}
	return out.Bytes(), nil
}

// body is a stored document.
type body bson.Raw

// readers are at rest: the decoder would make a new one, with 4 KiB, for every document.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// Decode implements projections.Body.
func (b body) Decode(into any) error {
	reader := readers.Get().(*bufio.Reader)
	defer readers.Put(reader)
	reader.Reset(bytes.NewReader(b))
	decoder := bson.NewDecoder(bson.NewDocumentReader(reader))
	decoder.UseJSONStructTags()
	return decoder.Decode(into)
}

// escape makes a path fit for a file: URI.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }
