package document

import (
	"encoding/json"
	"slices"
	"strings"

	"moviola/domain/css"
)

// presets maps names of resolutions to canvas sizes in pixels.
var presets = map[string][2]int{
	"sd":                {640, 360},
	"hd":                {1280, 720},
	"full-hd":           {1920, 1080},
	"squared":           {1080, 1080},
	"instagram-story":   {1080, 1920},
	"instagram-feed":    {1080, 1080},
	"twitter-landscape": {1600, 900},
	"twitter-portrait":  {1080, 1350},
}

// The defaults and bounds of a movie's properties.
const (
	defaultWidth, defaultHeight = 640, 360
	minSide, maxSide            = 50, 3840
	defaultFPS, minFPS, maxFPS  = 25, 1, 120
	fpsDecimals                 = 1000 // fps is rounded to three decimals: 23.976, 29.97
)

// readMovie reads the movie; Parse has checked its shape.
func readMovie(props map[string]any) *Movie {
	m := &Movie{exports: props["exports"]}
	r := reader{movie: m}.as(MovieKind, props)
	m.Width, m.Height = r.canvas()
	m.FPS = r.fps()
	m.Quality = r.quality()
	m.Draft = r.flag("draft")
	m.Held = r.flag("held-pictures")
	m.Cache = r.flag("cache")
	m.ID, _ = r.text("id")
	m.Template = referenceOf(props)
	m.Project = r.reference("project")
	m.Background = r.color("background-color")
	m.Thumbnail = r.thumbnail()
	m.Preload = r.readPreload()
	m.Outputs = readOutputs(m, props["exports"])
	m.readScenes(props)
	m.noteOpaque()
	elements, _, _ := list(props, "elements")
	m.Elements = m.readElements(0, elements)
	if len(m.Scenes) == 0 && len(m.Elements) == 0 && (m.Template != "" || m.Project != "") {
		r.problem(PropertyMissing, "", "The movie only refers to a template or another movie, which was not filled in")
	}
	return m
}

func (m *Movie) readScenes(props map[string]any) {
	scenes, _, _ := list(props, "scenes")
	for i, item := range scenes {
		r := reader{movie: m, ref: Ref{Scene: i + 1}}
		scene, ok := item.(map[string]any)
		if !ok {
			r.problem(ValueType, "", "A scene must be an object")
		}
		m.Scenes = append(m.Scenes, r.as(SceneKind, scene).scene())
	}
}

func (r reader) scene() Scene {
	s := Scene{Number: r.ref.Scene, Length: r.length(), Background: r.color("background-color"), Cache: r.flag("cache")}
	s.ID, _ = r.text("id")
	_, colored := r.get("background-color")
	s.plain = !colored
	if s.Length.Kind == Container {
		r.problem(ValueRange, "duration", "The property 'duration' of a scene must be a positive number or -1")
	}
	elements, _, ok := list(r.props, "elements")
	if !ok {
		r.problem(ValueType, "elements", "The property 'elements' must be an array")
	}
	s.Transition = r.transition()
	s.Elements = r.movie.readElements(r.ref.Scene, elements)
	return s
}

// canvas returns the size of the movie in pixels. Decision 15; an odd side is rounded down, because the encoder needs even sides.
func (r reader) canvas() (width, height int) {
	width, height = r.integer("width"), r.integer("height")
	_, hasWidth := r.get("width")
	_, hasHeight := r.get("height")
	name := r.word("resolution")
	if size, ok := presets[name]; ok {
		return size[0], size[1]
	}
	if name != "" && name != "custom" {
		if !hasWidth || !hasHeight {
			r.problem(ValueUnknown, "resolution", "The resolution %s is unknown. Use one of the resolutions, or 'custom' "+
				"with 'width' and 'height'", quote(name))
			return defaultWidth, defaultHeight
		}
		r.warn(ValueUnknown, "resolution", "The resolution %s is unknown, 'width' and 'height' are used", quote(name))
	}
	return r.side("width", width), r.side("height", height)
}

func (r reader) side(name string, n int) int {
	if n < minSide || n > maxSide {
		r.problem(ValueRange, name, "The property '%s' of a movie must be between %d and %d", name, minSide, maxSide)
	}
	if n%2 != 0 {
		r.warn(ValueAdjusted, name, "The %s %d is odd and was rounded down", name, n)
		n--
	}
	return n
}

// fps returns the frame rate as an exact fraction of its decimal. More than three decimals are rounded: 29.97002997 becomes
// 29.97.
func (r reader) fps() Rate {
	n, ok := r.number("fps")
	if !ok {
		return Rate{defaultFPS, 1}
	}
	if n.Cmp(SecondsOf(minFPS)) < 0 || n.Cmp(SecondsOf(maxFPS)) > 0 {
		r.problem(ValueRange, "fps", "The property 'fps' must be between %d and %d", minFPS, maxFPS)
		return Rate{defaultFPS, 1}
	}
	thousandths := Rate{fpsDecimals, 1}.Frame(n)
	divisor := gcd(thousandths, fpsDecimals)
	return Rate{thousandths / divisor, fpsDecimals / divisor}
}

func (r reader) quality() Quality {
	switch q := Quality(r.word("quality")); q {
	case Low, Medium, High:
		return q
	case "":
	default:
		r.warn(ValueUnknown, "quality", "The quality %s is unknown, 'high' is used", quote(string(q)))
	}
	return High
}

// reference reads a text such as an id, an address or the name of a model, without surrounding blanks; empty: none is given.
func (r reader) reference(name string) string {
	text, _ := r.text(name)
	return strings.TrimSpace(text)
}

// color reads the colour under name. A property without a value and a default is Black.
func (r reader) color(name string) Color {
	otherwise, ok := css.ParseColor(strings.Trim(r.row(name).Default, `"`))
	if !ok {
		otherwise = Black
	}
	text, ok := r.text(name)
	if !ok || strings.TrimSpace(text) == "" {
		return otherwise
	}
	c, ok := css.ParseColor(text)
	if !ok {
		r.problem(ValueType, name, "The property '%s' is no colour: %s", name, quote(text))
		return otherwise
	}
	return c
}

// thumbnail reads seconds, {time} or {scene}. Decision 26.
func (r reader) thumbnail() Thumbnail {
	value, ok := r.get("thumbnail")
	if !ok {
		return Thumbnail{}
	}
	if object, ok := value.(map[string]any); ok {
		r = r.as("thumbnail", object)
		r.path += "/thumbnail"
		if scene, ok := r.text("scene"); ok {
			return Thumbnail{Set: true, Scene: strings.TrimSpace(scene)}
		}
		at, ok := r.number("time")
		return Thumbnail{Set: ok, Time: at}
	}
	if _, isNumber := value.(json.Number); isNumber {
		at, ok := r.number("thumbnail")
		return Thumbnail{Set: ok, Time: at}
	}
	if text, ok := value.(string); ok {
		if at, err := parseDecimal(text); err == nil {
			return Thumbnail{Set: true, Time: at}
		}
	}
	r.warn(ValueType, "thumbnail", "The thumbnail %s is neither seconds nor {time} nor {scene}", quote(value))
	return Thumbnail{}
}

// warnIdle warns of properties that exist in the format but have no effect in this object.
func (r reader) warnIdle(names ...string) {
	for _, name := range names {
		if value, ok := r.get(name); ok && !idle(value) {
			r.warn(PropertyIdle, name, "The property '%s' has no effect", name)
		}
	}
}

// idle reports whether a value is empty, 0, false or "none", so that it needs no warning.
func idle(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	text, _ := Scalar(value)
	return slices.Contains([]string{"", "0", "false", "none"}, strings.TrimSpace(text))
}
