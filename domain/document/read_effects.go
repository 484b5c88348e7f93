package document

import (
	"slices"
	"strings"
)

// The bounds and defaults of the effects. Movie-schema §3.1.
const (
	maxZoom                 = 10
	minTravel, maxTravel    = 0.01, 0.5
	fullTurn                = 360
	minTolerance            = 1
	maxTolerance            = 100
	defaultTolerance        = 25
	defaultTransition       = 1 // duration of a transition that does not give one, in seconds
	defaultTransitionStyle  = "fade"
	maxContrast, maxGamma   = 1000, 10
	minGamma, maxSaturation = 0.1, 3
)

func (r reader) readEffects(e *Element) {
	f := &e.Effects
	f.Opacity = r.opacity(e)
	f.Zoom = r.within("zoom")
	f.Pan = r.pan()
	f.PanDistance = r.within("pan-distance")
	f.PanCrop = r.flag("pan-crop")
	f.Rotate = r.rotate()
	f.FlipX, f.FlipY = r.flag("flip-horizontal"), r.flag("flip-vertical")
	mask, _ := r.text("mask")
	f.Mask = BareAddress(mask)
	f.ChromaKey = r.chromaKey()
	f.Correction = r.correction()
}

// opacity reads the setting opacity, which is written as in CSS. Without that setting, it reads the property opacity of the
// element.
func (r reader) opacity(e *Element) float64 {
	if text := e.Settings["opacity"]; text != "" {
		opacity, ok := parseOpacity(text)
		if !ok {
			r.warn(ValueType, "settings/opacity", "The setting 'opacity' cannot be read")
			return r.row("opacity").usual
		}
		return opacity
	}
	return r.within("opacity")
}

// parseOpacity reads a number from 0 to 1, or a percentage.
func parseOpacity(text string) (float64, bool) {
	number, percent := strings.CutSuffix(text, "%")
	n, err := parseDecimal(number)
	if err != nil {
		return 0, false
	}
	opacity := n.Float()
	if percent {
		opacity /= 100
	}
	return min(max(opacity, 0), 1), true
}

var pans = map[string]Pan{
	"left": {X: -1}, "right": {X: 1}, "top": {Y: -1}, "up": {Y: -1}, "bottom": {Y: 1}, "down": {Y: 1},
	"top-left": {-1, -1}, "top-right": {1, -1}, "bottom-left": {-1, 1}, "bottom-right": {1, 1},
}

func (r reader) pan() Pan {
	word := r.word("pan")
	pan, ok := pans[word]
	if !ok && !slices.Contains([]string{"", "none", "false", "center", "center-center"}, word) {
		r.warn(ValueUnknown, "pan", "The direction %s of 'pan' is unknown", quote(word))
	}
	return pan
}

// rotate reads {angle, speed}, or an angle alone.
func (r reader) rotate() Rotate {
	if value, ok := r.get("rotate"); ok {
		if text, ok := Scalar(value); ok && strings.TrimSpace(text) != "" {
			return Rotate{Angle: r.within("rotate")}
		}
	}
	turn, ok := r.object("rotate")
	if !ok {
		return Rotate{}
	}
	return Rotate{Angle: turn.within("angle"), Speed: turn.seconds("speed")}
}

// chromaKey reads {color, tolerance}, or a colour alone.
func (r reader) chromaKey() *ChromaKey {
	if value, _ := r.get("chroma-key"); !idle(value) {
		if _, ok := Scalar(value); ok {
			return &ChromaKey{Color: r.color("chroma-key"), Tolerance: defaultTolerance}
		}
	}
	key, ok := r.object("chroma-key")
	if !ok || len(key.props) == 0 {
		return nil
	}
	if text, _ := key.text("color"); strings.TrimSpace(text) == "" {
		r.problem(PropertyMissing, "chroma-key", "The property 'chroma-key' requires a 'color'")
	}
	return &ChromaKey{
		Color:     key.color("color"),
		Tolerance: key.within("tolerance"),
	}
}

func (r reader) correction() *Correction {
	c, ok := r.object("correction")
	if !ok {
		return nil
	}
	read := Correction{
		Brightness: c.within("brightness"), Contrast: c.within("contrast"),
		Gamma: c.within("gamma"), Saturation: c.within("saturation"),
	}
	if read == (Correction{Contrast: 1, Gamma: 1, Saturation: 1}) {
		return nil
	}
	return &read
}

// transition reads {style, duration}, or a style alone. An unknown style becomes a fade, with a warning (decision 26).
func (r reader) transition() *Transition {
	props := r
	if value, _ := r.get("transition"); idle(value) {
		return nil
	} else if text, ok := Scalar(value); ok {
		props = r.as("transition", map[string]any{"style": text})
	} else if props, ok = r.object("transition"); !ok {
		return nil
	}
	t := &Transition{Style: props.word("style"), Duration: SecondsOf(defaultTransition)}
	if t.Style == "" {
		t.Style = defaultTransitionStyle
	}
	if !slices.Contains(TransitionStyles, t.Style) {
		props.warn(ValueUnknown, "style", "The transition style %s is unknown, 'fade' is used", quote(t.Style))
		t.Style = defaultTransitionStyle
	}
	if _, ok := props.number("duration"); ok {
		t.Duration = props.seconds("duration")
	}
	if t.Duration.Sign() == 0 {
		return nil
	}
	return t
}
