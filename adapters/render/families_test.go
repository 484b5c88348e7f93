package render_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain/document"
)

// service is a font service that gives what it is told to.
type service struct {
	fonts commands.Fonts
	asked []document.FontWish
}

func (s *service) Families(_ context.Context, wishes []document.FontWish) commands.Fonts {
	s.asked = wishes
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
