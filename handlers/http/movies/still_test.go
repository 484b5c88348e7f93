package movies_test

import (
	"context"
	"encoding/json"
	"image"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"moviola/commands/previews"
	"moviola/domain"
	"moviola/internal/fair"
)

// drawings draws a picture of each moment.
type drawings struct{ *world }

func (w drawings) Handle(_ context.Context, cmd previews.Draw) (previews.Drawn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drawn = append(w.drawn, cmd)
	if w.undrawn != nil {
		return previews.Drawn{}, w.undrawn
	}
	out := previews.Drawn{Width: 640, Height: 360, Frames: 50, Seconds: 2}
	for range max(1, len(cmd.Moments)) {
		out.Pictures = append(out.Pictures, previews.Picture{Seconds: 0.4, Frame: 10, Image: image.NewNRGBA(image.Rect(0, 0, 64, 36))})
	}
	return out, nil
}

// Decision 70.
func TestStill_Asks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, row := range []struct {
		query, accept string
		want          previews.Draw
		contentType   string
	}{
		{"", "", previews.Draw{MaxSide: 1280}, "image/png"},
		{"?time=0.4&fetch=true&format=jpg&size=100", "image/*", previews.Draw{Moments: []float64{0.4}, Fetch: true, MaxSide: 100}, "image/jpeg"},
		{"?time=0.4&fetch=false&format=jpeg", "", previews.Draw{Moments: []float64{0.4}, MaxSide: 1280}, "image/jpeg"},
		{"?time=&fetch=&format=&size=", "", previews.Draw{MaxSide: 1280}, "image/png"}, // an empty parameter counts as not set
		{"?time=0.4", "application/json", previews.Draw{Moments: []float64{0.4}, MaxSide: 1280}, "application/json"},
		{"?time=0,%201.5&time=2", "", previews.Draw{Moments: []float64{0, 1.5, 2}, MaxSide: 1280}, "application/json"},
	} {
		r := httptest.NewRequest("POST", "/v2/movies/still"+row.query, strings.NewReader(scenes))
		r.Header.Set("x-api-key", w.values["render"])
		r.Header.Set("Accept", row.accept)
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		if answer.Code != 200 || !strings.HasPrefix(answer.Header().Get("Content-Type"), row.contentType) || answer.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", row.query, answer.Code, answer.Header())
			continue
		}
		got := w.drawn[len(w.drawn)-1]
		if got.Account != alice || string(got.Body) != scenes || !slices.Equal(got.Moments, row.want.Moments) || got.Fetch != row.want.Fetch || got.MaxSide != row.want.MaxSide {
			t.Errorf("%s asks for %+v", row.query, got)
		}
		if row.contentType != "application/json" {
			if shown, _, err := image.DecodeConfig(answer.Body); err != nil || shown.Width != 64 {
				t.Errorf("%s: %v %v", row.query, shown, err)
			}
			continue
		}
		var body struct {
			Stills []struct{ Data []byte }
			Exact  bool
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || len(body.Stills) != len(row.want.Moments) || len(body.Stills[0].Data) == 0 || !body.Exact {
			t.Errorf("%s: %v %.200s", row.query, err, answer.Body)
		}
	}
}

// What is refused says what to do, and nothing is drawn for who may not.
func TestStill_Refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, row := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"replaced":  {domain.Errorf(domain.Conflict, "preview_replaced", "newer"), 409, "preview_replaced"},
		"quota":     {domain.Errorf(domain.Forbidden, "preview_quota", "too many"), 403, "preview_quota"},
		"busy":      {fair.ErrBusy, 503, "service_unavailable"},
		"too slow":  {domain.Errorf(domain.Unavailable, "preview_too_slow", "slow"), 503, "preview_too_slow"},
		"no engine": {domain.Errorf(domain.Unavailable, "preview_unavailable", "none"), 503, "preview_unavailable"},
	} {
		w.undrawn = row.err
		answer := w.call("POST", "/v2/movies/still", "render", scenes)
		if answer.Code != row.status || !strings.Contains(answer.Body.String(), `"code":"`+row.code+`"`) {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
	w.drawn = nil
	if answer := w.call("POST", "/v2/movies/still", "viewer", scenes); answer.Code != 403 || len(w.drawn) > 0 {
		t.Errorf("a viewer: %d %s", answer.Code, answer.Body)
	}
}
