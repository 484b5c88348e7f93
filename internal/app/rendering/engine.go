// Package rendering wires the render engine and its dependencies, and detects the sandbox for its programs.
package rendering

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/assets"
	"moviola/adapters/browser"
	"moviola/adapters/images"
	"moviola/adapters/outbound"
	"moviola/adapters/render"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/outputs"
	"moviola/adapters/render/workspace"
	"moviola/adapters/speech"
	"moviola/adapters/webfonts"
	"moviola/handlers/background/chores"
	"moviola/internal/app/roads"
	"moviola/internal/config"
	"moviola/internal/drawing/text"
	"moviola/internal/metrics"
	"moviola/internal/quota"
	"moviola/internal/stores"
	"moviola/internal/tracing"
)

// assetTimes limits the fetch of an asset. Connecting and the first response have limits of their own, so that a dead server is
// noticed early.
var assetTimes = outbound.Options{Connect: 10 * time.Second, Header: 30 * time.Second, Follow: true, KeepAlive: true}

// speechTimes limits the time until a speech provider responds.
var speechTimes = outbound.Options{Connect: 10 * time.Second, Header: 2 * time.Minute, KeepAlive: true}

// FontTimes limits requests to the font service and to the servers of font files.
var FontTimes = outbound.Options{Connect: 5 * time.Second, Header: 5 * time.Second, Follow: true, KeepAlive: true}

// imageTimes limits the time until an image provider responds.
var imageTimes = outbound.Options{Connect: 10 * time.Second, Header: 3 * time.Minute, KeepAlive: true}

// Renderer is the render engine with its dependencies: downloads, browsers, voices and fonts.
type Renderer struct {
	Engine  *render.Engine
	Outputs *outputs.Maker // makes what movies have beside the MP4
	Assets  *assets.Cache
	pages   *browser.Pool
	Fonts   *webfonts.Service
	Sandbox *Sandbox
	Encoder ffmpeg.Encoder // encoder of the windows of movies
	Kept    []KeptPlace
	Caches  []chores.Cache // all caches of accounts' files on this disk
}

// Watched observes the renderer's requests to other servers and to browsers. The zero value observes nothing.
type Watched struct {
	Metrics *metrics.Metrics
	Traces  *tracing.Tracer
}

func (w Watched) client(client *http.Client, purpose metrics.Purpose) *http.Client {
	return w.Traces.Client(w.Metrics.Client(client, purpose), purpose)
}

func (w Watched) pages(pages metrics.Pages) metrics.Pages {
	return w.Traces.Pages(w.Metrics.Pages(pages))
}

// LocalFiles is an assets.OwnFiles whose files a movie may also name by their paths on this machine. Only the command line uses
// one. The assets.OwnFiles of a service must not implement LocalFiles.
type LocalFiles interface {
	assets.OwnFiles
	// Address returns the address, below the service's base, of the file that the src of a media element names. A src that is no
	// path is returned unchanged. An error tells the user what is wrong with the path.
	Address(src string) (string, error)
}

// NewRenderer puts the renderer together. What the renderer keeps on this disk lies below the folder dir, apart from what
// openTools keeps in cfg.UserCache. The parameter own opens addresses below the service's public base, shared keeps
// downloads for other hosts, fonts keeps font families, saved finds the providers that accounts have saved, and seen
// observes requests. On the command line, own is a LocalFiles, shared and saved are nil, and seen is the zero value.
func NewRenderer(
	ctx context.Context, cfg config.Config, dir string, own assets.OwnFiles, shared assets.Store, fonts webfonts.Store,
	saved roads.SavedProvider, seen Watched, log logrus.FieldLogger,
) (*Renderer, error) {
	guard, err := roads.NewGuard(cfg)
	if err != nil {
		return nil, err
	}
	sandbox, err := openSandbox(cfg.Sandbox, dir, log)
	if err != nil {
		return nil, err
	}
	tools, drawer, err := openTools(ctx, cfg, dir, sandbox, log)
	if err != nil {
		return nil, err
	}
	r := &Renderer{Sandbox: sandbox, Encoder: findEncoder(ctx, tools, cfg.Encoder, log)}
	r.Assets, err = newAssets(cfg, dir, own, shared, tools, seen.client(guard.Client(assetTimes), metrics.Sources), log)
	if err != nil {
		return nil, err
	}
	r.Fonts, err = webfonts.New(webfonts.Config{
		URL: cfg.FontsURL, Client: seen.client(guard.Client(FontTimes), metrics.Fonts), Store: fonts,
		Dir: filepath.Join(dir, "webfonts"),
		Has: drawer.Has, Unpack: text.Unpack, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("--fonts-url: %w", err)
	}
	speaker, err := speech.New(ctx, speech.Config{
		Client: seen.client(guard.Client(speechTimes), metrics.Speech), Dir: filepath.Join(dir, "speech"),
		Speech: cfg.Speech, Transcription: cfg.Transcription, Saved: saved.Speech(), Log: log,
		Jail: sandbox.jail, Made: r.Assets, Room: cacheBounds(cfg),
	})
	if err != nil {
		return nil, err
	}
	painter, err := images.New(images.Config{
		Client: seen.client(guard.Client(imageTimes), metrics.Images), Endpoint: cfg.Images, Saved: saved.Images(),
		Dir:  filepath.Join(dir, "images"),
		Made: r.Assets, Room: cacheBounds(cfg), Log: log,
	})
	if err != nil {
		return nil, err
	}
	r.pages, err = browser.New(browser.Config{
		Path: cfg.Chromium, Dial: guard.DialContext, Jail: sandbox.jail, Log: log, Fonts: pageFonts(drawer, r.Fonts),
	})
	if err != nil {
		return nil, err
	}
	r.Engine, err = render.New(render.Config{
		Dir: filepath.Join(dir, "render"), Tools: tools, Fetcher: r.Assets, Local: localOf(own), Text: drawer,
		Speaker: speaker, Words: speaker, Images: painter, Pages: seen.pages(browser.Elements{Pool: r.pages}), Fonts: r.Fonts,
		PageTTL: cfg.AssetCacheTTL, Encoder: r.Encoder,
		Cores: cfg.Cores, MemoryMB: cfg.MemoryMB, HeldPictures: cfg.HeldPictures, Log: log,
		Kept: workspace.Bounds{Bytes: bytesOrAll(cfg.TotalCache), Room: cacheBounds(cfg)},
	})
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	r.Outputs = outputs.New(outputs.Config{Tools: tools, Cores: cfg.Cores, Log: log})
	r.Kept = []KeptPlace{{"parts", r.Engine.Space().Room()}, {"speech", speaker.Room()}, {"images", painter.Room()}}
	r.Caches = []chores.Cache{r.Assets, r.Engine.Space(), speaker, painter}
	return r, nil
}

// openTools opens ffmpeg and the fonts of this machine. It keeps what it finds out about them in the folder cfg.UserCache, if
// that is set, because finding it out takes longer than rendering a short movie.
func openTools(
	ctx context.Context, cfg config.Config, dir string, sandbox *Sandbox, log logrus.FieldLogger,
) (*ffmpeg.Tools, *text.Engine, error) {
	index, trial := filepath.Join(dir, "fonts"), ""
	if cfg.UserCache != "" {
		index, trial = filepath.Join(cfg.UserCache, "fonts"), filepath.Join(cfg.UserCache, "ffmpeg.json")
	}
	tools, err := ffmpeg.Open(ctx, ffmpeg.Config{Jail: sandbox.jail, Remembered: trial, Log: log})
	if err != nil {
		return nil, nil, err
	}
	drawer, err := text.NewEngine(index, log)
	return tools, drawer, err
}

// localOf returns the function that turns paths of files on this machine into addresses. It returns nil in a service, where
// movies may not name such files.
func localOf(own assets.OwnFiles) func(src string) (address string, err error) {
	if files, ok := own.(LocalFiles); ok {
		return files.Address
	}
	return nil
}

// newAssets wires the asset cache.
func newAssets(
	cfg config.Config, dir string, own assets.OwnFiles, shared assets.Store, tools *ffmpeg.Tools,
	client *http.Client, log logrus.FieldLogger,
) (*assets.Cache, error) {
	return assets.New(assets.Config{
		Client: client, Dir: filepath.Join(dir, "assets"), Prober: tools,
		Pictures:    tools,
		Connections: newConnections(cfg), Bytes: newDownloads(),
		MaxAccount: bytesOrAll(cfg.AccountSources), MaxTotal: bytesOrAll(cfg.TotalSources),
		MaxAccountFiles: cfg.AccountSourceFiles, MaxTotalFiles: cfg.TotalSourceFiles,
		Base: cfg.PublicURL, Own: own, Shared: shared, TTL: cfg.AssetCacheTTL, Log: log,
	})
}

// KeptPlace is a bounded cache, with its name in metrics.
type KeptPlace struct {
	Name string
	Room *quota.Folder
}

// Close ends the browsers. Call it when no render is running.
func (r *Renderer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stores.CloseTime)
	defer cancel()
	return r.pages.Close(ctx)
}
