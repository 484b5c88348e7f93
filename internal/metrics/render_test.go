package metrics_test

import (
	"context"
	"errors"
	"image"
	"testing"

	"moviola/adapters/render/artwork"
	"moviola/domain/timeline"
	"moviola/eventstore"
	"moviola/internal/metrics"
)

// drawn draws nothing, or fails.
type drawn struct{ err error }

func (d drawn) Still(context.Context, timeline.Page, int, int) (*image.NRGBA, error) {
	return &image.NRGBA{}, d.err
}

func (d drawn) Frames(context.Context, timeline.Page, int, int, timeline.Rate, int64, func(int64, *image.NRGBA) error) error {
	return d.err
}

func (d drawn) Drawing(context.Context, []byte, timeline.DrawingView) (*image.NRGBA, error) {
	return &image.NRGBA{}, d.err
}

// TestMetrics_Pages: whoever counts what is drawn hides nothing of who draws it: pages, films and SVG drawings.
func TestMetrics_Pages(t *testing.T) {
	t.Parallel()
	m := metrics.New("test", eventstore.NewCodec())
	for _, err := range []error{nil, errors.New("no")} {
		var pages artwork.Pages = m.Pages(drawn{err})
		_, still := pages.Still(t.Context(), timeline.Page{}, 1, 1)
		_, drawing := pages.Drawing(t.Context(), nil, timeline.DrawingView{})
		film := pages.Frames(t.Context(), timeline.Page{}, 1, 1, timeline.Rate{}, 1, nil)
		if !errors.Is(still, err) || !errors.Is(drawing, err) || !errors.Is(film, err) {
			t.Errorf("%v: %v, %v, %v", err, still, drawing, film)
		}
	}
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "moviola_render_pages_total" {
			continue
		}
		for _, one := range family.GetMetric() {
			counted[one.GetLabel()[0].GetValue()] = one.GetCounter().GetValue()
		}
	}
	if counted["ok"] != 3 || counted["error"] != 3 {
		t.Errorf("counted %v", counted)
	}
}
