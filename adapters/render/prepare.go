package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/preload"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
	"moviola/internal/oom"
)

// The default size of the drawing of a preload item, in pixels.
const drawnWidth, drawnHeight = 1920, 1080

// smallestCanvas is the smallest side of a movie, in pixels.
const smallestCanvas = 50

// Prepare prepares a preload item as the only element of a movie, so that the same code fetches, speaks, generates and draws it.
// Decision 46. Pages and components become pictures or, if they move, films with transparency.
func (e *Engine) Prepare(ctx context.Context, job commands.PrepareJob) (commands.Prepared, error) {
	before := oom.Read()
	out, err := e.prepare(ctx, job)
	return out, outOfMemory(ctx, before, err)
}

func (e *Engine) prepare(ctx context.Context, job commands.PrepareJob) (out commands.Prepared, err error) {
	doc, err := documentOf(job.Item)
	if err != nil {
		return commands.Prepared{}, err
	}
	project := domain.ProjectID(fmt.Sprintf("%s/%d", job.Batch, job.Index))
	r, err := e.begin(commands.RenderJob{Account: job.Account, Project: project, Attempt: job.Attempt,
		FetchedSince: job.FetchedSince, Now: job.Now})
	if err != nil {
		return commands.Prepared{}, err
	}
	defer func() {
		if err != nil {
			r.close()
			err = ownFault(err)
		}
	}()
	if doc, err = r.fetchSources(ctx, doc); err != nil {
		return commands.Prepared{}, err
	}
	r.findFonts(ctx, doc)
	p := prepared{run: r, Prepared: commands.Prepared{Close: r.close}}
	switch job.Item.Type {
	case preload.HTML, preload.Component:
		p.Generated = true
		err = p.drawn(ctx, doc)
	default:
		p.Generated = job.Item.Type == preload.Voice || doc.Elements[0].Prompt != nil
		err = p.source(doc.Elements[0].Src)
	}
	if err == nil {
		err = p.playable(ctx)
	}
	p.Warnings = r.warnings
	return p.Prepared, err
}

// documentOf returns a movie with the preload item as its only element.
func documentOf(item preload.Wanted) (*document.Movie, error) {
	element := map[string]any{}
	for name, value := range item.Properties {
		element[name] = value
	}
	for _, name := range []string{"x", "y", "position", "start", "condition", "save-to-media"} {
		delete(element, name)
	}
	w, h := drawnWidth, drawnHeight
	if n := sideOf(element["width"]); n > 0 {
		w = n
	}
	if n := sideOf(element["height"]); n > 0 {
		h = n
	}
	if item.Type == preload.HTML || item.Type == preload.Component {
		element["width"], element["height"] = w, h
	}
	// The sides of a canvas are even, and have a minimum that elements do not have.
	w, h = max(w+w%2, smallestCanvas), max(h+h%2, smallestCanvas)
	raw, err := json.Marshal(map[string]any{"width": w, "height": h, "background-color": "transparent", "elements": []any{element}})
	if err != nil {
		return nil, fmt.Errorf("write item %s: %w", item.ID, err)
	}
	doc, err := document.Parse(raw)
	if err == nil {
		err = document.Validate(doc)
	}
	return doc, ownFault(err)
}

// sideOf reads a side of a drawing, in pixels; 0: not a valid side.
func sideOf(value any) int {
	n, ok := value.(float64)
	if number, isNumber := value.(json.Number); isNumber {
		var err error
		n, err = number.Float64()
		ok = err == nil
	}
	if !ok || n < 1 || n > maxSide {
		return 0
	}
	return int(n)
}

// ownFault removes the words that name the element, such as "Movie, element #1: ", from the start of an error for the
// client. A preload item is checked as the only element of a movie, but the client has not posted this movie.
func ownFault(err error) error {
	var fault *domain.Error
	if !errors.As(err, &fault) {
		return err
	}
	text := fault.Message
	for _, prefix := range []string{"Movie Element #1: ", "Movie, element #1: ", "Movie, element #1, "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return &domain.Error{Kind: fault.Kind, Code: fault.Code, Message: text}
}

// prepared is the asset of a preload item while the asset is made.
type prepared struct {
	run *run
	commands.Prepared
	media *commands.Media // facts about the asset, if it is a film or sound
	still *picture.Still  // the asset, if it is a picture that browsers cannot show
}

// source uses a fetched, spoken or generated file as the asset.
func (p *prepared) source(key string) error {
	src, ok := p.run.sources[key]
	if !ok {
		return errors.New("the source of the item was not fetched")
	}
	info, err := os.Stat(src.Path)
	if err != nil {
		return fmt.Errorf("look at a prepared asset: %w", err)
	}
	p.Path, p.Size = src.Path, info.Size()
	p.Generated = p.Generated && !src.Cached // decision 38: assets from a cache are free
	if src.Asset.Media != nil {
		p.media = new(commands.Media)
		*p.media = *src.Asset.Media
		p.media.Format = src.Asset.Format // ffprobe may use several names for the format
	}
	p.Extension, p.ContentType = kindOf(src.Asset)
	facts := src.Asset.Facts
	p.Width, p.Height, p.Duration = facts.Width, facts.Height, facts.Duration
	if src.Asset.Format == "tiff" {
		p.still = &picture.Still{Path: src.Path, Format: src.Asset.Format, Orientation: src.Asset.Orientation}
	}
	return nil
}

// drawn draws a page or a component as the asset.
func (p *prepared) drawn(ctx context.Context, doc *document.Movie) error {
	plan, err := timeline.Lay(doc, p.run.facts())
	if err != nil {
		return err
	}
	p.run.plan = plan
	p.run.warn(plan.Warnings...)
	if err := p.run.openStills(); err != nil {
		return err
	}
	layer, _, ok := p.run.layerOf(doc.Elements[0].Ref)
	if !ok {
		return errors.New("the item has no layer")
	}
	return p.draw(ctx, layer, plan.Frames)
}

// finish uses a file that was just written as the asset.
func (p *prepared) finish(path, extension, contentType string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at a prepared asset: %w", err)
	}
	p.Path, p.Extension, p.ContentType, p.Size = path, extension, contentType, info.Size()
	return nil
}

// playable makes a copy of the asset in a format that browsers play, unless they can play the asset itself.
func (p *prepared) playable(ctx context.Context) error {
	switch {
	case p.still != nil:
		return p.playableStill(ctx)
	case p.media == nil || browserPlays(*p.media) || p.ContentType == "image/gif" || p.ContentType == "image/webp":
		return nil
	}
	return p.web(ctx, webForm(p.media.Video != nil && hasAlpha(p.media.Video.PixelFormat)), ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: p.Path, Format: p.media.Format}}, Read: []string{filepath.Dir(p.Path)},
	})
}

// form is a format for browsers.
type form struct {
	fileKind
	options []string // options of ffmpeg for the format
}

// webForm returns the format for browsers. Spec: Preload item result, webURL: WebM for sources with transparency, MP4 for all
// others.
func webForm(alpha bool) form {
	if alpha {
		return form{fileKind{".webm", "video/webm"}, []string{
			"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "6", "-row-mt", "1",
			"-pix_fmt", "yuva420p", "-auto-alt-ref", "0", "-c:a", "libopus", "-b:a", "128k",
		}}
	}
	return form{fileKind{".mp4", "video/mp4"}, []string{
		"-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p",
		"-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2", "-c:a", "aac", "-b:a", "160k", "-movflags", "+faststart",
	}}
}

// web writes the copy for browsers with a command whose inputs are set.
func (p *prepared) web(ctx context.Context, f form, command ffmpeg.Command) error {
	command.Dir = filepath.Join(p.run.dir, "web")
	if err := os.Mkdir(command.Dir, 0o700); err != nil {
		return fmt.Errorf("make a folder for a derivative: %w", err)
	}
	out := "out" + f.extension
	command.Output = append(f.options, "-map_metadata", "-1", out)
	if err := p.run.engine.cfg.Tools.Run(ctx, command); err != nil {
		return fmt.Errorf("make a form of an asset that browsers can play: %w", err)
	}
	p.Web, p.WebExtension, p.WebType = filepath.Join(command.Dir, out), f.extension, f.contentType
	return nil
}
