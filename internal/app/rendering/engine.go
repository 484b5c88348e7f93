// Package rendering wires the render engine and what it draws from, and finds out what confines its programs.
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
	"moviola/adapters/speech"
	"moviola/adapters/webfonts"
	"moviola/handlers/background/chores"
	"moviola/internal/app/roads"
	"moviola/internal/config"
	"moviola/internal/drawing/text"
	"moviola/internal/metrics"
	"moviola/internal/quota"
	"moviola/internal/stores"
)

// How long fetching one asset may take. Connecting and the first answer are bounded apart, so that a dead server is noticed
// early.
var assetTimes = outbound.Options{Connect: 10 * time.Second, Header: 30 * time.Second, Follow: true, KeepAlive: true}

// How long a speech provider may take to begin its answer.
var speechTimes = outbound.Options{Connect: 10 * time.Second, Header: 2 * time.Minute, KeepAlive: true}

// How long the font service and the servers of its files may take.
var FontTimes = outbound.Options{Connect: 5 * time.Second, Header: 5 * time.Second, Follow: true, KeepAlive: true}

// How long an image provider may take to begin its answer.
var imageTimes = outbound.Options{Connect: 10 * time.Second, Header: 3 * time.Minute, KeepAlive: true}

// Renderer is the render engine and what it draws from: downloads, pages and voices.
type Renderer struct {
	Engine  *render.Engine
	Assets  *assets.Cache
	pages   *browser.Pool
	Fonts   *webfonts.Service
	Sandbox *Sandbox
	Kept    []KeptPlace
	Caches  []chores.Cache // all that is kept on this disk for accounts
}

// NewRenderer puts the renderer together. Everything it keeps lies below dir: work, windows, assets and speech. own opens
// addresses under the service's own base, shared keeps downloads for other hosts, fonts keeps font families, and saved the
// providers that accounts have saved; all but fonts are nil when there is no service around, and so is count.
func NewRenderer(
	ctx context.Context, cfg config.Config, dir string, own assets.OwnFiles, shared assets.Store, fonts webfonts.Store,
	saved roads.SavedProvider, count *metrics.Metrics, log logrus.FieldLogger,
) (*Renderer, error) {
	guard, err := roads.NewGuard(cfg)
	if err != nil {
		return nil, err
	}
	sandbox, err := openSandbox(cfg.Sandbox, dir, log)
	if err != nil {
		return nil, err
	}
	tools, err := ffmpeg.Open(ctx, ffmpeg.Config{Jail: sandbox.jail, Log: log})
	if err != nil {
		return nil, err
	}
	r := &Renderer{Sandbox: sandbox}
	r.Assets, err = newAssets(cfg, dir, own, shared, tools, count.Client(guard.Client(assetTimes), metrics.Sources), log)
	if err != nil {
		return nil, err
	}
	drawer, err := text.NewEngine(filepath.Join(dir, "fonts"), log)
	if err != nil {
		return nil, err
	}
	r.Fonts, err = webfonts.New(webfonts.Config{
		URL: cfg.FontsURL, Client: count.Client(guard.Client(FontTimes), metrics.Fonts), Store: fonts,
		Dir: filepath.Join(dir, "webfonts"),
		Has: drawer.Has, Unpack: text.Unpack, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("--fonts-url: %w", err)
	}
	speaker, err := speech.New(ctx, speech.Config{
		Client: count.Client(guard.Client(speechTimes), metrics.Speech), Dir: filepath.Join(dir, "speech"),
		Speech: cfg.Speech, Transcription: cfg.Transcription, Saved: saved.Speech(), Log: log,
		Jail: sandbox.jail, Made: r.Assets, Room: cacheBounds(cfg),
	})
	if err != nil {
		return nil, err
	}
	painter, err := images.New(images.Config{
		Client: count.Client(guard.Client(imageTimes), metrics.Images), Endpoint: cfg.Images, Saved: saved.Images(),
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
		Dir: filepath.Join(dir, "render"), Tools: tools, Fetcher: r.Assets, Text: drawer,
		Speaker: speaker, Words: speaker, Images: painter, Pages: count.Pages(browser.Elements{Pool: r.pages}), Fonts: r.Fonts,
		PageTTL: cfg.AssetCacheTTL,
		Cores:   cfg.Cores, MemoryMB: cfg.MemoryMB, HeldPictures: cfg.HeldPictures, Log: log,
		CacheBytes: bytesOrAll(cfg.TotalCache), Room: cacheBounds(cfg),
	})
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	r.Kept = []KeptPlace{{"parts", r.Engine.Room()}, {"speech", speaker.Room()}, {"images", painter.Room()}}
	r.Caches = []chores.Cache{r.Assets, r.Engine, speaker, painter}
	return r, nil
}

// newAssets wires the cache of sources.
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

// KeptPlace is a cache with its bounds, by the name that metrics have for it.
type KeptPlace struct {
	Name string
	Room *quota.Folder
}

// Close ends the browsers. No render may be under way.
func (r *Renderer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stores.CloseTime)
	defer cancel()
	return r.pages.Close(ctx)
}
