package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// Lists encodes and decodes the cursors of one kind of list. Q is the struct with the query of the list: the account, the
// filters, the limit, and the place after which the page begins.
//
// The cursor is the query as JSON, so a filter that is a field of Q cannot be forgotten. Only fields tagged "-" are not in
// the cursor: clients send them again with the request of each page.
type Lists[Q any] struct{ cursors Cursors }

// NewLists returns the cursors of one kind of list; key and label are those of NewCursors.
func NewLists[Q any](key []byte, label string) Lists[Q] { return Lists[Q]{NewCursors(key, label)} }

// Next returns the cursor of a page: q is its query, with the last row of the previous page as its place.
func (l Lists[Q]) Next(q Q) (*string, error) {
	token, err := l.cursors.Encode(q)
	if err != nil {
		return nil, fmt.Errorf("write a cursor: %w", err)
	}
	return &token, nil
}

// Resume returns the query in a cursor. sent is the query from the other parameters of the request, with zero values for
// missing parameters. When an account or filter in sent differs from that of the cursor, the error is ErrCursor. A text that
// Next has not returned for this kind of list is ErrCursor too. Decision 14.
func (l Lists[Q]) Resume(token string, sent Q) (Q, error) {
	var raw json.RawMessage
	var q Q
	if err := l.cursors.Decode(token, &raw); err != nil {
		return sent, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields() // an unknown field means that the cursor belongs to another list, or has a filter of a newer version
	if err := d.Decode(&q); err != nil {
		return sent, ErrCursor
	}
	asked, kept := reflect.ValueOf(sent), reflect.ValueOf(&q).Elem()
	for i := range asked.NumField() {
		switch one := asked.Field(i); {
		case asked.Type().Field(i).Tag.Get("json") == "-":
			kept.Field(i).Set(one)
		case !one.IsZero() && !same(one.Interface(), kept.Field(i).Interface()):
			return sent, ErrCursor
		}
	}
	return q, nil
}

// same reports whether two values of a field are equal. Times are equal when they are the same instant.
func same(a, b any) bool {
	if at, ok := a.(time.Time); ok {
		other, ok := b.(time.Time)
		return ok && at.Equal(other)
	}
	return reflect.DeepEqual(a, b)
}
