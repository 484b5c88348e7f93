package preload

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"moviola/domain"
)

// Type is the type of an item.
type Type string

// The types of items: an item takes the same properties as the element of its type. Decision 46.
const (
	Image     Type = "image"
	Video     Type = "video"
	Audio     Type = "audio"
	Voice     Type = "voice"
	HTML      Type = "html"
	Component Type = "component"
)

// known reports whether items of a type can be prepared.
func (t Type) known() bool {
	switch t {
	case Image, Video, Audio, Voice, HTML, Component:
		return true
	default:
		return false
	}
}

// Wanted is an item together with the properties from which it is made.
type Wanted struct {
	Item
	Properties map[string]any
}

// ParseRequest reads the body of POST /preloads: an object whose only member is preload, an array of 1 to 10 items. Spec:
// POST /preloads.
func ParseRequest(body []byte) ([]Wanted, error) {
	var request map[string]json.RawMessage
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, domain.Errorf(domain.Invalid, "payload_missing", "No payload provided")
	}
	if err := json.Unmarshal(body, &request); err != nil || request == nil || !utf8.Valid(body) {
		return nil, domain.Errorf(domain.Invalid, "payload_invalid", "The payload must be a JSON object with the property preload")
	}
	for name := range request {
		if name != "preload" {
			return nil, domain.Errorf(domain.Invalid, "property_unknown", "Unknown property %.60q: only preload is allowed", name)
		}
	}
	var items []any
	if err := json.Unmarshal(request["preload"], &items); err != nil || items == nil {
		return nil, domain.Errorf(domain.Invalid, "preload_invalid", "preload must be an array of items")
	}
	return ParseItems(items)
}

// ParseItems reads the items of a batch, or of the property preload of a movie: 1 to 10, each an object with a type and a
// unique id. Of the other properties it checks only save-to-media; the rest is checked when the item is prepared. Decision
// 46.
func ParseItems(items []any) ([]Wanted, error) {
	if len(items) < 1 || len(items) > MaxItems {
		return nil, domain.Errorf(domain.Invalid, "preload_count", "preload must have 1 to %d items", MaxItems)
	}
	seen := make(map[string]bool, len(items))
	wanted := make([]Wanted, 0, len(items))
	for i, item := range items {
		properties, ok := item.(map[string]any)
		if !ok {
			return nil, domain.Errorf(domain.Invalid, "preload_invalid", "preload item %d must be an object", i+1)
		}
		w, err := parseItem(properties, i+1)
		if err != nil {
			return nil, err
		}
		if seen[w.ID] {
			return nil, domain.Errorf(domain.Invalid, "preload_id_duplicate", "Duplicate preload id %q", w.ID)
		}
		seen[w.ID] = true
		wanted = append(wanted, w)
	}
	return wanted, nil
}

// maxID is the maximum length of the id of an item, in bytes.
const maxID = 255

func parseItem(properties map[string]any, number int) (Wanted, error) {
	id, _ := properties["id"].(string)
	kind, hasType := properties["type"].(string)
	switch {
	case id == "":
		return Wanted{}, domain.Errorf(domain.Invalid, "preload_id_missing", "preload item %d: id is required", number)
	case len(id) > maxID:
		return Wanted{}, domain.Errorf(domain.Invalid, "preload_id_invalid", "preload item %d: id must be at most %d bytes",
			number, maxID)
	case !hasType || kind == "":
		return Wanted{}, domain.Errorf(domain.Invalid, "preload_type_missing", "preload item %q: type is required", id)
	case !Type(kind).known():
		return Wanted{}, domain.Errorf(domain.Invalid, "preload_type_invalid",
			"preload item %q: type %.60q is not allowed; use image, video, audio, voice, html or component", id, kind)
	}
	save, err := flag(properties["save-to-media"])
	if err != nil {
		return Wanted{}, domain.Errorf(domain.Invalid, "preload_invalid", "preload item %q: save-to-media must be true or false", id)
	}
	return Wanted{Item: Item{ID: id, Type: Type(kind), Save: save, Sources: namesAddress(properties)}, Properties: properties}, nil
}

// namesAddress reports whether any text inside a value contains an address.
func namesAddress(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, "://")
	case []any:
		return slices.ContainsFunc(v, namesAddress)
	case map[string]any:
		for _, inside := range v {
			if namesAddress(inside) {
				return true
			}
		}
	}
	return false
}

var errNotBool = errors.New("not a boolean")

// flag reads a boolean, which may be written as a text. Decision 23.
func flag(value any) (bool, error) {
	switch value {
	case nil, false, "false":
		return false, nil
	case true, "true":
		return true, nil
	default:
		return false, errNotBool
	}
}
