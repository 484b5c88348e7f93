package sqlite

import (
	"bufio"
	"bytes"
	"fmt"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"moviola/projections"
)

// inBSON is the encoding of tables whose bodies are BSON. Versions of this program before the change to JSON have created
// them. Such a table keeps this encoding until a rebuild has replaced it, because a process of such a version may be using
// it.
type inBSON struct{}

func (inBSON) encode(document any) (projections.Body, error) {
	var out bytes.Buffer
	encoder := bson.NewEncoder(bson.NewDocumentWriter(&out))
	encoder.UseJSONStructTags()
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("encode a %T: %w", document, err)
	}
	return formerBody(out.Bytes()), nil
}

func (inBSON) keys(indexes []projections.Index, doc projections.Body, id string, _ any) ([][]byte, error) {
	raw, ok := doc.(formerBody)
	if !ok {
		return nil, fmt.Errorf("a table of BSON holds a %T", doc)
	}
	return eachIndex(indexes, id, func(key []byte, field projections.Field) ([]byte, error) {
		value, err := bson.Raw(raw).LookupErr(field.Name)
		if err != nil {
			return nil, err
		}
		switch value.Type {
		case bson.TypeInt32:
			return appendValue(key, int64(value.Int32()), field.Descending)
		case bson.TypeInt64:
			return appendValue(key, value.Int64(), field.Descending)
		case bson.TypeString:
			return appendValue(key, value.StringValue(), field.Descending)
		case bson.TypeBoolean:
			return appendValue(key, value.Boolean(), field.Descending)
		case bson.TypeDateTime:
			return appendValue(key, value.Time(), field.Descending)
		}
		return nil, fmt.Errorf("a %s cannot be indexed", value.Type)
	})
}

// formerBody is a stored document in BSON.
type formerBody bson.Raw

// readers holds buffered readers that no decoder uses now. Without them, decoding would allocate a reader of 4 KiB for every
// document.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// Decode implements projections.Body.
func (b formerBody) Decode(into any) error {
	reader := readers.Get().(*bufio.Reader)
	defer readers.Put(reader)
	reader.Reset(bytes.NewReader(b))
	decoder := bson.NewDecoder(bson.NewDocumentReader(reader))
	decoder.UseJSONStructTags()
	return decoder.Decode(into)
}
