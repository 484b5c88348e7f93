package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// checked is what validate says of a movie.
func (c *client) checked(t *testing.T, movie string) object {
	t.Helper()
	return c.into(t, "POST", "/movies/validate", movie)
}

// warned tells whether a warning has a word.
func warned(report object, word string) bool {
	for _, warning := range report["warnings"].([]any) {
		if strings.Contains(strings.ToLower(warning.(string)), strings.ToLower(word)) {
			return true
		}
	}
	return false
}

// payloadRows: the properties of a movie, as far as HTTP shows them. What they look like is tested where they are drawn.
var payloadRows = []row{
	{"payload-resolution", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for name, want := range map[string][2]float64{"full-hd": {1920, 1080}, "hd": {1280, 720}, "squared": {1080, 1080}} {
			got := c.checked(t, `{"resolution":"`+name+`","scenes":[{"duration":1}]}`)
			if got["width"] != want[0] || got["height"] != want[1] || got["valid"] != true {
				t.Errorf("%s: %v x %v, %v", name, got["width"], got["height"], got["errors"])
			}
		}
	}},
	{"payload-resolution-unknown", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := c.checked(t, `{"resolution":"cinema","width":640,"height":360,"scenes":[{"duration":1}]}`)
		if got["valid"] != true || got["width"] != 640.0 || !warned(got, "cinema") {
			t.Errorf("with a size: %v %v", got["errors"], got["warnings"])
		}
		if got := c.checked(t, `{"resolution":"cinema","scenes":[{"duration":1}]}`); got["valid"] != false {
			t.Error("without a size it is valid")
		}
		c.until(t, c.submit(t, `{"resolution":"cinema","scenes":[{"duration":1}]}`), "error")
	}},
	{"payload-odd-size", func(t *testing.T, w *world) {
		got := w.plain.open(t, 0).checked(t, `{"resolution":"custom","width":641,"height":361,"scenes":[{"duration":1}]}`)
		if got["width"] != 640.0 || got["height"] != 360.0 || len(got["warnings"].([]any)) == 0 {
			t.Errorf("%v x %v, %v", got["width"], got["height"], got["warnings"])
		}
	}},
	{"payload-scenes-and-elements", func(t *testing.T, w *world) {
		got := w.plain.open(t, 0).checked(t, `{"scenes":[{"duration":1},{"duration":2}],"elements":[{"type":"text","text":"a"}]}`)
		line := got["timeline"].(object)
		if got["duration"] != 3.0 || len(line["scenes"].([]any)) != 2 || len(line["elements"].([]any)) != 1 {
			t.Errorf("%v", got)
		}
	}},
	{"payload-elements-only", func(t *testing.T, w *world) {
		got := w.plain.open(t, 0).checked(t, `{"elements":[{"type":"text","text":"a","duration":4}]}`)
		if got["valid"] != true || got["duration"] != 4.0 {
			t.Errorf("%v", got)
		}
	}},
	{"payload-no-length", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for _, movie := range []string{`{"scenes":[{}]}`, `{"elements":[{"type":"text","text":"a"}]}`, `{"scenes":[{"elements":[{"type":"text","text":"a"}]}]}`} {
			if got := c.checked(t, movie); got["duration"] != 5.0 {
				t.Errorf("%s lasts %v", movie, got["duration"])
			}
		}
	}},
	{"payload-duration-zero", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := c.until(t, c.submit(t, `{"scenes":[{"duration":0.05}]}`), "error")
		if got["message"] != "Movie duration cannot be zero" {
			t.Errorf("%v", got["message"])
		}
	}},
	{"payload-frames", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		// Two scenes of 1.01 s at 30 frames: 60.6 frames are 61.
		movie := `{"resolution":"custom","width":64,"height":64,"fps":30,"scenes":[{"duration":1.01},{"duration":1.01}]}`
		report := c.checked(t, movie)
		done := c.until(t, c.submit(t, movie), "done")
		if want := 61.0 / 30; report["duration"] != want || done["duration"] != want || done["consumed_credits"] != 3.0 || report["credits"] != 3.0 {
			t.Errorf("validate %v s %v credits, status %v s %v credits", report["duration"], report["credits"], done["duration"], done["consumed_credits"])
		}
	}},
	{"payload-id-and-client-data", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, name := range []string{"client-data", "client_data"} {
			got := c.movie(t, c.submit(t, quick(`,"id":"m-1","`+name+`":{"k":["v"]}`)))
			if got["id"] != "m-1" || fmt.Sprint(got["client-data"]) != "map[k:[v]]" {
				t.Errorf("%s: %v, %v", name, got["id"], got["client-data"])
			}
		}
		if got := c.movie(t, c.submit(t, quick(""))); got["id"] != nil || fmt.Sprint(got["client-data"]) != "map[]" {
			t.Errorf("none: %v, %v", got["id"], got["client-data"])
		}
	}},
	{"payload-lenient", func(t *testing.T, w *world) {
		got := w.plain.open(t, 0).checked(t, `{"unknown":{"a":1},"draft":"true","resolution":"custom","width":"640","height":"360","scenes":[{"duration":"2.5","mystery":1}]}`)
		if got["valid"] != true || got["width"] != 640.0 || got["draft"] != true || got["duration"] != 2.52 {
			t.Errorf("%v", got)
		}
	}},
	{"payload-null", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, movie := range []string{
			`{"scenes":[{"duration":2,"elements":null,"transition":null,"condition":null}],"elements":null,"exports":null,"variables":null,"settings":null,"template":null}`,
			`{"scenes":null,"elements":[{"type":"text","text":"a","duration":2,"settings":null,"start":null,"iterate":null}],"project":null,"preload":null}`,
		} {
			if got := c.checked(t, movie); got["valid"] != true || got["duration"] != 2.0 {
				t.Errorf("%s: %v", movie, got)
			}
			c.submit(t, movie)
		}
		c.refused(t, "POST", "/movies", `{"scenes":[],"elements":"null"}`, 400, "movie_json_invalid", "")
	}},
	{"payload-duplicate-keys", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		if got := c.checked(t, `{"scenes":[{"duration":1,"duration":2}]}`); got["duration"] != 2.0 {
			t.Errorf("the last one does not count: %v", got["duration"])
		}
	}},
	{"payload-element-mistakes-accepted", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, element := range []string{`{"type":"video"}`, `{"type":"hologram"}`, `{}`, `{"type":7}`} {
			movie := `{"scenes":[{"elements":[{"type":"text","text":"fine"},` + element + `]}]}`
			if got := c.checked(t, movie); got["valid"] != false {
				t.Errorf("%s is valid", element)
			}
			got := c.until(t, c.submit(t, movie), "error")
			text := strings.ToLower(fmt.Sprint(got["message"]))
			if !strings.Contains(text, "scene #1") || !strings.Contains(text, "element #2") {
				t.Errorf("%s: %v", element, got["message"])
			}
		}
	}},
	{"payload-video-src-required", func(t *testing.T, w *world) {
		got := w.plain.open(t, 0).checked(t, `{"scenes":[{"elements":[{"type":"video"}]}]}`)
		if text := fmt.Sprint(got["errors"]); !strings.Contains(text, "src") {
			t.Errorf("%s", text)
		}
	}},
	{"payload-template-element", func(t *testing.T, w *world) {
		answer := w.plain.open(t, 0).call(t, "POST", "/movies/validate", `{"scenes":[{"elements":[{"type":"template","component":"basic/001"}]}]}`)
		if answer.Header.Get("Deprecation") == "" {
			t.Error("no Deprecation")
		}
	}},
	{"payload-cache", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie := short(`,"comment":"` + t.Name() + `"`)
		first := c.until(t, c.submit(t, movie), "done")
		c.settled(t, 599)
		again := c.until(t, c.submit(t, strings.Replace(movie, `"scenes"`, `"id":"other","scenes"`, 1)), "done")
		if again["consumed_credits"] != 0.0 || again["url"] == first["url"] || again["url"] == nil || again["project"] == first["project"] {
			t.Errorf("the second: %v credits, %v", again["consumed_credits"], again["url"])
		}
		c.settled(t, 599)
		fresh := c.until(t, c.submit(t, strings.Replace(movie, `"scenes"`, `"cache":false,"scenes"`, 1)), "done")
		if fresh["consumed_credits"] != 1.0 {
			t.Errorf("with cache false: %v credits", fresh["consumed_credits"])
		}
		other := w.plain.open(t, 600)
		if got := other.until(t, other.submit(t, movie), "done"); got["consumed_credits"] != 1.0 {
			t.Errorf("another account: %v credits", got["consumed_credits"])
		}
	}},
	{"payload-thumbnail", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := c.until(t, c.submit(t, short(`,"thumbnail":0.5`)), "done")
		answer := c.send(t, "GET", strings.TrimPrefix(got["thumbnail"].(string), publicURL), "")
		if answer.Status != 200 || answer.Header.Get("Content-Type") != "image/jpeg" || !strings.HasPrefix(string(answer.Body), "\xff\xd8") {
			t.Errorf("%d %s", answer.Status, answer.Header.Get("Content-Type"))
		}
	}},
	{"payload-whole-json-5000-elements", func(t *testing.T, w *world) {
		got := w.plain.open(t, 0).checked(t, `{"elements":[`+strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"a"},`, 5000), ",")+`]}`)
		if len(got["timeline"].(object)["elements"].([]any)) != 5000 {
			t.Errorf("%v", got["errors"])
		}
	}},
}
