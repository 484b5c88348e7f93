package component_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"moviola/domain/document"
	"moviola/internal/drawing/component"
)

// stylesOf splits the rows of a group into its own and the styles that every group has: those begin with the shorthand of a font.
func stylesOf(rows []document.Property) (own, styles []document.Property) {
	at := slices.IndexFunc(rows, func(p document.Property) bool { return p.Name == "font" })
	return rows[:at], rows[at:]
}

// TestTable: the table of properties has the components and styles that are drawn, under all their names, and no others.
func TestTable(t *testing.T) {
	t.Parallel()
	if ids := component.IDs(); !slices.Equal(slices.Sorted(slices.Values(ids)), document.Components()) {
		t.Errorf("drawn are %v\nthe table has %v", ids, document.Components())
	}
	_, styles := stylesOf(document.Lookup(document.ComponentKind("basic/000", "card")))
	var listed []string
	for _, p := range styles {
		listed = append(append(listed, p.Name), p.Aliases...)
	}
	slices.Sort(listed)
	if read := component.StyleNames(); !slices.Equal(read, listed) {
		t.Errorf("styles that are read: %v\nstyles in the table: %v", read, listed)
	}
}

// values are for properties whose example is what a group does without it.
var values = map[string]string{
	"easing": `"easeInBounce"`, "duration": "1700", "moviola/panel box final-width": `"20%"`, "basic/100 box initial-left": `"30%"`, "moviola/panel box initial-left": `"30%"`,
	"shape/3dbox origin left": `"70%"`, "shape/3dbox origin top": `"70%"`, "shape/3dbox destination left": `"70%"`, "shape/3dbox destination top": `"70%"`,
}

// panel is what panels are looked at in.
var panel = object{"box": object{"initial-left": "100%", "final-left": "40%", "final-width": "50%", "background": "coral", "duration": 2000}}

// beside are the settings that a property, or a whole group, is looked at in; without an entry it is those of typical.
var beside = map[string]object{
	"basic/001 card":        {"card": object{"background": "navy"}, "headline": "A headline"},
	"moviola/bar-card card": {"card": object{"background": "navy"}, "headline": "A headline"},
	"basic/100 box":         panel, "moviola/panel box": panel,
	"shape/cutout cutout stroke-width": {"background": object{"background": "coral"}, "cutout": object{"left": "20%", "width": "50%", "stroke": "white"}},
	"basic/120 image src":              {"image": object{"width": "25%"}},
	"moviola/profile image src":        {"image": object{"width": "25%"}},
	"shape/3dbox size":                 {"front": object{"background": "tomato"}},
	"shape/3dbox origin":               {"front": object{"background": "tomato"}, "size": object{"width": "30vw", "height": "20vw", "depth": "9vw"}},
	"shape/3dbox destination":          {"front": object{"background": "tomato"}, "size": object{"width": "30vw", "height": "20vw", "depth": "9vw"}},
	"shape/cutout cutout":              {"background": object{"background": "coral"}},
	"shape/cutout cutout points":       {"background": object{"background": "coral"}, "cutout": object{"shape": "polygon"}},
	"shape/cutout cutout stroke":       {"background": object{"background": "coral"}, "cutout": object{"left": "20%", "width": "50%"}},
	"shape/html html text":             {"html1": object{"background": "#222"}},
	"shape/html html min-font-size":    {"html1": object{"html": strings.Repeat("many words ", 60), "font-size": "auto"}},
	"shape/html html max-font-size":    {"html1": object{"html": "a", "font-size": "auto"}},
	"shape/polygon polygon":            {"polygon1": object{"left": "10%", "top": "10%", "width": "50%", "height": "70%", "stroke": "white"}},
}

// exempt are the properties that are not held here, with the reason.
var exempt = map[string]string{}

// TestTable_Effects: every property of every group of every component changes its picture at some time.
func TestTable_Effects(t *testing.T) {
	t.Parallel()
	n := 0
	for _, id := range document.Components() {
		for _, name := range document.ComponentGroups(id) {
			own, _ := stylesOf(document.Lookup(document.ComponentKind(id, name)))
			for _, p := range own {
				key := id + " " + name + " " + p.Name
				if reason := exempt[key]; reason != "" {
					continue
				}
				n++
				if !changes(t, id, name, p) {
					t.Errorf("%s: %s changes nothing", key, p.Example)
				}
			}
		}
	}
	t.Logf("%d properties are held", n)
}

// changes says whether a property of a group changes the picture of a component.
func changes(t *testing.T, id, name string, p document.Property) bool {
	t.Helper()
	at := id + " " + name
	settings := maps.Clone(typical[id])
	for _, key := range []string{at, at + " " + p.Name} {
		if some, ok := beside[key]; ok {
			settings = maps.Clone(some)
		}
	}
	key := name
	if _, numbered := settings[name+"1"]; numbered {
		key += "1"
	}
	without := object{}
	if group, ok := settings[key].(object); ok {
		without = maps.Clone(group)
	}
	delete(without, p.Name)
	raw := cmp.Or(values[at+" "+p.Name], values[p.Name], p.Example)
	var value any
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		t.Fatal(err)
	}
	with := maps.Clone(without)
	with[p.Name] = value
	settings[key] = without
	a := open(t, id, settings)
	settings[key] = with
	b := open(t, id, settings)
	end := max(a.Settled(), b.Settled())
	for _, share := range []float64{1, 0.5, 0.2, 0.05, 0.8, 0.65, 0.35, 0.9, 0.72, 0.95} {
		if !same(frame(t, a, share*end), frame(t, b, share*end)) {
			return true
		}
	}
	return false
}

// styled are the parts on which styles are looked at, one after the other until one of them changes.
var styled = []struct {
	id, group string
	settings  object
}{
	{"textbox/simple", "textbox", object{"textbox1": object{"text": "Doors open at eight", "width": "60%", "left": "20%", "top": "20%", "background": "navy"}}},
	{"basic/120", "image", object{"image": object{"background-image": "url(a)", "width": "25%", "height": "25%"}, "name": object{"text": "Jane", "font-size": "5vw"}}},
	{"basic/000", "headline", object{"card": object{"background": "navy"}, "headline": object{"text": "Doors open at eight", "border-width": "4px"}, "body": "Bring a friend"}},
	{"basic/000", "card", object{"card": object{"background": "navy"}, "headline": "Doors open at eight and it goes on until late at night"}},
	{"basic/125", "table", typical["basic/125"]},
	{"basic/001", "card", object{"card": object{"background": "navy", "height": "5vw"}, "headline": "Doors open at eight", "body": []any{"And", "it", "goes", "on"}}},
}

// TestTable_StyleEffects: every style changes how some part looks.
func TestTable_StyleEffects(t *testing.T) {
	t.Parallel()
	_, styles := stylesOf(document.Lookup(document.ComponentKind("basic/000", "card")))
	for _, p := range styles {
		switch p.Name {
		case "font-url":
			continue // its file is the movie's: tests of the renderer hold it
		case "text-align":
			p.Example = `"right"` // the part is set flush left without it
		}
		seen := false
		for _, s := range styled {
			seen = seen || changesStyle(t, s.id, s.group, s.settings, p)
		}
		if !seen {
			t.Errorf("%s: %s changes nothing", p.Name, p.Example)
		}
	}
	t.Logf("%d styles are held", len(styles))
}

// changesStyle says whether a style of a part changes its picture.
func changesStyle(t *testing.T, id, name string, settings object, p document.Property) bool {
	t.Helper()
	key := name
	if _, numbered := settings[name+"1"]; numbered {
		key += "1"
	}
	var value any
	if err := json.Unmarshal([]byte(p.Example), &value); err != nil {
		t.Fatal(err)
	}
	group, ok := settings[key].(object)
	if !ok {
		t.Fatalf("%s: no group %s", id, key)
	}
	with, group := maps.Clone(settings), maps.Clone(group)
	group[p.Name] = value
	with[key] = group
	const late = 100
	return !same(frame(t, open(t, id, settings), late), frame(t, open(t, id, with), late))
}
