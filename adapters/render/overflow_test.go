//go:build !race

package render_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"moviola/domain/movie"
)

// TestEngine_Render_layoutWarnings: what only laying out shows is told when the movie is planned, before anything is encoded, and with its outcome.
func TestEngine_Render_layoutWarnings(t *testing.T) {
	t.Parallel()
	b := newStage(t)
	text := func(more object) object {
		element := object{"type": "text", "text": "Much too long for so small a box", "settings": object{"font-size": 40}}
		for name, value := range more {
			element[name] = value
		}
		return element
	}
	job := b.job(object{"width": 320, "height": 180, "scenes": []object{
		{"duration": 0.2, "elements": []object{text(object{"width": 100, "height": 30}), text(object{"settings": object{"font-size": 10}})}},
		{"duration": 0.2, "transition": object{"duration": 0.1}, "elements": []object{text(object{"x": 700, "width": 300, "height": 160, "settings": object{"font-size": 10}})}},
	}})
	var planned []string
	job.Planned = func(_ context.Context, _ movie.Dimensions, warnings []string) error { planned = warnings; return nil }
	out, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if len(planned) != 2 || planned[0] != "Scene #2 Element #1: The element lies wholly outside of the canvas: it is not seen" ||
		!strings.HasPrefix(planned[1], "Scene #1 Element #1: The text needs ") || !strings.HasSuffix(planned[1], ", and its box has 100×30") {
		t.Errorf("planned %q", planned)
	}
	if !slices.Equal(planned, out.Warnings) {
		t.Errorf("finished %q", out.Warnings)
	}
}
