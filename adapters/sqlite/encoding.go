package sqlite

import (
	"fmt"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"moviola/projections"
)

// timeForm is the format of times: ISO 8601 in UTC with milliseconds, always of the same length, so that the texts sort like the
// times.
const timeForm = "2006-01-02T15:04:05.000Z"

var written = json.JoinOptions(
	json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true), jsontext.AllowInvalidUTF8(true),
	json.WithMarshalers(json.MarshalToFunc(func(out *jsontext.Encoder, at time.Time) error {
		return out.WriteValue(appendTime(make([]byte, 0, len(timeForm)+2), at))
	})),
)

// appendTime appends a time as JSON.
func appendTime(to []byte, at time.Time) []byte {
	return append(at.UTC().AppendFormat(append(to, '"'), timeForm), '"')
}

// encode encodes a document as JSON.
func encode(document any) ([]byte, error) {
	raw, err := json.Marshal(document, written)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", document, err)
	}
	return raw, nil
}

// body is a stored document, in JSON.
type body []byte

var readBack = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Decode implements projections.Body.
func (b body) Decode(into any) error { return json.Unmarshal(b, into, readBack) }

// form is the encoding of the documents of one table.
type form interface {
	encode(document any) (projections.Body, error)
	// keys returns the keys of a document, one for each index. like is a value of the document's Go type, which tells which
	// texts are times.
	keys(indexes []projections.Index, doc projections.Body, id string, like any) ([][]byte, error)
}

// inJSON is the encoding of tables that store documents as JSON text.
type inJSON struct{}

func (inJSON) encode(document any) (projections.Body, error) {
	raw, err := encode(document)
	return body(raw), err
}

// escape escapes a path for a file: URI.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }
