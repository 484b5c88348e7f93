// Package images has pictures generated from descriptions, by an endpoint with OpenAI's protocol.
//
// Pictures are cached in a folder per account, under the hash of the whole request, and returned again for the same request. They
// are recognised by content, and their size is checked before other code reads them.
package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/singleflight"

	"moviola/commands"
	"moviola/domain"
	"moviola/internal/fair"
	"moviola/internal/quota"
)

// Codes of the errors about generated pictures.
const (
	codeFailed     = "image_generation_failed"
	codeNoProvider = "image_provider_missing"
	codeStorage    = "image_storage_full"
)

// Endpoint is a service with OpenAI's protocol for pictures. The zero Endpoint means none.
type Endpoint struct {
	URL   string // base address of the endpoint, such as https://api.openai.com/v1
	Key   string // key of the endpoint, sent as bearer token; empty: none
	Model string // model that generates pictures; empty: gpt-image-1
}

const defaultModel = "gpt-image-1"

// Config is the configuration of a Generator. Dir and Client must be set.
type Config struct {
	Client *http.Client // guarded by adapters/outbound; for the endpoint, and for the addresses of pictures in its answers
	// Endpoint generates the pictures for prompts that name no saved connection. If it is the zero Endpoint, such prompts
	// fail.
	Endpoint Endpoint
	// Saved returns the endpoint behind a saved connection of an account. For an unknown connection it returns a *domain.Error. Nil:
	// there are none.
	Saved func(ctx context.Context, account domain.AccountID, id string) (Endpoint, error)
	// Dir contains a folder per account; several processes of one host may share it. The modification time of a file is that of
	// its last use, so that unused files can be removed.
	Dir string
	// Room bounds the cached files; the least recently used ones are removed.
	Room quota.Limits
	// Made is a store through which hosts share generated pictures. Nil: there is one host, or the hosts share Dir.
	Made MadeStore
	Log  logrus.FieldLogger // nil: the standard logger
	// Timeout limits one request, and one download of a picture that an answer names; 0: 3 minutes.
	Timeout time.Duration
	// Retries are the pauses before retries after temporary failures; nil: one second, four seconds.
	Retries []time.Duration
	// Slots is the largest number of concurrent requests to endpoints, which accounts make in turns; 0: 4. One account
	// makes at most half of them, or one, because its own endpoint may be slow.
	Slots int
}

const (
	defaultTimeout = 3 * time.Minute
	defaultSlots   = 4
	// workLimit is the time limit for generating one picture, even if nobody waits for it.
	workLimit = 12 * time.Minute
)

// Generator has pictures generated. It is safe for concurrent use.
type Generator struct {
	cfg     Config
	room    *quota.Folder
	running *fair.Budget // requests to endpoints
	flights singleflight.Group
}

// New returns a Generator that stores its pictures in cfg.Dir, which it creates.
func New(cfg Config) (*Generator, error) {
	if cfg.Dir == "" || cfg.Client == nil {
		return nil, errors.New("image generation needs a folder and a client")
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.Retries == nil {
		cfg.Retries = []time.Duration{time.Second, 4 * time.Second}
	}
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	if cfg.Slots == 0 {
		cfg.Slots = defaultSlots
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of generated images: %w", err)
	}
	running := fair.New(fair.Limits{Total: int64(cfg.Slots), Account: int64(max(1, cfg.Slots/2))})
	return &Generator{cfg: cfg, room: quota.NewFolder(cfg.Dir, cfg.Room, inUse), running: running}, nil
}

// maxPrompt is the longest description in characters.
const maxPrompt = 8000

// Generate generates a picture. See render.ImageGenerator. Concurrent callers with the same request share the work.
func (g *Generator) Generate(ctx context.Context, request commands.ImageRequest) (commands.GeneratedImage, error) {
	if n := len([]rune(request.Prompt)); n > maxPrompt || strings.TrimSpace(request.Prompt) == "" {
		return commands.GeneratedImage{}, domain.Errorf(domain.Invalid, codeFailed,
			"The prompt of an image must have 1 to %d characters, this one has %d", maxPrompt, n)
	}
	endpoint, err := g.endpoint(ctx, request)
	if err != nil {
		return commands.GeneratedImage{}, err
	}
	o, err := newOrder(endpoint, request)
	if err != nil {
		return commands.GeneratedImage{}, err
	}
	s := g.folderOf(request.Account)
	made, ok := s.find(o.key)
	if !ok {
		if made, ok, err = g.share(ctx, s, request.Account, o); err != nil {
			return commands.GeneratedImage{}, err
		}
	}
	return commands.GeneratedImage{Asset: made, Cached: ok, Warnings: o.warnings}, nil
}

// AtHand reports whether the picture is cached in Config.Dir, so that Generate would call no endpoint.
func (g *Generator) AtHand(ctx context.Context, request commands.ImageRequest) bool {
	endpoint, err := g.endpoint(ctx, request)
	if err != nil {
		return false
	}
	o, err := newOrder(endpoint, request)
	if err != nil {
		return false
	}
	_, found := g.folderOf(request.Account).find(o.key)
	return found
}

// endpoint returns the endpoint that generates the picture.
func (g *Generator) endpoint(ctx context.Context, request commands.ImageRequest) (Endpoint, error) {
	if request.Connection == "" {
		if g.cfg.Endpoint.URL == "" {
			return Endpoint{}, domain.Errorf(domain.Invalid, codeNoProvider,
				"Images of a 'prompt' need an image provider, and none is configured; set one, or use the 'src' of an image")
		}
		return g.cfg.Endpoint, nil
	}
	if g.cfg.Saved == nil {
		return Endpoint{}, domain.Errorf(domain.Invalid, codeNoProvider, "The connection '%s' does not exist",
			shown(request.Connection))
	}
	return g.cfg.Saved(ctx, request.Account, request.Connection)
}

// share does the work once for all callers that ask for the same order at the same time, and reports whether the picture
// came from Config.Made, where usually another host has stored it. The work continues within its own limits when a caller
// gives up, because the picture is paid for.
func (g *Generator) share(
	ctx context.Context, s accountFolder, account domain.AccountID, o order,
) (made commands.Asset, cached bool, err error) {
	type picture struct {
		asset  commands.Asset
		cached bool
	}
	done := g.flights.DoChan(s.dir+" "+o.key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), workLimit)
		defer cancel()
		if found, ok := s.find(o.key); ok { // another caller has made the picture meanwhile
			return picture{asset: found}, nil
		}
		if found, ok := g.takeMade(ctx, s, account, o.key); ok {
			return picture{found, true}, nil
		}
		place, err := g.running.Take(ctx, string(account), 1)
		if err != nil {
			return nil, fmt.Errorf("wait for a free place to generate an image: %w", err)
		}
		defer place.Release()
		free, err := s.reserve(ctx)
		if err != nil {
			return nil, err
		}
		raw, err := g.ask(ctx, o)
		free()
		if err != nil {
			return nil, err
		}
		asset, err := s.keep(o.key, raw)
		if err == nil {
			g.keepMade(ctx, account, o.key, asset)
		}
		return picture{asset: asset}, err
	})
	select {
	case <-ctx.Done():
		return commands.Asset{}, false, context.Cause(ctx)
	case result := <-done:
		if result.Err != nil {
			return commands.Asset{}, false, result.Err
		}
		p := result.Val.(picture)
		return p.asset, p.cached, nil
	}
}

// order is a prepared request: the endpoint, the content, and the cache key.
type order struct {
	endpoint Endpoint
	body     []byte
	key      string
	warnings []string
}

func newOrder(endpoint Endpoint, request commands.ImageRequest) (order, error) {
	o := order{endpoint: endpoint}
	if endpoint.Model == "" {
		o.endpoint.Model = defaultModel
	}
	switch {
	case request.Model == "" || strings.EqualFold(request.Model, o.endpoint.Model):
	case request.Connection != "" && endpoint.Model == "":
		// the connection sets no model: the movie may choose, since its account pays
		o.endpoint.Model = request.Model
	default:
		o.warnings = append(o.warnings, fmt.Sprintf("The image model '%s' is not available, the provider's model '%s' is used",
			shown(request.Model), o.endpoint.Model))
	}
	fields, err := settingsOf(request.Settings)
	if err != nil {
		return order{}, err
	}
	fields["model"], fields["prompt"], fields["n"] = o.endpoint.Model, request.Prompt, 1
	if _, chosen := fields["size"]; !chosen {
		fields["size"] = sizeOf(o.endpoint.Model, request.Aspect)
	}
	if !strings.HasPrefix(o.endpoint.Model, "gpt-image") { // gpt-image models have a single answer format and refuse this parameter
		fields["response_format"] = "b64_json"
	}
	if o.body, err = json.Marshal(fields); err != nil {
		return order{}, fmt.Errorf("write image request: %w", err)
	}
	o.key = hashOf([]byte(strings.Join([]string{o.endpoint.URL, request.Connection, string(request.Fresh), string(o.body)}, "\x00")))
	return o, nil
}

// shown shortens a user's text for messages.
func shown(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
