package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// Lists writes and reads the cursors of one kind of list. Q, a struct, is what such a list is asked for: the account, the
// filters, the limit, and the place after which the page begins.
//
// The cursor is the query itself, as JSON: a filter that is a field of Q cannot be forgotten in it. What a field tagged "-" holds
// is asked for anew with each page.
type Lists[Q any] struct{ cursors Cursors }

// NewLists returns the cursors of one kind of list; key and label are those of NewCursors.
func NewLists[Q any](key []byte, label string) Lists[Q] { return Lists[Q]{NewCursors(key, label)} }

// Next is the cursor of the page that a query asks for: its place is the last row of the page before.
func (l Lists[Q]) Next(q Q) (*string, error) {
	token, err := l.cursors.Encode(q)
	if err != nil {
		return nil, fmt.Errorf("write a cursor: %w", err)
	}
	return &token, nil
}

// Resume is the query that a cursor was made of. Sent is what was asked for beside it, zero where nothing was: an account or
// filter of another value is refused with ErrCursor, as is every text that Next has not written for such a list. Decision 14.
func (l Lists[Q]) Resume(token string, sent Q) (Q, error) {
	var raw json.RawMessage
	var q Q
	if err := l.cursors.Decode(token, &raw); err != nil {
		return sent, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields() // a cursor of another list, or with a filter of a newer version
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

// same compares two values of a field; times as moments.
func same(a, b any) bool {
	if at, ok := a.(time.Time); ok {
		other, ok := b.(time.Time)
		return ok && at.Equal(other)
	}
	return reflect.DeepEqual(a, b)
}
