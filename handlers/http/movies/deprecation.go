package movies

import (
	"bytes"
	"encoding/json"
	"net/http"

	"moviola/domain/document"
	"moviola/handlers/http/web"
)

// markDeprecated tells a client that its movie uses a feature that will be removed. Spec: Versioning 2, the element type
// template.
func markDeprecated(h http.Header, body []byte) {
	if usesTemplateElement(body) {
		web.MarkDeprecated(h)
	}
}

// usesTemplateElement looks for an element of type template. It parses only bodies that contain the word, because most do
// not.
func usesTemplateElement(body []byte) bool {
	if !bytes.Contains(body, []byte(`"template"`)) {
		return false
	}
	// A document that the parser refuses, such as a document that is nested too deep, is not searched.
	if _, err := document.Parse(body); err != nil {
		return false
	}
	var movie struct {
		Elements json.RawMessage `json:"elements"`
		Scenes   []struct {
			Elements json.RawMessage `json:"elements"`
		} `json:"scenes"`
	}
	if json.Unmarshal(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), &movie) != nil {
		return false
	}
	lists := []json.RawMessage{movie.Elements}
	for _, scene := range movie.Scenes {
		lists = append(lists, scene.Elements)
	}
	for _, list := range lists {
		var elements []struct {
			Type json.RawMessage `json:"type"`
		}
		if json.Unmarshal(list, &elements) != nil {
			continue
		}
		for _, element := range elements {
			if string(element.Type) == `"template"` {
				return true
			}
		}
	}
	return false
}
