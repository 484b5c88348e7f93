package movie

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"moviola/domain/document"
)

// uncached are the properties of a movie that do not change what is rendered. Decision 20. The property
// project is the id of an earlier movie; it is ignored in a document that has scenes, elements or a template of its own.
var uncached = []string{"id", "client-data", "client_data", "comment", "exports", "project"}

// CacheKey returns the key by which a finished movie is found again when an equal movie is submitted: a hex SHA-256. It
// covers the movie's document without some properties that do not change the video, the content hash of each source by
// address, the version of the look, and the formats of the movie's outputs. The order of properties and the spacing of the
// JSON do not matter. Decisions 20, 61 and 69.
func CacheKey(movie []byte, sources map[string]string, outputs []string) (string, error) {
	var written map[string]json.RawMessage
	if err := json.Unmarshal(movie, &written); err != nil {
		return "", fmt.Errorf("read the document for its cache key: %w", err)
	}
	for _, name := range uncached {
		delete(written, name)
	}
	props := make(map[string]any, len(written))
	for name, raw := range written {
		read := json.NewDecoder(bytes.NewReader(raw))
		read.UseNumber() // UseNumber keeps the spelling of numbers, so that different numbers stay different
		var value any
		if err := read.Decode(&value); err != nil {
			return "", fmt.Errorf("read the document for its cache key: %w", err)
		}
		props[name] = value
	}
	dropDefaults(props)
	canonical, err := json.Marshal(props) // Marshal sorts properties by name, so their order does not matter
	if err != nil {
		return "", fmt.Errorf("write the document for its cache key: %w", err)
	}
	hash := sha256.New()
	hash.Write(canonical)
	hash.Write(fmt.Appendf(nil, "\x00look %d", document.Look()))
	for _, address := range slices.Sorted(maps.Keys(sources)) {
		hash.Write([]byte("\x00" + address + "\x00" + sources[address]))
	}
	for _, format := range slices.Sorted(slices.Values(outputs)) {
		hash.Write([]byte("\x00output " + format))
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// dropDefaults removes "cache": true from a movie, its scenes and elements: true is the default. Decision 20.
func dropDefaults(props map[string]any) {
	if props["cache"] == true || props["cache"] == "true" {
		delete(props, "cache")
	}
	for _, name := range []string{"scenes", "elements"} {
		items, _ := props[name].([]any)
		for _, item := range items {
			if inner, ok := item.(map[string]any); ok {
				dropDefaults(inner)
			}
		}
	}
}
