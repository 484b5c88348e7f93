package images

import (
	"encoding/json"
	"regexp"
	"strings"

	"moviola/domain"
	"moviola/domain/document"
)

// sizes are the sizes in pixels of the pictures that models make. For a model, the first row counts whose family is a prefix of
// the model's name.
var sizes = []struct{ family, horizontal, vertical, squared string }{
	{"gpt-image", "1536x1024", "1024x1536", "1024x1024"},
	{"dall-e-2", "1024x1024", "1024x1024", "1024x1024"},
	{"dall-e", "1792x1024", "1024x1792", "1024x1024"},
	{"", "1344x768", "768x1344", "1024x1024"}, // diffusion models: about a megapixel, sides in steps of 64
}

// sizeOf returns the size to ask a model for.
func sizeOf(model, aspect string) string {
	for _, s := range sizes {
		if !strings.HasPrefix(strings.ToLower(model), s.family) {
			continue
		}
		switch aspect {
		case document.Vertical:
			return s.vertical
		case document.Squared:
			return s.squared
		default:
			return s.horizontal
		}
	}
	return ""
}

// ours are the fields of a request that no settings of a movie may change, because they decide what the request costs and
// in which form the answer comes.
var ours = map[string]bool{"model": true, "prompt": true, "n": true, "response_format": true, "stream": true,
	"partial_images": true, "user": true}

var sizeForm = regexp.MustCompile(`^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$`)

const maxSettings = 4 << 10

// settingsOf returns the settings that are sent to the endpoint: all except those in ours, which model-settings may not
// change. It refuses a size of another form, and settings that are too long. Movie-schema §4.1: model-settings.
func settingsOf(settings map[string]any) (map[string]any, error) {
	fields := map[string]any{}
	for name, value := range settings {
		name = strings.ReplaceAll(name, "-", "_")
		if name == "size" {
			if text, ok := value.(string); !ok || !sizeForm.MatchString(text) {
				return nil, domain.Errorf(domain.Invalid, codeFailed, "The size of 'model-settings' must have the form '1024x1024'")
			}
		}
		if !ours[name] {
			fields[name] = value
		}
	}
	if raw, err := json.Marshal(fields); err != nil || len(raw) > maxSettings {
		return nil, domain.Errorf(domain.Invalid, codeFailed, "The 'model-settings' of an image can have at most %d bytes", maxSettings)
	}
	return fields, nil
}
