package timeline_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
	"moviola/domain/preload"
	"moviola/domain/timeline"
)

// stage is a movie in which an object of some kind stands.
type stage struct {
	movie  string // with %s where the object is
	object string // without the property that is looked at
}

const (
	inScene = `{"variables": {"products": ["a", "b", "c"], "headline": "Out"}, "scenes": [{"id": "intro", "duration": 6, "elements": [
		{"type": "text", "text": "before", "duration": 2}, %s, {"type": "text", "id": "after", "text": "after {{logo_start}}"}]}]}`
	inMovie = `{"scenes": [{"duration": 6}], "elements": [%s]}`
)

// stages are where the kinds of objects are looked at. The settings of an element stand in it, as do the objects that it has.
var stages = map[string]stage{
	document.MovieKind: {`%s`, `{"variables": {"headline": "Out"}, "scenes": [{"id": "intro", "background-color": "transparent", "elements": [
		{"type": "text", "text": "{{headline}}", "duration": 4}]}]}`},
	document.SceneKind: {`{"variables": {"products": ["a", "b", "c"], "headline": "Out"}, "thumbnail": {"scene": "outro"}, "scenes": [
		{"id": "first", "duration": 3, "elements": [{"type": "text", "text": "imported"}]}, %s]}`,
		`{"elements": [{"type": "text", "text": "{{headline}}{{product}}", "duration": 4}]}`},
	"thumbnail":              {`{"scenes": [{"duration": 3}, {"id": "intro", "duration": 3}], "thumbnail": %s}`, `{}`},
	"transition":             {`{"scenes": [{"duration": 3}, {"duration": 3, "transition": %s}]}`, `{"style": "slideup"}`},
	document.ExportKind:      {`{"scenes": [{}], "exports": [%s]}`, `{}`},
	document.DestinationKind: {`{"scenes": [{}], "exports": [{"destinations": [%s]}]}`, `{"type": "sftp"}`},
	document.PreloadKind:     {`{"scenes": [{}], "preload": [%s]}`, `{"id": "a", "type": "image", "src": "https://e.example/a.png"}`},

	"element:image":                    {inScene, `{"type": "image", "src": "https://e.example/photo.jpg", "width": 300, "pan": "left"}`},
	"element:video":                    {inScene, `{"type": "video", "src": "https://e.example/clip.mp4", "width": 300, "pan": "left"}`},
	"element:text":                     {inScene, `{"type": "text", "text": "Hello", "pan": "left"}`},
	"element:html":                     {inScene, `{"type": "html", "html": "Hello", "pan": "left"}`},
	"element:component":                {inScene, `{"type": "component", "component": "basic/000", "pan": "left"}`},
	"element:template":                 {inScene, `{"type": "template", "template": "basic/000", "pan": "left"}`},
	"element:audio":                    {inScene, `{"type": "audio", "src": "https://e.example/music.mp3"}`},
	"element:voice":                    {inScene, `{"type": "voice", "text": "Hello"}`},
	"element:audiogram":                {inScene, `{"type": "audiogram", "pan": "left"}`},
	"element:subtitles":                {inMovie, `{"type": "subtitles"}`},
	document.SettingsKind("text"):      {inElement(`{"type": "text", "text": "Hello world", "settings": %s}`), `{"background-color": "red"}`},
	document.SettingsKind("html"):      {inElement(`{"type": "html", "html": "Hello", "settings": %s}`), `{}`},
	document.SettingsKind("subtitles"): {fmt.Sprintf(inMovie, `{"type": "subtitles", "settings": %s}`), `{}`},
	"crop":                             {inElement(`{"type": "image", "src": "https://e.example/photo.jpg", "crop": %s}`), `{"width": 100, "height": 100}`},
	"scale":                            {inElement(`{"type": "image", "src": "https://e.example/photo.jpg", "scale": %s}`), `{}`},
	"rotate":                           {inElement(`{"type": "image", "src": "https://e.example/photo.jpg", "rotate": %s}`), `{"angle": 10}`},
	"chroma-key":                       {inElement(`{"type": "image", "src": "https://e.example/photo.jpg", "chroma-key": %s}`), `{"color": "red"}`},
	"correction":                       {inElement(`{"type": "image", "src": "https://e.example/photo.jpg", "correction": %s}`), `{}`},
	"capture":                          {inElement(`{"type": "html", "html": "Hello", "capture": %s}`), `{}`},
}

func inElement(element string) string { return fmt.Sprintf(inScene, element) }

// values are for properties whose example changes nothing by itself: the members that the object has in both movies, and the value. A minus
// takes the property away in the movie without it.
var values = map[string]struct{ around, value string }{
	"movie variables":                 {"", `{"headline": "In"}`},
	"scene id":                        {"", `"outro"`},
	"scene import":                    {"", `"first"`},
	"scene variables":                 {"", `{"headline": "In"}`},
	"scene iterate":                   {"", `"products"`},
	"scene iterate-as":                {`"iterate": "products"`, `"product"`},
	"scene iterate-from":              {`"iterate": "products"`, `2`},
	"scene iterate-to":                {`"iterate": "products"`, `2`},
	"scene iterate-step":              {`"iterate": "products"`, `2`},
	"transition style":                {`"duration": 0.5`, `"fade"`},
	"element id":                      {"", `"logo"`},
	"element variables":               {`"condition": "{{ flag }}"`, `{"flag": true}`},
	"element iterate":                 {"", `"products"`},
	"element iterate-as":              {`"iterate": "products", "condition": "{{ product == 'a' }}"`, `"product"`},
	"element iterate-from":            {`"iterate": "products"`, `2`},
	"element iterate-to":              {`"iterate": "products"`, `2`},
	"element iterate-step":            {`"iterate": "products"`, `2`},
	"element start":                   {"", `1`},
	"element extra-time":              {`"duration": 1`, `1`},
	"element pan":                     {"", `"right"`},
	"element pan-crop":                {"", `false`},
	"element height":                  {"", `222`},
	"element width":                   {"", `222`},
	"element scale":                   {`"width": -1`, `{"width": 111, "height": 111}`},
	"element crop":                    {"", `{"width": 50, "height": 50}`},
	"element duration":                {"", `1`},
	"scale height":                    {"", `111`},
	"scene background-color":          {"", `"#102030"`},
	"settings:text text-stroke-color": {`"text-stroke-width": "2px"`, `"red"`},
	"settings:text border-color":      {`"border-width": "2px"`, `"blue"`},
	"settings:text border-style":      {`"border": "2px solid white"`, `"none"`},
	"element position":                {`"width": 100, "height": 100`, `"bottom-right"`},
	"element resize":                  {`"width": 100, "height": 100`, `"cover"`},
	"element loop":                    {`"seek": 18`, `2`},
	"element opacity":                 {"", `0.7`},
	"element:html src":                {`"html": null`, `"https://e.example/page"`},
	"element:image prompt":            {`"src": null`, `"A lighthouse"`},
	"element:image model":             {`"src": null, "prompt": "A lighthouse"`, `"x"`},
	"element:image aspect-ratio":      {`"src": null, "prompt": "A lighthouse"`, `"vertical"`},
	"element:image connection":        {`"src": null, "prompt": "A lighthouse"`, `"x"`},
	"element:image model-settings":    {`"src": null, "prompt": "A lighthouse"`, `{"x": 1}`},
	"element:image save-to-media":     {`"src": null, "prompt": "A lighthouse"`, `true`},
}

const oneSet = "a movie has one set of subtitles, however often they are repeated"

// exempt are the properties that TestProperties leaves out, with the reason.
var exempt = map[string]string{
	"movie client-data":            "it is echoed from the stored document, by domain/result",
	"element:subtitles iterate-as": oneSet, "element:subtitles iterate-from": oneSet, "element:subtitles iterate-to": oneSet,
	"element:subtitles iterate-step": oneSet, "element:subtitles iterate": oneSet,
}

// TestProperties: a movie with a property is another one than without: in its plan (times, layers, sound), its sources, or what is answered
// and delivered. A row of the table that changes nothing fails.
func TestProperties(t *testing.T) {
	t.Parallel()
	held := 0
	for _, kind := range slices.Sorted(maps.Keys(stages)) {
		for _, p := range document.Lookup(kind) {
			key := kind + " " + p.Name
			reason := exempt[key]
			if p.Name == "type" && strings.HasPrefix(kind, "element:") {
				reason = "it says which kind of object it is"
			}
			if reason != "" {
				t.Logf("%s is left out: %s", key, reason)
				continue
			}
			without, with := pair(t, kind, p)
			a, b := observe(t, without), observe(t, with)
			same := cmp.Equal(a, b, cmp.Exporter(func(reflect.Type) bool { return true }))
			if same != p.Idle {
				t.Errorf("%s: idle %v, but the movie is the same: %v\n%s\n%s\n%s", key, p.Idle, same, with, a.Err, b.Err)
			}
			if b.Err != "" {
				t.Errorf("%s: %s\n%s", key, b.Err, with)
			}
			held++
		}
	}
	t.Logf("%d properties are held", held)
}

// pair are a movie without a property and the same with it.
func pair(t *testing.T, kind string, p document.Property) (without, with []byte) {
	t.Helper()
	s := stages[kind]
	if p.Name == "pill-color" { // of one style only
		s.movie = strings.Replace(s.movie, `"text": "Hello world"`, `"text": "Hello, world", "style": "013"`, 1)
	}
	given, found := values[kind+" "+p.Name]
	if !found && strings.HasPrefix(kind, "element:") {
		given = values["element "+p.Name]
	}
	object := map[string]json.RawMessage{}
	for _, raw := range []string{s.object, "{" + given.around + "}"} {
		if err := json.Unmarshal([]byte(raw), &object); err != nil {
			t.Fatalf("%s %s: %v", kind, p.Name, err)
		}
	}
	write := func() []byte {
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Appendf(nil, s.movie, raw)
	}
	if p.Required {
		delete(object, p.Name)
	}
	without = write()
	value := given.value
	if value == "" {
		value = p.Example
	}
	object[p.Name] = json.RawMessage(value)
	return without, write()
}

// observed is what becomes of a movie, as far as its JSON tells.
type observed struct {
	Plan         *timeline.Timeline
	Err          string
	Sources      []document.Source
	Destinations []document.Destination
	Outputs      []document.Output
	ID           string
	References   [2]string
	Preload      []preload.Wanted
	Kept         []bool
	Subtitles    *document.Subtitles
}

func observe(t *testing.T, raw []byte) observed {
	t.Helper()
	m, err := document.Parse(raw)
	if err != nil {
		return observed{Err: err.Error()}
	}
	o := observed{
		Sources: document.Sources(m), ID: m.ID, References: [2]string{m.Template, m.Project}, Preload: m.Preload,
		Subtitles: m.Subtitles, Outputs: m.Outputs,
	}
	o.Destinations, err = document.Destinations(m)
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]timeline.Facts{}
	for _, s := range o.Sources {
		facts[s.Key] = map[string]timeline.Facts{
			document.TypeImage: {Width: 1600, Height: 900}, document.KindMask: {Width: 640, Height: 480},
			document.TypeVideo: {Width: 1280, Height: 720, Duration: 20, HasVideo: true, HasAudio: true},
			document.TypeAudio: {Duration: 20, HasAudio: true}, document.TypeVoice: {Duration: 2, HasAudio: true},
		}[s.Kind]
	}
	for e := range m.All() {
		o.Kept = append(o.Kept, e.Keep)
	}
	if o.Plan, err = timeline.Lay(m, facts); err != nil {
		o.Err = err.Error()
		return o
	}
	o.Plan.Warnings = nil
	return o
}
