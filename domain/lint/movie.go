package lint

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"moviola/domain/document"
	"moviola/domain/jsontext"
)

// movie adds problems that are found only in the whole movie: of sources, components, providers, destinations, and elements
// that are never shown.
func (w *where) movie(c *collector) {
	m := w.in.Movie
	w.sources(c)
	for e := range m.All() {
		w.component(c, e)
	}
	w.computed(c)
	w.captions(c)
	w.destinations(c)
	w.hidden(c)
}

// found adds a problem with a property of an element.
func (w *where) found(c *collector, ref document.Ref, path string, p Problem) {
	n := document.Note{Ref: ref, Path: path, Text: p.Message}
	at := w.place(n)
	p.Template, p.Pointer = at.template, at.pointer
	p.warning = n.String()
	c.add(p)
}

// sources checks that every source of the movie can be fetched or generated.
func (w *where) sources(c *collector) {
	for _, s := range document.Sources(w.in.Movie) {
		if s.URL == "" {
			w.provider(c, s, map[string]string{document.TypeVoice: "/model"}[s.Kind], s.Ref)
			continue
		}
		path := map[string]string{document.KindMask: "/mask", document.KindCaptions: "/captions",
			document.KindFont: "/settings"}[s.Kind]
		switch {
		case path == "" && s.Ref.Type == document.TypeComponent:
			path = "/settings"
		case path == "":
			path = "/src"
		}
		w.address(c, s.Ref, path, s.URL)
	}
	for e := range w.in.Movie.All() {
		if e.Page != nil && e.Page.HTML == "" && e.Page.Src != "" {
			w.address(c, e.Ref, "/src", e.Page.Src)
		}
	}
}

// address adds a problem if an address cannot be fetched, because the render would fail.
func (w *where) address(c *collector, ref document.Ref, path, address string) {
	r := ruler{address: w.in.Outside.Address}
	p := r.reachable(path[1:], address)
	if p == nil {
		return
	}
	p.Severity, p.Refusal = Error, "asset_download_failed"
	if element := w.made(ref); path == "/settings" {
		path += holding(element["settings"], address)
	}
	w.found(c, ref, path, *p)
}

// holding returns the pointer, below value, of the text that contains an address; empty: the address comes from an expression.
func holding(value any, address string) string {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[name].(string); ok && strings.Contains(text, address) {
				return jsontext.Pointer("", name)
			}
			if inner := holding(v[name], address); inner != "" {
				return jsontext.Pointer("", name) + inner
			}
		}
	case []any:
		for i, item := range v {
			if inner := holding(item, address); inner != "" {
				return jsontext.Pointer("", strconv.Itoa(i)) + inner
			}
		}
	}
	return ""
}

func (w *where) provider(c *collector, s document.Source, path string, ref document.Ref) {
	if w.in.Outside.Provider == nil {
		return
	}
	if why := w.in.Outside.Provider(s); why != "" {
		if path == "" {
			path = "/prompt"
		}
		w.found(c, ref, path, Problem{Code: ProviderMissing, Severity: Error, Message: why, Refusal: "provider_missing",
			Remedy: "Save a connection to a provider and name it in 'connection', or ask the operator to configure one"})
	}
}

// captions checks that a provider can transcribe the sound, if the subtitles need it.
func (w *where) captions(c *collector) {
	s := w.in.Movie.Subtitles
	if s == nil || s.Captions != "" || s.Source != "" {
		return
	}
	for e := range w.in.Movie.All() {
		if e.Ref.Type == document.TypeVoice { // a voice has text, so its words are known without transcription
			return
		}
	}
	w.provider(c, document.Source{Ref: s.Ref, Key: s.Connection, Kind: document.KindCaptions}, "/model", s.Ref)
}

func (w *where) component(c *collector, e *document.Element) {
	if e.Component == nil || e.Component.ID == "" || slices.Contains(document.Components(), e.Component.ID) {
		return
	}
	p := Problem{Code: ComponentUnknown, Severity: Error, Refusal: "component_unknown",
		Message: "The component '" + document.Shorten(e.Component.ID) + "' does not exist",
		Remedy:  "Use one of the components of docs/components.md"}
	if near, ok := document.NearestWord(document.Components(), e.Component.ID); ok {
		p.Message += ": did you mean '" + near + "'?"
		p.Remedy = "Write \"" + near + "\""
	}
	w.found(c, e.Ref, "/component", p)
}

// destinations adds a problem for each destination to which nothing can be delivered. The movie is rendered nevertheless.
func (w *where) destinations(c *collector) {
	destinations, err := document.Destinations(w.in.Movie)
	invalid := func(path, why string) {
		at := w.top(path)
		c.add(Problem{Template: at.template, Pointer: at.pointer, Code: DestinationInvalid, Severity: Error, Message: why,
			Refusal: "exports_invalid",
			Remedy:  "Correct it, or nothing is delivered there"})
	}
	if refusal, ok := asRefusal(err); ok {
		invalid("/exports", refusal.Message)
		return
	}
	for i, d := range destinations {
		why := d.Problem
		if why == "" && w.in.Outside.Destination != nil {
			why = w.in.Outside.Destination(d)
		}
		if why == "" {
			continue
		}
		path := jsontext.Pointer("", "exports", "0", "destinations", strconv.Itoa(i))
		if _, isList := w.exports().([]any); !isList {
			path = jsontext.Pointer("", "exports", "destinations", strconv.Itoa(i))
		}
		invalid(path, why)
	}
}

// exports returns the movie's exports as written.
func (w *where) exports() any { return w.in.Filled["exports"] }

// hidden adds a problem for each element that is never shown, whether every source lasts a second or a day.
func (w *where) hidden(c *collector) {
	m := w.in.Movie
	const long = 24 * 3600
	none := document.Time(m, func(string) (document.Seconds, bool) { return document.SecondsOf(1), true })
	if !anyHidden(none) {
		return
	}
	all := document.Time(m, func(string) (document.Seconds, bool) { return document.SecondsOf(long), true })
	for i, scene := range m.Scenes {
		for j := range scene.Elements {
			w.never(c, &scene.Elements[j], none.SceneElements[i][j], all.SceneElements[i][j], "its scene")
		}
	}
	for i := range m.Elements {
		w.never(c, &m.Elements[i], none.Elements[i], all.Elements[i], "the movie")
	}
}

// anyHidden reports whether a timing has an element that is never shown.
func anyHidden(t document.Timing) bool {
	hidden := func(spans []document.Span) bool {
		return slices.ContainsFunc(spans, func(s document.Span) bool { return s.End.Cmp(s.Start) <= 0 })
	}
	return hidden(t.Elements) || slices.ContainsFunc(t.SceneElements, hidden)
}

func (w *where) never(c *collector, e *document.Element, short, long document.Span, container string) {
	if w.in.Movie.Waits() || short.End.Cmp(short.Start) > 0 || long.End.Cmp(long.Start) > 0 {
		return
	}
	p := Problem{Code: ElementNeverShown, Severity: Warning,
		Message: "The element begins when " + container + " has ended: it is never shown",
		Remedy:  "Let it 'start' earlier, or let " + container + " last longer"}
	path := "/start"
	if e.Length.Kind == document.Fixed && e.Length.Value.Sign() == 0 {
		path, p.Message = "/duration", "The element lasts 0 seconds: it is never shown"
		p.Remedy = "Give it a longer 'duration', or remove it"
	}
	w.found(c, e.Ref, path, p)
}
