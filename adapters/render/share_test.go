package render_test

import (
	"context"
	"errors"
	"image/color"
	"testing"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain"
)

// TestEngine_Render_Shares: a render that is asked for its slot in every attempt gets further in each, loses nothing it has finished, and comes
// to the same movie.
func TestEngine_Render_Shares(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.paint("red.png", 64, 36, color.NRGBA{200, 30, 60, 255})
	var scenes []object
	for _, c := range []string{"#000010", "#000020", "#000030", "#000040", "#000050", "#000060"} {
		scenes = append(scenes, object{"background-color": c, "duration": 1, "elements": []object{{"type": "image", "src": "red.png"}}})
	}
	job := b.job(object{"width": 128, "height": 72, "fps": 10, "scenes": scenes})
	asked := make(chan struct{})
	close(asked)
	job.Share = asked
	turns, finished := 0, 0
	for {
		out, err := b.Render(t.Context(), job)
		if err == nil {
			out.Close()
			if out.Plan.Frames != 60 {
				t.Errorf("%d frames", out.Plan.Frames)
			}
			break
		}
		if !errors.Is(err, commands.ErrGiveWay) {
			t.Fatal(err)
		}
		if turns++; turns > 2*len(scenes) {
			t.Fatal("the movie never ends")
		}
		if now := b.Finished(job.Project); now <= finished {
			t.Fatalf("turn %d: %d windows are finished, %d were before", turns, now, finished)
		} else {
			finished = now
		}
		job.Attempt++
	}
	if turns == 0 {
		t.Error("the slot was never given up")
	}
}

// A render that is asked for its slot while a source is on its way gives it up, and asks for the source again in its next turn.
func TestEngine_Render_SharesWhileItWaits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.paint("red.png", 64, 36, color.NRGBA{200, 30, 60, 255})
	job := b.job(object{"width": 128, "height": 72, "fps": 10, "scenes": []object{
		{"duration": 1, "elements": []object{{"type": "image", "src": "red.png"}}},
	}})
	asked, slow := make(chan struct{}), &stuck{Assets: b.media}
	close(asked)
	job.Share = asked
	engine, err := render.New(render.Config{Dir: t.TempDir(), Tools: b.media.tools, Fetcher: slow, Text: b.words, Cores: 2, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Render(t.Context(), job); !errors.Is(err, commands.ErrGiveWay) {
		t.Fatalf("it ended with %v", err)
	}
	slow.there = true
	job.Attempt++
	out, err := engine.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
}

// stuck are assets that do not come until they are there.
type stuck struct {
	render.Assets
	there bool
}

func (s *stuck) Fetch(ctx context.Context, account domain.AccountID, address string) (commands.Asset, error) {
	if s.there {
		return s.Assets.Fetch(ctx, account, address)
	}
	<-ctx.Done()
	return commands.Asset{}, context.Cause(ctx)
}
