package visual_test

import (
	"testing"

	"moviola/tests/studio"
)

// places are where an element can be, and how large. Movie-schema §3.1.
var places = []struct {
	name  string
	props studio.Object
}{
	{"as it is", nil},
	{"top-left", studio.Object{"position": "top-left", "width": 60}},
	{"top-right", studio.Object{"position": "top-right", "width": 60}},
	{"bottom-left", studio.Object{"position": "bottom-left", "width": 60}},
	{"bottom-right", studio.Object{"position": "bottom-right", "width": 60}},
	{"center-center", studio.Object{"position": "center-center", "width": 60}},
	{"custom", studio.Object{"x": 70, "y": 10, "width": 60}},
	{"preset with offset", studio.Object{"position": "top-right", "x": -20, "y": 30, "width": 60}},
	{"over the edge", studio.Object{"x": -31, "y": -17, "width": 120}},
	{"width", studio.Object{"x": 5, "y": 5, "width": 90}},
	{"height", studio.Object{"x": 5, "y": 5, "height": 40}},
	{"squeezed", studio.Object{"x": 5, "y": 5, "width": 40, "height": 70}},
	{"scale", studio.Object{"x": 5, "y": 5, "scale": studio.Object{"width": 100, "height": -1}}},
	{"cover", studio.Object{"resize": "cover"}},
	{"fit", studio.Object{"resize": "fit"}},
	{"crop", studio.Object{"x": 5, "y": 5, "crop": studio.Object{"x": 20, "y": 16, "width": 80, "height": 60}}},
	{"crop and width", studio.Object{"x": 5, "y": 5, "width": 120, "crop": studio.Object{"x": 20, "y": 16, "width": 80, "height": 40}}},
	{"crop and cover", studio.Object{"resize": "cover", "crop": studio.Object{"x": 120, "y": 0, "width": 60, "height": 60}}},
	{"flipped", studio.Object{"x": 20, "y": 5, "width": 100, "flip-horizontal": true}},
	{"upside down", studio.Object{"x": 20, "y": 5, "width": 100, "flip-vertical": true}},
	{"turned", studio.Object{"x": 40, "y": 15, "width": 80, "rotate": studio.Object{"angle": 30}}},
	{"turned back", studio.Object{"x": 40, "y": 15, "width": 80, "rotate": studio.Object{"angle": -90}}},
	{"half there", studio.Object{"x": 20, "y": 5, "width": 100, "opacity": 0.5}},
	{"small", studio.Object{"x": 70, "y": 40, "width": 16}},
}

// TestPlaces: where images and videos are, and how large.
func TestPlaces(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	supplies(t, s)
	for _, kind := range []string{"image", "video"} {
		src := s.URL + map[string]string{"image": "/house.png", "video": "/house.mp4"}[kind]
		var scenes []scene
		for _, p := range places {
			scenes = append(scenes, scene{name: kind + " " + p.name, elements: studio.List{element(kind, src, p.props)}})
		}
		check(t, s, "testdata/places-"+kind+".jpg", 144, 80, 6, scenes)
	}
}
