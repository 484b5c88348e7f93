package document

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// Prompt describes a picture for a provider to generate. Movie-schema §4.1.
type Prompt struct {
	Text       string
	Model      string // name of the model that generates the picture, as written; empty: the provider's default
	Aspect     string // aspect ratio: Horizontal, Vertical or Squared
	Connection string // id of a saved connection; empty: none is named
	// ModelSettings are passed to the provider unchanged; nil: none.
	ModelSettings map[string]any
}

// The aspect ratios of generated pictures.
const (
	Horizontal = "horizontal"
	Vertical   = "vertical"
	Squared    = "squared"
)

// readPrompt reads the address of an image or, without an address, its prompt. An image that has neither is a mistake.
func (r reader) readPrompt(e *Element) {
	text, _ := r.text("prompt")
	text = strings.TrimSpace(text)
	if e.Src = r.address(); e.Src != "" || text == "" {
		if e.Src == "" {
			r.problem(PropertyMissing, "src", "The element type 'image' requires a 'src' property.")
		}
		if text != "" {
			r.warn(PropertyIdle, "prompt", "The image has a 'src' and a 'prompt', the 'src' is used")
		}
		return
	}
	p := &Prompt{Text: text, Aspect: r.aspect(), Connection: r.reference("connection"), Model: r.reference("model")}
	if settings := r.data("model-settings"); len(settings) > 0 {
		p.ModelSettings = settings
	}
	e.Prompt, e.Src = p, keyOf("image", p)
}

// squarish is the largest aspect ratio of a picture that counts as square.
const squarish = 1.2

// aspect returns the requested aspect ratio. When only a size is given, it returns the ratio that is closest to that of the
// size.
func (r reader) aspect() string {
	switch word := r.word("aspect-ratio"); word {
	case Horizontal, Vertical, Squared:
		return word
	case "square":
		return Squared
	case "":
	default:
		r.warn(ValueUnknown, "aspect-ratio", "The aspect ratio %s is unknown, '%s' is used", quote(word), Horizontal)
		return Horizontal
	}
	w, h := float64(r.integer("width")), float64(r.integer("height"))
	switch {
	case w <= 0 || h <= 0 || w > squarish*h:
		return Horizontal
	case h > squarish*w:
		return Vertical
	}
	return Squared
}

// keyOf returns the key of generated content: its kind and a hash of all inputs that determine it.
func keyOf(kind string, made any) string {
	raw, err := json.Marshal(made)
	if err != nil {
		panic("document: what came from JSON cannot be written as JSON: " + err.Error())
	}
	return fmt.Sprintf("%s:%x", kind, sha256.Sum256(raw))
}
