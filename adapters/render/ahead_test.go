package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/render"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/preload"
	"moviola/domain/timeline"
)

// pantry is an Assets that has every file, of the kind that its name ends with, and remembers what was asked for.
type pantry struct {
	mu      sync.Mutex
	asked   []string
	kept    map[string]bool // what need not be downloaded
	failing string          // what cannot be
	slow    string          // what never comes
}

func (p *pantry) Fetch(ctx context.Context, _ domain.AccountID, address string) (commands.Asset, error) {
	p.mu.Lock()
	p.asked = append(p.asked, strings.TrimPrefix(address, "https://a.example/"))
	p.mu.Unlock()
	switch address {
	case "https://a.example/" + p.failing:
		return commands.Asset{}, domain.Errorf(domain.Invalid, "asset_download_failed", "Failed to download '%s' (503)", address)
	case "https://a.example/" + p.slow:
		<-ctx.Done()
		return commands.Asset{}, context.Cause(ctx)
	}
	return assetOf(address), nil
}

func assetOf(address string) commands.Asset {
	_, kind, _ := strings.Cut(address[strings.LastIndex(address, "/"):], ".")
	asset := commands.Asset{Hash: address}
	switch kind {
	case "mp4":
		asset.Facts, asset.Media = timeline.Facts{Duration: 3, Width: 64, Height: 64, HasVideo: true}, &commands.Media{Video: &commands.VideoStream{}}
	case "wav":
		asset.Facts, asset.Media = timeline.Facts{Duration: 2, HasAudio: true}, &commands.Media{Audio: &commands.AudioStream{}}
	case "ttf":
		asset.Format = commands.FontFormat
	case "srt":
		asset.Format = commands.CaptionsFormat
	default:
		asset.Facts = timeline.Facts{Width: 64, Height: 64}
	}
	return asset
}

func (p *pantry) Refetch(ctx context.Context, account domain.AccountID, address string, since time.Time) (commands.Asset, error) {
	if asset, ok := p.KeptSince(ctx, account, address, since); ok {
		return asset, nil
	}
	return p.Fetch(ctx, account, address+"#anew")
}

func (p *pantry) Kept(_ context.Context, _ domain.AccountID, address string) (commands.Asset, bool) {
	return assetOf(address), p.kept[address]
}

func (p *pantry) KeptSince(_ context.Context, _ domain.AccountID, address string, since time.Time) (commands.Asset, bool) {
	return assetOf(address), p.kept[address] && !since.IsZero()
}

func (p *pantry) IsOwn(address string) bool {
	return strings.HasPrefix(address, "https://own.example/")
}

// taken is what was asked for since the last time, in order of its name.
func (p *pantry) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	slices.Sort(asked)
	return asked
}

func newPantry(t *testing.T, sourcesTime time.Duration, fonts ...render.FontFamilies) (*pantry, *render.Engine) {
	t.Helper()
	p := &pantry{kept: map[string]bool{}}
	cfg := render.Config{Dir: t.TempDir(), Tools: ffmpegtest.Tools(t), Fetcher: p, Text: &block{}, Cores: 1, SourcesTime: sourcesTime, Log: quiet()}
	for _, f := range fonts {
		cfg.Fonts = f
	}
	engine, err := render.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p, engine
}

func fetchJob(t *testing.T, movie object) commands.FetchJob {
	t.Helper()
	document, err := json.Marshal(movie)
	if err != nil {
		t.Fatal(err)
	}
	return commands.FetchJob{Account: "a", Project: "p", Document: document}
}

func at(name string) string { return "https://a.example/" + name }

// everySource names a file wherever a movie can name one.
func everySource() object {
	return object{
		"variables": object{"logo": at("variable.png")},
		"preload":   []object{{"id": "ahead", "type": "image", "src": at("preload.png")}, {"id": "said", "type": "voice", "text": "Hello"}},
		"scenes": []object{{"elements": []object{
			{"type": "image", "src": at("image.png"), "mask": at("mask.png")},
			{"type": "image", "src": "{{logo}}"},
			{"type": "image", "prompt": "a hill"},
			{"type": "image", "src": "https://own.example/mine.png"},
			{"type": "video", "src": at("video.mp4")},
			{"type": "text", "text": "x", "settings": object{"font-url": at("text.ttf")}},
			{"type": "voice", "text": "Hello"},
			{"type": "component", "component": "basic/001", "settings": object{"card": object{"background-image": "url(" + at("component.png") + ")"}}},
		}}},
		"elements": []object{
			{"type": "audio", "src": at("sound.wav")},
			{"type": "subtitles", "captions": at("captions.srt"), "settings": object{"font-url": at("captions.ttf")}},
		},
	}
}

func TestEngine_FetchSources(t *testing.T) {
	t.Parallel()
	all := []string{"captions.srt", "captions.ttf", "component.png", "image.png", "mask.png", "preload.png", "sound.wav", "text.ttf", "variable.png", "video.mp4"}
	p, engine := newPantry(t, 0)
	if err := engine.FetchSources(t.Context(), fetchJob(t, everySource())); err != nil {
		t.Fatal(err)
	}
	taken := slices.DeleteFunc(p.taken(), func(s string) bool { return strings.HasPrefix(s, "https://own") })
	if diff := cmp.Diff(all, taken); diff != "" {
		t.Errorf("fetched (-want +got):\n%s", diff)
	}
	for name, tt := range map[string]struct {
		movie object
		want  []string
	}{
		"a text":                  {object{"scenes": []object{{"elements": []object{{"type": "text", "text": "x"}}}}}, nil},
		"what nobody can read":    {object{"scenes": 5}, nil},
		"files of the service":    {object{"elements": []object{{"type": "image", "src": "https://own.example/mine.png"}}}, nil},
		"named by another's time": {object{"elements": []object{{"type": "audio", "id": "a", "src": at("a.wav")}, {"type": "image", "src": at("{{a_duration}}.png")}}}, []string{"a.wav", "2.png"}},
	} {
		if err := engine.FetchSources(t.Context(), fetchJob(t, tt.movie)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, p.taken()); diff != "" {
			t.Errorf("%s fetched (-want +got):\n%s", name, diff)
		}
	}
}

// TestEngine_FetchSources_faults: the owner reads what a render would say.
func TestEngine_FetchSources_faults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ failing, slow, want string }{
		"an element":    {failing: "video.mp4", want: "Scene #1, element #5: Failed to download 'https://a.example/video.mp4' (503)"},
		"of a movie":    {failing: "sound.wav", want: "Movie, element #1: Failed to download 'https://a.example/sound.wav' (503)"},
		"of a preload":  {failing: "preload.png", want: "Preload item 'ahead': Failed to download 'https://a.example/preload.png' (503)"},
		"all too long":  {slow: "mask.png", want: "The sources of the movie took longer than 0.01 minutes to download: serve them faster, or preload them"},
		"preload, slow": {slow: "preload.png", want: "The sources of the movie took longer than 0.01 minutes to download: serve them faster, or preload them"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := time.Duration(0)
			if tt.slow != "" {
				limit = 600 * time.Millisecond
			}
			p, engine := newPantry(t, limit)
			p.failing, p.slow = tt.failing, tt.slow
			err := engine.FetchSources(t.Context(), fetchJob(t, everySource()))
			var fault *domain.Error
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("time that was spent before", func(t *testing.T) {
		t.Parallel()
		p, engine := newPantry(t, time.Hour)
		p.slow = "mask.png"
		job := fetchJob(t, everySource())
		job.Spent = time.Hour
		if err := engine.FetchSources(t.Context(), job); err == nil || !strings.Contains(err.Error(), "longer than 60 minutes") {
			t.Errorf("got %v", err)
		}
	})
}

func TestEngine_FetchSources_atHand(t *testing.T) {
	t.Parallel()
	p, engine := newPantry(t, 0)
	anew := object{"type": "image", "src": at("anew.png"), "cache": false}
	job := fetchJob(t, object{"elements": []object{{"type": "image", "src": at("a.png")}, anew}})
	job.AtHand = true
	began := time.Now()
	for _, step := range []struct {
		kept  string
		since time.Time
		ok    bool
	}{{"", time.Time{}, false}, {"a.png", time.Time{}, false}, {"anew.png", time.Time{}, false}, {"anew.png", began, true}} {
		p.kept[at(step.kept)] = true
		job.Since = step.since
		err := engine.FetchSources(t.Context(), job)
		if ok := err == nil; ok != step.ok || !ok && !errors.Is(err, commands.ErrNotAtHand) {
			t.Errorf("with %s since %s: %v", step.kept, step.since, err)
		}
		if taken := p.taken(); taken != nil {
			t.Errorf("asked for %v", taken)
		}
	}
	job.AtHand = false
	job.Since = time.Time{}
	if err := engine.FetchSources(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.png", "anew.png#anew"}, p.taken()); diff != "" {
		t.Errorf("fetched (-want +got):\n%s", diff)
	}
}

func TestEngine_FetchItem(t *testing.T) {
	t.Parallel()
	p, engine := newPantry(t, 0)
	job := commands.PrepareJob{Account: "a", Batch: "b", Item: preload.Wanted{Item: preload.Item{ID: "i", Type: preload.Image},
		Properties: map[string]any{"id": "i", "type": "image", "src": at("a.png"), "mask": at("m.png")}}}
	if err := engine.FetchItem(t.Context(), job, commands.Fetch{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.png", "m.png"}, p.taken()); diff != "" {
		t.Errorf("fetched (-want +got):\n%s", diff)
	}
	p.failing = "a.png"
	if err := engine.FetchItem(t.Context(), job, commands.Fetch{}); err == nil || err.Error() != "Failed to download 'https://a.example/a.png' (503)" {
		t.Errorf("got %v", err)
	}
}
