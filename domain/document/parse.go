package document

import (
	"bytes"

	"moviola/domain"
)

// The bounds of a document: its depth, elements and scenes, which decisions 24 and 57 name, and its values. The bound of values
// limits the memory, because a decoded value takes many times the memory of its text. It is 30 values for each element of the
// largest movie.
const (
	maxDepth    = 64
	maxElements = 5000
	maxScenes   = 2000
	maxValues   = 150_000
)

// Parse reads the JSON of a movie. Its errors are the *domain.Error refusals of POST /movies (spec: Errors; decisions 15, 24
// and 57). Other mistakes are noted in the movie; Validate reports the first that ends a render.
func Parse(raw []byte) (*Movie, error) {
	m, _, err := ParseTree(raw)
	return m, err
}

// ParseTree is Parse that also returns the decoded JSON, or nil when the text is not a JSON object or is refused before it
// is decoded. With an error, it may return the tree without a movie. The caller must not change the tree.
func ParseTree(raw []byte) (*Movie, map[string]any, error) {
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	if len(raw) == 0 {
		return nil, nil, domain.Errorf(domain.Invalid, "movie_json_missing", "No movie JSON received")
	}
	if err := measure(raw); err != nil {
		return nil, nil, err
	}
	tree, err := decode(raw)
	if err != nil {
		return nil, nil, errUnreadable()
	}
	props, ok := tree.(map[string]any)
	if !ok {
		return nil, nil, domain.Errorf(domain.Invalid, "movie_json_not_object", "No valid movie JSON received")
	}
	if err := checkShape(props); err != nil {
		return nil, props, err
	}
	m := &Movie{}
	if !isDynamic(raw) {
		m = readMovie(props)
	} else if m, err = expanded(props, Known{Values: pendingPreloads(props)}); err != nil {
		return nil, props, err
	}
	m.warnRepeated(raw)
	return m, props, nil
}

func errTooDeep(what string) error {
	return domain.Errorf(domain.Invalid, "movie_json_too_deep", "%s is nested deeper than %d levels", what, maxDepth)
}

// errUnreadable returns the error that the specification demands for invalid JSON and for an empty movie.
func errUnreadable() error {
	return domain.Errorf(domain.Invalid, "movie_json_invalid", "Error parsing movie JSON or the movie was empty")
}

// checkShape refuses a movie that is empty by decision 15, one whose scenes or elements are no arrays, and one with more
// scenes or elements than decisions 24 and 57 allow.
func checkShape(props map[string]any) error {
	scenes, hasScenes, scenesOK := list(props, "scenes")
	elements, hasElements, elementsOK := list(props, "elements")
	if !scenesOK || !elementsOK {
		return errUnreadable()
	}
	if !hasScenes && !hasElements && props["template"] == nil && props["templateId"] == nil && props["project"] == nil {
		return errUnreadable()
	}
	if len(scenes) > maxScenes {
		return errTooManyScenes()
	}
	count := len(elements)
	for _, scene := range scenes {
		if scene, ok := scene.(map[string]any); ok {
			inner, _, _ := list(scene, "elements")
			count += len(inner)
		}
	}
	if count > maxElements {
		return domain.Errorf(domain.Invalid, "movie_too_many_elements", "Movie has %d elements, more than the %d allowed",
			count, maxElements)
	}
	return nil
}

// list returns the array under name, whether name has a value, and whether that value is an array. Null counts as no value.
func list(props map[string]any, name string) (items []any, present, ok bool) {
	value := props[name]
	if value == nil {
		return nil, false, true
	}
	items, ok = value.([]any)
	return items, true, ok
}
