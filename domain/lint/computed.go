package lint

import (
	"strings"

	"moviola/domain/document"
	"moviola/domain/jsontext"
)

// computed checks settings that contain expressions: it compares their computed values with the table of properties. It does so
// for the settings of texts and components; notes of other packages cover scenes, elements and captions.
func (w *where) computed(c *collector) {
	for e := range w.in.Movie.All() {
		if c.enough() {
			return
		}
		written, _ := w.made(e.Ref)["settings"].(map[string]any)
		switch {
		case written == nil:
		case e.Component != nil:
			w.computedGroups(c, e, written)
		case e.Ref.Type == document.TypeText:
			w.computedSettings(c, e, written)
		}
	}
}

// computedSettings checks the computed settings of a text element.
func (w *where) computedSettings(c *collector, e *document.Element, written map[string]any) {
	var room [usualNames]string
	for _, name := range sortedNames(room[:0], written) {
		if !computed(written[name]) {
			continue
		}
		p, known := document.Find(document.SettingsKind(document.TypeText), name)
		value := e.Settings[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")]
		if known && value != "" {
			w.hold(c, e.Ref, jsontext.Pointer("/settings", name), p, value)
		}
	}
}

// computedGroups checks the computed settings of a component, group by group.
func (w *where) computedGroups(c *collector, e *document.Element, written map[string]any) {
	var room, inner [usualNames]string
	for _, name := range sortedNames(room[:0], written) {
		before, _ := written[name].(map[string]any)
		after, _ := e.Component.Settings[name].(map[string]any)
		kind := document.ComponentKind(e.Component.ID, name)
		for _, setting := range sortedNames(inner[:0], before) {
			if !computed(before[setting]) || after[setting] == nil {
				continue
			}
			if p, known := document.Find(kind, setting); known {
				w.hold(c, e.Ref, jsontext.Pointer("/settings", name, setting), p, after[setting])
			}
		}
	}
}

// hold checks a value of a property against the table of properties, and adds a problem if the value is wrong.
func (w *where) hold(c *collector, ref document.Ref, path string, p document.Property, value any) {
	// A ruler without an address function does not check whether addresses can be fetched. The check of the sources does
	// that.
	var r ruler
	if p.Type == document.DataType || p.Type == document.AddressType || p.Type == document.ObjectType ||
		p.Type == document.ListType {
		return
	}
	problem := r.judge(p, p.Type, value)
	if problem != nil && p.Or != "" {
		problem = r.judge(p, p.Or, value)
	}
	if problem != nil {
		problem.Severity = Warning
		w.found(c, ref, path, *problem)
	}
}
