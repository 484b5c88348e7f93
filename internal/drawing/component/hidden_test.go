package component_test

import (
	"image"
	"maps"
	"strings"
	"testing"

	"moviola/internal/drawing/goldentest"
)

// TestOpen_HiddenGroups: each group that is drawn is left out by display and by visibility.
func TestOpen_HiddenGroups(t *testing.T) {
	t.Parallel()
	all := maps.Clone(typical)
	all["shape/3dbox "] = object{ // its documented groups
		"size": object{"width": "30vw", "height": "20vw", "depth": "6vw"}, "front": object{"background": "gold"}, "left": object{"background": "red"},
		"destination": object{"rotateY": "-30deg", "duration": 500},
	}
	all["shape/cutout "] = object{"background": object{"background": "gold"}, "cutout": object{"shape": "circle"}}
	for id, groups := range all {
		id = strings.TrimSpace(id)
		late := 100.0
		switch id { // what is gone in the end
		case "advanced/000", "advanced/051":
			late = 1
		}
		shown := tile(id, frame(t, open(t, id, groups), late))
		for name, value := range groups {
			if name == "data" || name == "size" || name == "destination" {
				continue // no part of the picture
			}
			for property, word := range map[string]string{"display": "none", "visibility": "hidden"} {
				group := maps.Clone(value.(object))
				group[property] = word
				changed := maps.Clone(groups)
				changed[name] = group
				if d := goldentest.Difference(shown, tile(id, frame(t, open(t, id, changed), late))); d < 0.01 {
					t.Errorf("%s: %s is seen with %s %s", id, name, property, word)
				}
			}
		}
	}
}

// TestOpen_TextboxWithAPicture: a box with a picture and no text is drawn, wherever it has moved to.
func TestOpen_TextboxWithAPicture(t *testing.T) {
	t.Parallel()
	box := object{"left": "0%", "top": "0%", "width": "50%", "height": "50%", "background-image": "url(a)", "animate": object{"left": "50%", "width": "25%"}}
	if got, want := seen(t, "textbox/simple", object{"textbox1": box}), image.Rect(160, 0, 240, 90); got != want {
		t.Errorf("it is seen in %v, want %v", got, want)
	}
	box["display"] = "none"
	if got := seen(t, "textbox/simple", object{"textbox1": box}); !got.Empty() {
		t.Errorf("it is seen in %v although it is hidden", got)
	}
}
