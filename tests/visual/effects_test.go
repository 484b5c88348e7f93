package visual_test

import (
	"testing"

	"moviola/domain/document"
	"moviola/tests/studio"
)

// TestDress: masks, chroma keys and corrections, of images and videos. Movie-schema §3.1.
func TestDress(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	supplies(t, s)
	key := func(tolerance int) studio.Object {
		return studio.Object{"chroma-key": studio.Object{"color": "#00b140", "tolerance": tolerance}}
	}
	correction := func(name string, value float64) studio.Object {
		return studio.Object{"correction": studio.Object{name: value}}
	}
	for kind, ending := range map[string]string{"image": ".png", "video": ".mp4"} {
		var scenes []scene
		for _, one := range []struct {
			name, art string
			props     studio.Object
		}{
			{"mask", "house", studio.Object{"mask": s.URL + "/disc.png"}}, {"mask that moves", "house", studio.Object{"mask": s.URL + "/wipe.mp4"}},
			{"key 1", "green", key(1)}, {"key 25", "green", key(25)}, {"key 60", "green", key(60)}, {"key 100", "green", key(100)},
			{"darker", "house", correction("brightness", -0.3)}, {"brighter", "house", correction("brightness", 0.3)},
			{"flat", "house", correction("contrast", 0.4)}, {"hard", "house", correction("contrast", 2)}, {"negative", "house", correction("contrast", -1)},
			{"gamma down", "house", correction("gamma", 0.5)}, {"gamma up", "house", correction("gamma", 2)},
			{"grey", "house", correction("saturation", 0)}, {"colourful", "house", correction("saturation", 2.5)},
			{"all at once", "green", studio.Object{"chroma-key": studio.Object{"color": "#00b140"}, "mask": s.URL + "/disc.png", "flip-horizontal": true,
				"opacity": 0.8, "rotate": studio.Object{"angle": 15}, "correction": studio.Object{"saturation": 0.5}}},
		} {
			props := studio.Object{"x": 8, "y": 4, "width": 108}
			for name, value := range one.props {
				props[name] = value
			}
			scenes = append(scenes, scene{
				name: kind + " " + one.name, seconds: 0.6, at: []float64{0.48},
				elements: studio.List{element(kind, s.URL+"/"+one.art+ending, props)},
			})
		}
		check(t, s, "testdata/dress-"+kind+".jpg", 124, 80, 8, scenes)
	}
}

// TestMotion: what moves, at its beginning, in its middle and at its end.
func TestMotion(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	supplies(t, s)
	for kind, ending := range map[string]string{"image": ".png", "video": ".mp4"} {
		var scenes []scene
		for _, one := range []struct {
			name  string
			props studio.Object
		}{
			{"zoom in", studio.Object{"zoom": 5}}, {"zoom out", studio.Object{"zoom": -5}},
			{"pan left", studio.Object{"pan": "left"}}, {"pan right", studio.Object{"pan": "right"}}, {"pan up", studio.Object{"pan": "top"}},
			{"pan down", studio.Object{"pan": "bottom"}}, {"pan to a corner", studio.Object{"pan": "bottom-right"}},
			{"pan far", studio.Object{"pan": "right", "pan-distance": 0.4}}, {"pan without crop", studio.Object{"pan": "right", "pan-distance": 0.3, "pan-crop": false}},
			{"zoom to a corner", studio.Object{"zoom": 8, "pan": "top-right"}},
			{"turning", studio.Object{"rotate": studio.Object{"angle": 180, "speed": 1}}}, {"turning and zoom", studio.Object{"rotate": studio.Object{"angle": -90, "speed": 1}, "zoom": 5}},
			{"fade in", studio.Object{"fade-in": 0.8}}, {"fade out", studio.Object{"fade-out": 0.8}},
			{"late and lingering", studio.Object{"start": 0.2, "duration": 0.4, "extra-time": 0.2}},
		} {
			props := studio.Object{"x": 12, "y": 8, "width": 96}
			for name, value := range one.props {
				props[name] = value
			}
			scenes = append(scenes, scene{
				name: kind + " " + one.name, seconds: 1, at: []float64{0, 0.48, 0.96},
				elements: studio.List{element(kind, s.URL+"/house"+ending, props)},
			})
		}
		check(t, s, "testdata/motion-"+kind+".jpg", 120, 80, 9, scenes)
	}
}

// TestTransitions: each of the 44 in its middle, and the one that a movie begins with, from black.
func TestTransitions(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	supplies(t, s)
	if len(document.TransitionStyles) != 44 {
		t.Errorf("there are %d transitions", len(document.TransitionStyles))
	}
	// Scenes of 0.8 s that overlap by 0.4 s: the middle of the nth transition is 5 frames behind the beginning of its scene.
	styles := append([]string{"wipeleft"}, document.TransitionStyles...)
	var scenes studio.List
	var numbers []int
	var names []string
	for i, style := range styles {
		src := s.URL + []string{"/house.png", "/other.png"}[i%2]
		scenes = append(scenes, studio.Object{
			"duration": 0.8, "transition": studio.Object{"style": style, "duration": 0.4},
			"elements": studio.List{element("image", src, studio.Object{"resize": "cover"})},
		})
		// In the middle of these three there is nothing of either scene to be seen.
		at := map[string]int{"circlecrop": 3, "rectcrop": 3, "zoomin": 2}[style]
		if at == 0 {
			at = 5
		}
		numbers, names = append(numbers, 10*i+at), append(names, style)
	}
	names[0] = "from black"
	checkFrames(t, s, "testdata/transitions.jpg", 96, 64, 9, studio.Object{"scenes": scenes}, numbers, names)
}
