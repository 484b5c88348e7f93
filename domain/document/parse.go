package document

import (
	"bytes"

	"moviola/domain"
)

// The bounds of a document. Decisions 24 and 57 name all but the last, which leaves 30 values to each of the most elements: what a value takes
// in memory is many times what it takes as text.
const (
	maxDepth    = 64
	maxElements = 5000
	maxScenes   = 2000
	maxValues   = 150_000
)

// Parse reads the JSON of a movie. Its errors are the *domain.Error refusals of POST /movies (spec: Errors; decisions 15 and 24);
// everything else that is wrong waits for Validate.
func Parse(raw []byte) (*Movie, error) {
	m, _, err := ParseTree(raw)
	return m, err
}

// ParseTree is Parse that returns also what the JSON says, with which the movie was read; nil: it is no JSON object. With an error, there may
// be a tree and no movie. The tree must not be changed.
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

// errUnreadable is the refusal that the specification has for text that is no JSON and for a movie with nothing in it.
func errUnreadable() error {
	return domain.Errorf(domain.Invalid, "movie_json_invalid", "Error parsing movie JSON or the movie was empty")
}

// checkShape refuses what decision 15 calls empty, and more elements than decision 24 allows.
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
		return domain.Errorf(domain.Invalid, "movie_too_many_elements", "Movie has %d elements, more than the %d allowed", count, maxElements)
	}
	return nil
}

// list returns the array under name, whether there is anything under name, and whether that is an array. Null is nothing.
func list(props map[string]any, name string) (items []any, present, ok bool) {
	value := props[name]
	if value == nil {
		return nil, false, true
	}
	items, ok = value.([]any)
	return items, true, ok
}
