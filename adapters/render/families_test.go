//go:build !race

package render_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/preload"
)

// service is a font service that gives what it is told to.
type service struct {
	fonts commands.Fonts
	asked []document.FontWish
	kept  bool
}

func (s *service) Kept(context.Context, []document.FontWish) bool { return s.kept }

func (s *service) Families(_ context.Context, wishes []document.FontWish, _ time.Time) commands.Fonts {
	s.asked = append(s.asked, wishes...)
	return s.fonts
}

// A family that was fetched is drawn; while it cannot be asked for, a movie has a stand-in and a warning, and does not come from the cache.
func TestEngine_Render_families(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	drawer, err := realText()
	if err != nil {
		t.Fatal(err)
	}
	const family = "Nobody Has"
	fetched := &service{fonts: commands.Fonts{Unreachable: []string{family}}}
	if s.Engine, err = render.New(render.Config{
		Dir: s.dir, Tools: s.media.tools, Fetcher: s.media, Text: drawer, Fonts: fetched, Cores: 2, Log: quiet(),
	}); err != nil {
		t.Fatal(err)
	}
	doc := movieOf(1, object{"type": "text", "text": "words", "settings": object{"font-family": family}})
	warned := func(what string) bool {
		made := s.mustRender(doc)
		return slices.ContainsFunc(made.Warnings, func(w string) bool { return strings.Contains(w, what) })
	}
	if !warned("could not be fetched") || len(fetched.asked) != 1 || fetched.asked[0].Family != family {
		t.Errorf("no warning of a service that does not answer, asked for %v", fetched.asked)
	}
	fetched.fonts = commands.Fonts{Faces: []commands.FontFace{{
		Family: family, Path: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", Weight: 400, To: 400,
	}}}
	if warned("could not be fetched") || warned("not installed") {
		t.Error("a family that was fetched is warned of")
	}
}

// TestEngine_FetchSources_families: families are fetched with the sources, also for movies and items that name no files, and only what is not
// there is fetched.
func TestEngine_FetchSources_families(t *testing.T) {
	t.Parallel()
	fonts := &service{}
	_, engine := newPantry(t, 0, fonts)
	words := func(family string) object {
		return object{"type": "text", "text": "words", "settings": object{"font-family": family}}
	}
	component := map[string]any{
		"id": "i", "type": "component", "component": "basic/000", "settings": map[string]any{"headline": map[string]any{"text": "x", "font-family": "Fetched Three"}},
	}
	for want, fetch := range map[string]func(how commands.Fetch) error{
		"Fetched One": func(how commands.Fetch) error {
			job := fetchJob(t, object{"elements": []object{words("Fetched One")}})
			job.Fetch = how
			return engine.FetchSources(t.Context(), job)
		},
		"Fetched Two": func(how commands.Fetch) error {
			job := fetchJob(t, object{"preload": []any{component}, "elements": []object{words("Fetched Two")}})
			job.Fetch = how
			return engine.FetchSources(t.Context(), job)
		},
		"Fetched Three": func(how commands.Fetch) error {
			job := commands.PrepareJob{Account: "a", Batch: "b", Item: preload.Wanted{
				Item: preload.Item{ID: "i", Type: preload.Component}, Properties: component,
			}}
			return engine.FetchItem(t.Context(), job, how)
		},
	} {
		fonts.asked, fonts.kept = nil, false
		if err := fetch(commands.Fetch{AtHand: true}); !errors.Is(err, commands.ErrNotAtHand) || fonts.asked != nil {
			t.Errorf("%s is not at hand: %v, asked for %v", want, err, fonts.asked)
		}
		if err := fetch(commands.Fetch{}); err != nil || !slices.ContainsFunc(fonts.asked, func(w document.FontWish) bool { return w.Family == want }) {
			t.Errorf("%s is fetched: %v, asked for %v", want, err, fonts.asked)
		}
		fonts.kept = true
		if err := fetch(commands.Fetch{AtHand: true}); err != nil {
			t.Errorf("%s is kept: %v", want, err)
		}
	}
}
