package eventstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// personalTag is the struct tag by which an event says whether a text is personal: personal:"yes" or personal:"no". Texts
// are fields of the types string, []byte and any, and of maps, alone, in slices or behind pointers. Numbers, times and
// strings of a type of their own (ids, closed sets) count as not personal, and need no tag.
const personalTag = "personal"

// fields are the JSON names of the personal fields of an object. A nil value is a field that is personal as a whole; another
// value is a field whose object, or whose list of objects, has personal fields.
type fields map[string]fields

// personalFields returns the personal fields of an event type, and the texts in it that have no tag.
func personalFields(t reflect.Type) (personal fields, unclassified []string) {
	personal = fields{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		inner := elementOf(field.Type)
		switch {
		case field.Anonymous && name == "":
			more, unknown := personalFields(inner)
			for key, value := range more {
				personal[key] = value
			}
			unclassified = append(unclassified, unknown...)
		case field.Tag.Get(personalTag) == "yes":
			personal[name] = nil
		case field.Tag.Get(personalTag) == "no":
		case isText(inner):
			unclassified = append(unclassified, t.String()+"."+field.Name)
		case inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]():
			more, unknown := personalFields(inner)
			if len(more) > 0 {
				personal[name] = more
			}
			unclassified = append(unclassified, unknown...)
		}
	}
	return personal, unclassified
}

// elementOf returns the type to which a pointer or slice type leads, through any number of both.
func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// isText reports whether values of a type may hold any text.
func isText(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Uint8: // a slice of uint8 is []byte, which may be text; no event has a number of type uint8
		return t.PkgPath() == ""
	case reflect.Map, reflect.Interface:
		return true
	default:
		return false
	}
}

// split separates a JSON value into its personal fields (taken) and all the rest (left). Empty personal fields (null, "",
// [] and {}) stay in left. When all personal fields are empty or missing, taken is nil and left is the whole value.
func split(value json.RawMessage, personal fields) (left, taken json.RawMessage, err error) {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) > 0 && value[0] == '[':
		return splitList(value, personal)
	case len(value) == 0 || value[0] != '{':
		return value, nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(value, &object); err != nil {
		return nil, nil, err
	}
	out := map[string]json.RawMessage{}
	for name, inner := range personal {
		field, there := object[name]
		switch {
		case !there || isEmpty(field):
		case inner == nil:
			out[name] = field
			delete(object, name)
		default:
			var more json.RawMessage
			if object[name], more, err = split(field, inner); err != nil {
				return nil, nil, err
			}
			if more != nil {
				out[name] = more
			}
		}
	}
	if len(out) == 0 {
		return value, nil, nil
	}
	return encodeBoth(object, out)
}

func splitList(value json.RawMessage, personal fields) (left, taken json.RawMessage, err error) {
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, nil, err
	}
	out, found := make([]json.RawMessage, len(list)), false
	for i, one := range list {
		if list[i], out[i], err = split(one, personal); err != nil {
			return nil, nil, err
		}
		found = found || out[i] != nil
	}
	if !found {
		return value, nil, nil
	}
	return encodeBoth(list, out)
}

func encodeBoth(left, taken any) (json.RawMessage, json.RawMessage, error) {
	a, err := json.Marshal(left)
	if err != nil {
		return nil, nil, err
	}
	b, err := json.Marshal(taken)
	return a, b, err
}

// isEmpty reports whether a JSON value is null, an empty text, an empty list or an empty object.
func isEmpty(value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case `""`, `null`, `[]`, `{}`:
		return true
	}
	return false
}

// join puts the personal fields back that split has taken. It does not depend on the event's type. So it also puts back fields
// that were personal when the event was written and are not any more.
func join(left, taken json.RawMessage) (json.RawMessage, error) {
	taken = bytes.TrimSpace(taken)
	switch {
	case len(taken) == 0 || string(taken) == "null":
		return left, nil
	case taken[0] == '[':
		var to, from []json.RawMessage
		if json.Unmarshal(left, &to) != nil || json.Unmarshal(taken, &from) != nil || len(to) != len(from) {
			return taken, nil // split had put the whole list into taken, and nothing of it into left
		}
		for i := range to {
			var err error
			if to[i], err = join(to[i], from[i]); err != nil {
				return nil, err
			}
		}
		return json.Marshal(to)
	case taken[0] != '{':
		return taken, nil
	}
	var to, from map[string]json.RawMessage
	if err := json.Unmarshal(taken, &from); err != nil {
		return nil, fmt.Errorf("personal fields: %w", err)
	}
	if err := json.Unmarshal(left, &to); err != nil {
		return taken, nil // split had put the whole object into taken, and nothing of it into left
	}
	for name, value := range from {
		had, there := to[name]
		if !there {
			to[name] = value
			continue
		}
		joined, err := join(had, value)
		if err != nil {
			return nil, err
		}
		to[name] = joined
	}
	return json.Marshal(to)
}
