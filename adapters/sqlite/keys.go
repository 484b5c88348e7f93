package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"

	"moviola/projections"
)

// Type tags, the first byte of an encoded value. They sort like MongoDB's types. No tag, nor its inverse, is 0x00 or 0xFF:
// so a prefix of whole values with an appended 0xFF sorts after all keys with the prefix.
const (
	tagNumber = 0x10
	tagText   = 0x20
	tagBool   = 0x30
	tagTime   = 0x40
)

// beyond is a byte that is appended to a prefix. The result sorts after every key with the prefix.
const beyond = 0xFF

// appendValue appends an encoded value to a key. Encodings sort like the values (times like their milliseconds), or in the
// opposite order if descending is true: then all their bytes are inverted. No encoding is a prefix of another, so that a
// key can consist of several.
func appendValue(key []byte, value any, descending bool) ([]byte, error) {
	start := len(key)
	switch v := value.(type) {
	case int64:
		key = appendNumber(append(key, tagNumber), v)
	case string:
		if !utf8.ValidString(v) {
			v = string([]rune(v)) // the text as the encoding of documents writes it: invalid UTF-8 is replaced
		}
		key = append(key, tagText)
		for _, b := range []byte(v) {
			if key = append(key, b); b == 0 {
				key = append(key, 0xFF) // marks a zero byte in the text, which is not the end of the text
			}
		}
		key = append(key, 0, 1)
	case bool:
		key = append(key, tagBool, 0)
		if v {
			key[len(key)-1] = 1
		}
	case time.Time:
		key = appendNumber(append(key, tagTime), v.UnixMilli())
	default:
		return nil, fmt.Errorf("a %T cannot be indexed", value)
	}
	if descending {
		for i := start; i < len(key); i++ {
			key[i] = ^key[i]
		}
	}
	return key, nil
}

// appendNumber appends a signed number. Its sign bit is flipped, so that negative numbers sort first.
func appendNumber(key []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(n)^1<<63)
}

// eachIndex returns the keys of a document, one for each index. The function add appends the document's value of a field to a
// key.
func eachIndex(indexes []projections.Index, id string, add func([]byte, projections.Field) ([]byte, error)) ([][]byte, error) {
	keys := make([][]byte, len(indexes))
	for i, index := range indexes {
		var key []byte
		for _, field := range index.Fields {
			var err error
			if key, err = add(key, field); err != nil {
				return nil, fmt.Errorf("field %s: %w", field.Name, err)
			}
		}
		key, err := appendValue(key, id, false)
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	return keys, nil
}

// appendAny encodes a value of a query as it would be encoded in a document.
func appendAny(key []byte, value any, descending bool) ([]byte, error) {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.String:
		value = v.String()
	case reflect.Bool:
		value = v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		value = v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		value = int64(v.Uint())
	}
	return appendValue(key, value, descending)
}

// stretch returns two keys of an index, from and to. The results of q are at those keys of the index that are at least
// from and less than to.
func stretch(index projections.Index, q projections.Query) (from, to []byte, err error) {
	fields := append(index.Fields[:len(index.Fields):len(index.Fields)], projections.Field{Name: "the id"})
	if len(q.Equal) > len(index.Fields) || len(q.Equal)+len(q.After) > len(fields) {
		return nil, nil, errors.New("more values than the index has fields")
	}
	var prefix []byte
	for i, value := range q.Equal {
		if prefix, err = appendAny(prefix, value, fields[i].Descending); err != nil {
			return nil, nil, err
		}
	}
	from, to = prefix, append(bytes.Clone(prefix), beyond)
	if from, to, err = narrow(from, to, prefix, fields[len(q.Equal)], q.Range); err != nil {
		return nil, nil, err
	}
	if len(q.After) == 0 {
		return from, to, nil
	}
	after := bytes.Clone(prefix)
	for i, value := range q.After {
		if after, err = appendAny(after, value, fields[len(q.Equal)+i].Descending); err != nil {
			return nil, nil, err
		}
	}
	if after = append(after, beyond); bytes.Compare(after, from) > 0 {
		from = after
	}
	return from, to, nil
}

// narrow makes a part of an index smaller. The part consists of the keys that are at least from and less than to. narrow
// returns from and to of the smaller part, in which the values of field are in the range r. prefix is what the keys
// contain before the value of field.
func narrow(from, to, prefix []byte, field projections.Field, r projections.Range) ([]byte, []byte, error) {
	first, last := r.Min, r.Max
	if field.Descending {
		first, last = last, first
	}
	var err error
	if first != nil {
		if from, err = appendAny(bytes.Clone(prefix), first, field.Descending); err != nil {
			return nil, nil, err
		}
	}
	if last != nil {
		if to, err = appendAny(bytes.Clone(prefix), last, field.Descending); err != nil {
			return nil, nil, err
		}
		to = append(to, beyond)
	}
	return from, to, nil
}
