package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// fetchers is the largest number of sources of a document, and of preload items of a movie, that are prepared at the same
// time.
const fetchers = 4

// refetcher is an Assets that can bypass its cache, except for files downloaded since a given time. With the zero time it
// bypasses the whole cache.
type refetcher interface {
	Refetch(ctx context.Context, account domain.AccountID, address string, since time.Time) (commands.Asset, error)
}

// maxGathers is the largest number of rounds of fetching. In a round, the lengths of fetched sources may show that the document
// names more sources.
const maxGathers = 8

// defaultSourcesTime is the time limit for all sources of a movie together. Decision 54.
const defaultSourcesTime = 10 * time.Minute

// fetchSources brings the movie's sources into its folder and fills in the parts of the document that depend on their lengths,
// which may name more sources.
func (r *run) fetchSources(ctx context.Context, doc *document.Movie) (*document.Movie, error) {
	ctx, cancel := r.engine.withSourcesTime(ctx, 0)
	defer cancel()
	defer r.whileSourcesMayTake()()
	for range maxGathers {
		if err := r.fetch(ctx, r.missing(doc)); err != nil {
			return nil, err
		}
		if !doc.Waits() {
			return doc, nil
		}
		var err error
		if doc, err = doc.Resolve(document.Known{Natural: r.natural, Values: r.values}); err != nil {
			return nil, err
		}
		if err := document.Validate(doc); err != nil {
			return nil, err
		}
		if len(r.missing(doc)) == 0 {
			break
		}
	}
	return doc, document.CheckResolved(doc)
}

// withSourcesTime returns a context with the time limit for the movie's sources, less the time that earlier attempts have spent.
func (e *Engine) withSourcesTime(ctx context.Context, spent time.Duration) (context.Context, context.CancelFunc) {
	limit := cmp.Or(e.cfg.SourcesTime, defaultSourcesTime)
	return context.WithTimeoutCause(ctx, limit-spent, domain.Errorf(domain.Invalid, "asset_download_failed",
		"The sources of the movie took longer than %g minutes to download: serve them faster, or preload them", limit.Minutes()))
}

// missing returns the sources of a document that were not fetched yet.
func (r *run) missing(doc *document.Movie) []document.Source {
	return slices.DeleteFunc(document.Sources(doc), func(s document.Source) bool {
		_, there := r.sources[s.Key]
		return there
	})
}

// natural returns the length of a source; false: the source was not fetched yet.
func (r *run) natural(key string) (document.Seconds, bool) {
	s, there := r.sources[key]
	return document.SecondsOfFloat(s.Asset.Facts.Duration), there
}

// fetch brings the movie's sources into its folder. When several fail, the error names the first one in the order of the
// document.
func (r *run) fetch(ctx context.Context, wanted []document.Source) error {
	got, err := r.obtain(ctx, wanted, r.prepare)
	if err != nil {
		return err
	}
	for i, w := range wanted {
		path := filepath.Join(r.in, got[i].Asset.Hash)
		if err := workspace.Link(got[i].Asset.Path, path); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("link asset %s: %w", got[i].Asset.Hash, err)
		}
		got[i].Path = path
		r.sources[w.Key] = got[i]
	}
	return nil
}

// obtain calls get for all sources, a few at the same time.
func (r *run) obtain(
	ctx context.Context, wanted []document.Source, get func(context.Context, document.Source) (artwork.Source, error),
) ([]artwork.Source, error) {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(fetchers)
	got := make([]artwork.Source, len(wanted))
	failed := make([]error, len(wanted))
	for i, w := range wanted {
		group.Go(func() error {
			got[i], failed[i] = get(groupCtx, w)
			if errors.Is(failed[i], commands.ErrGiveWay) {
				return nil // giving way cancels no other source: speech and pictures that are being generated are paid for
			}
			return failed[i]
		})
	}
	if err := errors.Join(group.Wait(), errors.Join(failed...)); err != nil {
		return nil, r.fetchError(ctx, wanted, failed)
	}
	return got, nil
}

// hashes maps the keys of sources to the hashes of their content.
func (r *run) hashes() map[string]string {
	hashes := make(map[string]string, len(r.sources))
	for key, s := range r.sources {
		hashes[key] = s.Asset.Hash
	}
	return hashes
}

// prepare downloads a source, or has its speech or picture generated.
func (r *run) prepare(ctx context.Context, w document.Source) (artwork.Source, error) {
	switch {
	case r.sketch != nil:
		return r.sketchSource(ctx, w)
	case w.Kind == document.TypeVoice:
		return r.speak(ctx, w)
	case w.Prompt != nil:
		return r.generate(ctx, w)
	}
	// Waiting for the download ends when the slot is wanted by other work. A fresh source, which must not come from the
	// cache, is waited for all the same, because the next attempt would download it again from the start.
	if !w.Fresh {
		var end context.CancelFunc
		ctx, end = r.untilLapsed(ctx)
		defer end()
	}
	return r.download(ctx, w)
}

// download brings a file to the local disk, unless it is there and the element may use a cached file. It returns an error
// if the type of the file does not match its use.
func (r *run) download(ctx context.Context, w document.Source) (artwork.Source, error) {
	address, err := r.addressOf(w)
	if err != nil {
		return artwork.Source{}, err
	}
	var asset commands.Asset
	if again, ok := r.engine.cfg.Fetcher.(refetcher); ok && w.Fresh {
		asset, err = again.Refetch(ctx, r.job.Account, address, r.job.FetchedSince)
	} else {
		asset, err = r.engine.cfg.Fetcher.Fetch(ctx, r.job.Account, address)
	}
	if err == nil {
		err = fits(w, asset)
	}
	return artwork.Source{Asset: asset}, err
}

// addressOf returns the address that the fetcher needs for the file w. Only the src of a media element may name a file of
// this machine, and only if such files are allowed (Local is set). The addresses of masks, fonts, captions and pages, and
// addresses in the settings of components, are returned as they are.
func (r *run) addressOf(w document.Source) (string, error) {
	if r.engine.cfg.Local == nil || w.Kind != w.Ref.Type {
		return w.URL, nil
	}
	return r.engine.cfg.Local(w.URL)
}

func (r *run) fetchError(ctx context.Context, wanted []document.Source, failed []error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var other error
	for i, err := range failed {
		if errors.Is(err, commands.ErrGiveWay) {
			return err
		}
		var fault *domain.Error
		if errors.As(err, &fault) {
			return &domain.Error{Kind: fault.Kind, Code: fault.Code, Message: artwork.ElementName(wanted[i].Ref) + ": " + fault.Message}
		}
		// The variable other becomes the first error that is not context.Canceled, if there is one. A download ends with
		// context.Canceled if it was cancelled because another download had failed.
		if err != nil && (other == nil || errors.Is(other, context.Canceled)) {
			other = err
		}
	}
	return fmt.Errorf("fetch assets: %w", other)
}

// fits returns an error if the type of an asset does not match its use in the document.
func fits(w document.Source, a commands.Asset) error {
	moves, stands := a.Media != nil && a.Media.Video != nil, a.Media == nil && a.Facts.Width > 0
	var ok bool
	name, as := "a "+w.Kind, "a "+w.Kind+" element"
	switch w.Kind {
	case document.TypeImage:
		ok = stands || moves && a.Animated()
		name, as = "an image", "an image element"
	case document.TypeVideo:
		ok = moves
	case document.TypeAudio:
		ok = a.Media != nil && a.Media.Audio != nil
		name, as = "an audio", "an audio element"
	case document.KindMask:
		ok = stands || moves
		name, as = "an image or video", "a mask"
	case document.KindFont:
		ok, as = a.Format == commands.FontFormat, "a font"
	case document.KindCaptions:
		ok, name, as = a.Format == commands.CaptionsFormat, "an SRT, VTT or ASS", "captions"
	}
	if ok {
		return nil
	}
	return domain.Errorf(domain.Invalid, "asset_wrong_type", "The URL provided is not %s file and cannot be used as a "+
		"source for %s", name, as)
}

// facts returns the facts about the sources that the timeline needs.
func (r *run) facts() map[string]timeline.Facts {
	facts := make(map[string]timeline.Facts, len(r.sources))
	for key, s := range r.sources {
		facts[key] = s.Asset.Facts
	}
	return facts
}
