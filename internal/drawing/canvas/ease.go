package canvas

import (
	"math"
	"strings"
)

// Easing maps the elapsed fraction of a time, 0 to 1, to the fraction of a movement. It maps 0 to 0 and 1 to 1.
type Easing func(float64) float64

// Ease returns an easing by its usual name ("easeOutExpo", "linear", "ease-in-out"); ok is false for unknown names.
func Ease(name string) (e Easing, ok bool) {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name))
	if name == "linear" {
		return func(t float64) float64 { return t }, true
	}
	name, ok = strings.CutPrefix(name, "ease")
	if !ok {
		return nil, false
	}
	curve, mode := name, ""
	for _, prefix := range []string{"inout", "in", "out"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			curve, mode = rest, prefix
			break
		}
	}
	if curve == "" && mode == "" { // the name ease alone, from CSS, stands for in and out
		mode = "inout"
	}
	in, ok := curves[curve]
	if !ok {
		return nil, false
	}
	switch mode {
	case "in":
		return in, true
	case "inout":
		return func(t float64) float64 {
			if t < 0.5 {
				return in(2*t) / 2
			}
			return 1 - in(2-2*t)/2
		}, true
	}
	return func(t float64) float64 { return 1 - in(1-t) }, true
}

// MustEase returns the easing of a name that is known to exist.
func MustEase(name string) Easing {
	e, ok := Ease(name)
	if !ok {
		panic("canvas: no easing is called " + name)
	}
	return e
}

// curves are the ease-in easings; the others are derived from them.
var curves = map[string]Easing{
	"":      func(t float64) float64 { return t * t * (1 + t) / 2 },
	"sine":  func(t float64) float64 { return 1 - math.Cos(t*math.Pi/2) },
	"quad":  func(t float64) float64 { return t * t },
	"cubic": func(t float64) float64 { return t * t * t },
	"quart": func(t float64) float64 { return t * t * t * t },
	"quint": func(t float64) float64 { return t * t * t * t * t },
	"expo": func(t float64) float64 {
		if t <= 0 {
			return 0
		}
		return math.Pow(2, 10*t-10)
	},
	"circ": func(t float64) float64 { return 1 - math.Sqrt(1-min(t*t, 1)) },
	"back": func(t float64) float64 { return 2.70158*t*t*t - 1.70158*t*t },
	// An oscillation of amplitude 1 and period 0.5, like the easing function of this name in vendor-catalogue.md §7.
	"elastic": func(t float64) float64 {
		if t <= 0 || t >= 1 {
			return math.Round(t)
		}
		return -math.Pow(2, 10*t-10) * math.Sin((t-1.125)*4*math.Pi)
	},
	"bounce": func(t float64) float64 { return 1 - bounceOut(1-t) },
}

func bounceOut(t float64) float64 {
	const n, d = 7.5625, 2.75
	switch {
	case t < 1/d:
		return n * t * t
	case t < 2/d:
		t -= 1.5 / d
		return n*t*t + 0.75
	case t < 2.5/d:
		t -= 2.25 / d
		return n*t*t + 0.9375
	}
	t -= 2.625 / d
	return n*t*t + 0.984375
}
