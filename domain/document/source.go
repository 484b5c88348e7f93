package document

import (
	"maps"
	"slices"
	"strings"

	"moviola/domain/css"
)

// Source is a file, a picture or a speech that must be available before the movie can be laid out.
type Source struct {
	Ref Ref // the first element that uses the source
	// Key identifies the source in facts, layers and clips. The key of a file is its address, as written in the document;
	// the key of generated content is a hash of the properties that describe it.
	Key  string
	URL  string // address of a file, as written in the document; empty: generated speech or picture
	Kind string // TypeImage, TypeVideo, TypeAudio, TypeVoice, KindMask, KindFont or KindCaptions
	// Fresh reports whether the source must not come from a cache, because an element that uses the source requests that.
	Fresh bool
	// Voice and Text are the speech to generate; they are set only for a voice.
	Voice *Voice
	Text  string
	// Prompt is the picture to generate; it is set only for a generated picture.
	Prompt *Prompt
}

// The kinds of sources that are not types of elements.
const (
	KindMask     = "mask"     // an image or video
	KindFont     = "font"     // a TrueType or OpenType file, possibly packed as WOFF
	KindCaptions = "captions" // an SRT, VTT or ASS file
)

// Sources returns the sources of the movie in the order of the document, each key once per kind.
func Sources(m *Movie) []Source {
	c := collector{seen: make(map[sourceUse]int)}
	for e := range m.All() {
		c.addElement(e)
	}
	if s := m.Subtitles; s != nil {
		c.addFile(s.Ref, s.Source, KindCaptions, s.Fresh)
		c.addFile(s.Ref, captionFont(s.Settings), KindFont, s.Fresh)
	}
	return c.sources
}

// NamesFiles reports whether a movie names files, or may do so once the results of its preloads and the lengths of its sources
// are known.
func NamesFiles(m *Movie) bool {
	return len(m.Preload) > 0 || m.Waits() || slices.ContainsFunc(Sources(m), func(s Source) bool { return s.URL != "" })
}

type sourceUse struct{ key, kind string }

// collector collects sources. seen maps the key and kind of each source to its index in the list.
type collector struct {
	sources []Source
	seen    map[sourceUse]int
}

func (c *collector) addElement(e *Element) {
	fresh := !e.Cache
	switch e.Ref.Type {
	case TypeImage, TypeVideo, TypeAudio:
		if e.Prompt != nil {
			c.add(Source{Ref: e.Ref, Key: e.Src, Kind: TypeImage, Fresh: fresh, Prompt: e.Prompt})
			break
		}
		c.addFile(e.Ref, e.Src, e.Ref.Type, fresh)
	case TypeVoice:
		if e.Text == "" {
			break // the text is not known yet: the source is collected later
		}
		c.add(Source{Ref: e.Ref, Key: e.Src, Kind: TypeVoice, Fresh: fresh, Voice: e.Voice, Text: e.Text})
	case TypeText:
		c.addFile(e.Ref, FontAddress(e.Settings), KindFont, fresh)
	case TypeComponent:
		c.addSettings(e.Ref, e.Component.Settings, fresh)
	}
	c.addFile(e.Ref, e.Effects.Mask, KindMask, fresh)
}

func (c *collector) addFile(ref Ref, address, kind string, fresh bool) {
	c.add(Source{Ref: ref, Key: address, URL: address, Kind: kind, Fresh: fresh})
}

func (c *collector) add(s Source) {
	use := sourceUse{s.Key, s.Kind}
	if s.Key == "" {
		return
	}
	if i, ok := c.seen[use]; ok {
		c.sources[i].Fresh = c.sources[i].Fresh || s.Fresh
		return
	}
	c.seen[use] = len(c.sources)
	c.sources = append(c.sources, s)
}

// pictureSettings and fontSettings are the settings of components that may contain the address of a file.
var (
	pictureSettings = map[string]bool{
		"src": true, "image": true, "background-image": true, "background": true, "icon": true, "logo": true, "photo": true,
	}
	fontSettings = map[string]bool{"font-family": true, "font-url": true}
)

// addSettings adds the sources whose addresses are in the settings of a component, at any depth.
func (c *collector) addSettings(ref Ref, settings any, fresh bool) {
	switch v := settings.(type) {
	case []any:
		for _, item := range v {
			c.addSettings(ref, item, fresh)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text, isText := v[key].(string)
			switch name := settingName(key); {
			case !isText:
				c.addSettings(ref, v[key], fresh)
			case pictureSettings[name]:
				c.addFile(ref, AddressOf(text), TypeImage, fresh)
			case fontSettings[name]:
				c.addFile(ref, AddressOf(text), KindFont, fresh)
			}
		}
	}
}

// NamesFont reports whether settings of a component contain the address of a font file.
func NamesFont(settings map[string]any) bool {
	var c collector
	c.seen = map[sourceUse]int{}
	c.addSettings(Ref{}, settings, false)
	return slices.ContainsFunc(c.sources, func(s Source) bool { return s.Kind == KindFont })
}

// captionFont returns the address of the captions' font. It also looks under style, because some clients write all settings
// there.
func captionFont(settings map[string]any) string {
	address := ""
	for _, name := range css.Spellings(settings) {
		if text, ok := settings[name].(string); ok && settingName(name) == "font-url" {
			address = BareAddress(text)
		}
	}
	if address != "" {
		return address
	}
	if look, ok := settings["style"].(map[string]any); ok {
		return captionFont(look)
	}
	return ""
}

// FontAddress returns the address of the font that text settings name, which is also the key of its source: font-url, or a
// font-family that is an address. Empty: the settings name no font file.
func FontAddress(settings map[string]string) string {
	if address := AddressOf(settings["font-url"]); address != "" {
		return address
	}
	return AddressOf(settings["font-family"])
}

// BareAddress returns an address without the blanks around it, and without the url(…) in which clients write it that are used
// to CSS.
func BareAddress(text string) string {
	if inner, ok := css.URL(text); ok {
		return inner
	}
	return strings.TrimSpace(text)
}

// AddressOf returns the address in a CSS-like setting, bare or as url(…), which is also the key of its source. Empty: the
// setting contains no address.
func AddressOf(setting string) string {
	address := strings.TrimSpace(setting)
	if open, rest, ok := strings.Cut(address, "("); ok && strings.EqualFold(strings.TrimSpace(open), "url") {
		address, _, _ = strings.Cut(rest, ")")
	}
	address = strings.TrimSpace(strings.Trim(strings.TrimSpace(address), `"'`))
	if !strings.Contains(address, "://") || strings.ContainsAny(address, " \t\r\n") {
		return ""
	}
	return address
}

// voiceKey returns the key of generated speech: a hash of all inputs that determine it.
func voiceKey(text string, v *Voice) string {
	return keyOf("voice", struct {
		Text  string
		Voice *Voice
	}{text, v})
}

// All yields every element: the elements of the scenes in order, then the elements of the movie.
func (m *Movie) All() func(yield func(*Element) bool) {
	return func(yield func(*Element) bool) {
		for i := range m.Scenes {
			for j := range m.Scenes[i].Elements {
				if !yield(&m.Scenes[i].Elements[j]) {
					return
				}
			}
		}
		for i := range m.Elements {
			if !yield(&m.Elements[i]) {
				return
			}
		}
	}
}
