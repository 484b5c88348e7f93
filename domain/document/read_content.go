package document

import (
	"maps"
	"slices"
	"strings"

	"moviola/domain/css"
)

// The bounds and defaults of the contents of elements. Movie-schema §4, decision 26.
const (
	maxWait          = 10
	minDPI, maxDPI   = 0.1, 4
	maxCapture       = 60 // maximum duration of a capture, in seconds
	maxAmplitude     = 10
	defaultAmplitude = 5
)

func (r reader) readText(e *Element) {
	text, ok := r.text("text")
	if !ok {
		r.problem(PropertyMissing, "text", "The element type 'text' requires a 'text' property.")
	}
	e.Text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	e.Style = r.style()
	e.Settings = r.settings()
}

// style returns the name of a text's style: PlainStyle if none is given, or if the style is unknown. Numbered styles have three
// digits.
func (r reader) style() string {
	word := r.word("style")
	if word == "" {
		return PlainStyle
	}
	if style, ok := textStyle(word); ok {
		return style
	}
	r.warn(ValueUnknown, "style", "The text style %s is unknown, '%s' is used", quote(word), PlainStyle)
	return PlainStyle
}

// settings reads CSS-like settings; it ignores values that are not texts, numbers or booleans. The result is never nil. A
// setting that is written on the element itself is used, unless the settings contain the same setting. Decision 53.
func (r reader) settings() map[string]string {
	settings := map[string]string{}
	for _, name := range r.misplaced() {
		if text, ok := Scalar(r.props[name]); ok {
			settings[settingName(name)] = strings.TrimSpace(text)
		}
	}
	value, _ := r.get("settings")
	object, _ := value.(map[string]any)
	for _, name := range css.Spellings(object) {
		if text, ok := Scalar(object[name]); ok {
			settings[settingName(name)] = strings.TrimSpace(text)
		}
	}
	return settings
}

// misplaced returns the names of the properties that are written on the element, but belong in its settings and are missing
// there. The names are sorted.
func (r reader) misplaced() []string {
	var names []string
	own, settings := ElementKind(r.ref.Type), SettingsKind(r.ref.Type)
	for name, value := range r.props {
		if value == nil {
			continue
		}
		if _, known := Find(own, name); known {
			continue
		}
		if _, isSetting := Find(settings, name); isSetting && !HasSetting(r.props, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// HasSetting reports whether the settings of an element contain the setting name, in any of its spellings.
func HasSetting(element map[string]any, name string) bool {
	kind, _ := element["type"].(string)
	p, ok := Find(SettingsKind(strings.ToLower(strings.TrimSpace(kind))), name)
	settings, _ := element["settings"].(map[string]any)
	for other := range settings {
		if q, known := Find(SettingsKind(strings.ToLower(strings.TrimSpace(kind))), other); known && ok && q.Name == p.Name {
			return true
		}
	}
	return false
}

// data returns the object under name as it was decoded. Without such an object, it returns an empty one, never nil.
func (r reader) data(name string) map[string]any {
	object, ok := r.object(name)
	if !ok {
		return map[string]any{}
	}
	return object.props
}

func settingName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

func (r reader) readPage(e *Element) {
	page := &Page{Tailwind: r.flag("tailwindcss"), Wait: r.within("wait")}
	_, page.Waits = r.get("wait")
	page.HTML, _ = r.text("html")
	src, _ := r.text("src")
	page.Src = BareAddress(src)
	if strings.TrimSpace(page.HTML) == "" && page.Src == "" {
		r.problem(PropertyMissing, "html", "The element type 'html' requires an 'html' or a 'src' property.")
	}
	page.DPI = r.within("dpi")
	if capture, ok := r.object("capture"); ok {
		page.Capture = SecondsOfFloat(capture.within("duration"))
	}
	e.Page, e.Settings = page, r.settings()
}

// readComponent reads a component, also from the deprecated element template whose id is that of a component.
func (r reader) readComponent(e *Element) {
	id := r.reference("component")
	if template := r.reference("template"); id == "" && template != "" {
		id = template
		if !strings.Contains(id, "/") {
			r.problem(ValueUnknown, "template", "The template %s cannot be shown by an element: only components can", quote(id))
		}
	}
	if id == "" {
		r.problem(PropertyMissing, "component", "The element type 'component' requires a 'component' property.")
	}
	e.Component = &Component{ID: strings.ToLower(id), Settings: r.data("settings")}
}

func (r reader) readVoice(e *Element) {
	text, _ := r.text("text")
	e.Text = strings.TrimSpace(text)
	if e.Text == "" {
		r.problem(PropertyMissing, "text", "The element type 'voice' requires a 'text' property.")
	}
	e.Voice = &Voice{Voice: r.reference("voice"), Model: r.word("model"), Connection: r.reference("connection")}
	if settings := r.data("model-settings"); len(settings) > 0 {
		e.Voice.ModelSettings = settings
	}
	if e.Voice.Model == "" {
		e.Voice.Model = DefaultVoiceModel
	}
	e.Src = voiceKey(e.Text, e.Voice)
}

// DefaultVoiceModel is the default model of voices.
const DefaultVoiceModel = "azure"

func (r reader) readAudiogram(e *Element) {
	e.Audiogram = &Audiogram{
		Color:     r.color("color"),
		Amplitude: r.within("amplitude"),
	}
	r.warnIdle("src") // src has no effect, because an audiogram draws the movie's sound
}

// readSubtitles reads a subtitles element. A movie keeps one set of subtitles: the first one among the movie's own elements
// or, if there is none, the first one of a scene. All scenes are read before the movie's own elements, so subtitles of the
// movie replace those of a scene.
func (r reader) readSubtitles() {
	if r.ref.Scene > 0 {
		r.warn(PropertyMisplaced, "", "Subtitles belong to the movie, they are shown over all of it")
	}
	if known := r.movie.Subtitles; known != nil {
		if r.ref.Scene > 0 || known.Ref.Scene == 0 {
			r.warn(PropertyIdle, "", "A movie can have one set of subtitles, these are not shown")
			return
		}
		r.movie.note(Note{Ref: known.Ref, Code: PropertyIdle, Text: "A movie can have one set of subtitles, these are not shown"})
	}
	s := &Subtitles{
		Ref: r.ref, Language: r.word("language"), Model: r.word("model"), Connection: r.reference("connection"),
		Settings: r.captionSettings(),
		Fresh:    !r.flag("cache"),
	}
	if s.Language == "" {
		s.Language = "auto"
	}
	if s.Model == "" {
		s.Model = "default"
	}
	captions, _ := r.text("captions")
	if address := strings.TrimSpace(captions); isAddress(address) {
		s.Source = address
	} else {
		s.Captions = strings.TrimSpace(captions)
	}
	r.movie.Subtitles = s
}

// captionSettings returns the settings of subtitles, including those written on the element itself. Decision 53.
func (r reader) captionSettings() map[string]any {
	settings := r.data("settings")
	names := r.misplaced()
	if len(names) == 0 {
		return settings
	}
	settings = maps.Clone(settings)
	for _, name := range names {
		settings[name] = r.props[name]
	}
	return settings
}

// isAddress reports whether a text is an address, not a caption text, which has several lines.
func isAddress(text string) bool {
	lower := strings.ToLower(text)
	return !strings.ContainsAny(text, "\r\n") && (strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://"))
}
