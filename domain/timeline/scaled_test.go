package timeline_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/timeline"
)

// lengths multiplies every number with a fraction below v that is a length, which all of them are but the places and the direction of
// a gradient.
func lengths(v reflect.Value, by float64) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(v.Float() * by)
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*timeline.Gradient]() {
			lengths(v.Elem(), by)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			lengths(v.Field(i), by)
		}
	case reflect.Slice:
		for i := range v.Len() {
			lengths(v.Index(i), by)
		}
	}
}

func TestTextSettings_Scaled(t *testing.T) {
	t.Parallel()
	full := func() timeline.TextSettings {
		shadow := timeline.Shadow{X: 1, Y: 2, Blur: 3}
		return timeline.TextSettings{
			FontSize: 40, FontWeight: 700, LineHeight: 50, LetterSpacing: 2, Padding: timeline.Sides{Top: 1, Right: 2, Bottom: 3, Left: 4},
			Radius: 5, Shadow: &shadow, WordSpacing: 6, StrokeWidth: 7, Shadows: []timeline.Shadow{shadow, {X: 9}}, BorderWidth: 8,
			BoxShadow: &timeline.BoxShadow{Shadow: shadow, Spread: 10},
			Gradient:  &timeline.Gradient{Degrees: 90, Stops: []timeline.Stop{{At: 0}, {At: 1}}},
		}
	}
	given, want := full(), full()
	lengths(reflect.ValueOf(&want).Elem(), 2.5)
	if diff := cmp.Diff(want, given.Scaled(2.5)); diff != "" {
		t.Errorf("scaled (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(full(), given); diff != "" {
		t.Errorf("what was scaled has changed:\n%s", diff)
	}
}
