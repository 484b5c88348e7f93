package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"moviola/projections"
)

var errNoField = errors.New("the document does not have it")

func (inJSON) keys(indexes []projections.Index, doc projections.Body, id string, like any) ([][]byte, error) {
	raw, ok := doc.(body)
	if !ok {
		return nil, fmt.Errorf("a table of JSON holds a %T", doc)
	}
	if len(indexes) == 0 {
		return nil, nil
	}
	var room [64]member // room for the members of most documents; it needs no allocation
	members, err := membersOf(room[:0], raw)
	if err != nil {
		return nil, err
	}
	times := timesOf(reflect.TypeOf(like))
	return eachIndex(indexes, id, func(key []byte, field projections.Field) ([]byte, error) {
		for _, m := range members {
			if string(m.name) == field.Name {
				value, err := goValue(m.value, times[field.Name])
				if err != nil {
					return nil, err
				}
				return appendValue(key, value, field.Descending)
			}
		}
		return nil, errNoField
	})
}

// goValue returns the value of a document's member as the Go value that is encoded in an index key.
func goValue(raw jsontext.Value, isTime bool) (any, error) {
	switch raw.Kind() {
	case 't', 'f':
		return raw[0] == 't', nil
	case '0':
		return strconv.ParseInt(string(raw), 10, 64)
	case '"':
		text := string(raw[1 : len(raw)-1])
		if bytes.IndexByte(raw, '\\') >= 0 {
			unquoted, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return nil, err
			}
			text = string(unquoted)
		}
		if isTime {
			return time.Parse(timeForm, text)
		}
		return text, nil
	}
	return nil, fmt.Errorf("%s cannot be indexed", raw.Kind())
}

// member is a member of a document: its name without quotes, its value as it is written.
type member struct {
	name  []byte
	value jsontext.Value
}

var errNoDocument = errors.New("the body is not a JSON object as the program writes them")

// membersOf appends the members of a document. raw is compact JSON that encode has written, so membersOf only has to find the
// ends of values: that is several times faster than parsing them.
func membersOf(members []member, raw body) ([]member, error) {
	for at := 1; at < len(raw); {
		if raw[at] == '}' {
			return members, nil
		}
		if raw[at] == ',' {
			at++
		}
		colon := endOf(raw, at)
		if colon < at+2 || colon >= len(raw) || raw[at] != '"' || raw[colon] != ':' {
			return nil, errNoDocument
		}
		end := endOf(raw, colon+1)
		if end <= colon+1 {
			return nil, errNoDocument
		}
		members = append(members, member{name: raw[at+1 : colon-1], value: jsontext.Value(raw[colon+1 : end])})
		at = end
	}
	return nil, errNoDocument
}

// endOf returns the position after the JSON value that begins at the position at; 0: the value does not end.
func endOf(raw []byte, at int) int {
	depth := 0
	for i := at; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			if i = endOfText(raw, i); i == 0 || depth == 0 {
				return i
			}
			i-- // endOfText returned the next position, to which the loop adds 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// endOfText returns the position after the JSON string whose first quotation mark is at the position at; 0: the string does not
// end.
func endOfText(raw []byte, at int) int {
	for i := at + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// knownTimes are the results of timesOf, by type.
var knownTimes sync.Map

var timeType = reflect.TypeFor[time.Time]()

// timesOf returns the names of the fields of a document's type that are times: in JSON they are texts.
func timesOf(document reflect.Type) map[string]bool {
	for document != nil && document.Kind() == reflect.Pointer {
		document = document.Elem()
	}
	if document == nil || document.Kind() != reflect.Struct {
		return nil
	}
	if known, ok := knownTimes.Load(document); ok {
		return known.(map[string]bool)
	}
	times := make(map[string]bool)
	for _, field := range reflect.VisibleFields(document) {
		if field.Type == timeType || field.Type == reflect.PointerTo(timeType) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			times[name] = true
		}
	}
	knownTimes.Store(document, times)
	return times
}
