package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"moviola/adapters/render/artwork"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/internal/oom"
)

// keeper is an Assets (it fetches sources) that can also look an asset up in its cache without downloading it. It has
// nothing to do with the role keeper.
type keeper interface {
	// Kept returns the cached asset that Fetch would return. KeptSince returns the cached asset that Refetch would return
	// for the same value of the parameter since. Both return false when the asset would have to come from elsewhere.
	Kept(ctx context.Context, account domain.AccountID, address string) (commands.Asset, bool)
	KeptSince(ctx context.Context, account domain.AccountID, address string, since time.Time) (commands.Asset, bool)
	// IsOwn reports whether an address belongs to the service itself, so that no other server is asked.
	IsOwn(address string) bool
}

// ahead fetches the files of a movie or a preload item into the account's cache, before the movie or item is made.
type ahead struct {
	*run
	atHand bool // only the cache is searched; nothing is downloaded except files of the service itself
}

func (e *Engine) ahead(account domain.AccountID, project domain.ProjectID, fetch commands.Fetch) *ahead {
	return &ahead{atHand: fetch.AtHand, run: &run{
		engine: e, job: commands.RenderJob{Account: account, Project: project, FetchedSince: fetch.Since},
		log: e.cfg.Log.WithField("project", project), sources: map[string]artwork.Source{}, warned: map[string]bool{},
	}}
}

// FetchSources brings the files that a movie names into the account's cache: those of its elements, components, masks,
// fonts, captions and preloads, and its font families, as far as they are known before speech, pictures and pages are
// made. Most files of the service itself are left out. See processors.SourceFetcher. A movie that is invalid as posted
// fetches nothing: the render reports the mistake.
func (e *Engine) FetchSources(ctx context.Context, job commands.FetchJob) error {
	before := oom.Read()
	return outOfMemory(ctx, before, e.fetchSources(ctx, job))
}

func (e *Engine) fetchSources(ctx context.Context, job commands.FetchJob) error {
	doc, err := document.Parse(job.Document)
	if err == nil {
		err = document.Validate(doc)
	}
	if err != nil {
		return nil
	}
	ctx, cancel := e.withSourcesTime(ctx, job.Spent)
	defer cancel()
	if err := e.fetchFonts(ctx, doc, job.Fetch); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(fetchers)
	for i := range doc.Preload {
		group.Go(func() error {
			item, err := documentOf(doc.Preload[i])
			if err != nil {
				return nil
			}
			if err := e.fetchFonts(groupCtx, item, job.Fetch); err != nil {
				return err
			}
			err = ownFault(e.ahead(job.Account, job.Project, job.Fetch).bring(groupCtx, item))
			return ofItem(doc.Preload[i].ID, err)
		})
	}
	if err := group.Wait(); err != nil {
		return aheadError(ctx, err)
	}
	return aheadError(ctx, e.ahead(job.Account, job.Project, job.Fetch).bring(ctx, doc))
}

// FetchItem brings the files that a preload item names into the account's cache, before the item is made. See
// processors.SourceFetcher.
func (e *Engine) FetchItem(ctx context.Context, job commands.PrepareJob, fetch commands.Fetch) error {
	before := oom.Read()
	return outOfMemory(ctx, before, e.fetchItem(ctx, job, fetch))
}

func (e *Engine) fetchItem(ctx context.Context, job commands.PrepareJob, fetch commands.Fetch) error {
	doc, err := documentOf(job.Item)
	if err != nil {
		return nil
	}
	ctx, cancel := e.withSourcesTime(ctx, fetch.Spent)
	defer cancel()
	if err := e.fetchFonts(ctx, doc, fetch); err != nil {
		return err
	}
	err = e.ahead(job.Account, domain.ProjectID(job.Batch), fetch).bring(ctx, doc)
	return ownFault(aheadError(ctx, err))
}

// fetchFonts fetches the font families that a document names. A family that cannot be fetched is no error: the render
// asks for it again, or substitutes it. With fetch.AtHand nothing is fetched, and a family that is not at hand is
// commands.ErrNotAtHand.
func (e *Engine) fetchFonts(ctx context.Context, doc *document.Movie, fetch commands.Fetch) error {
	if e.cfg.Fonts == nil {
		return nil
	}
	wishes := document.FontWishes(doc)
	if !fetch.AtHand {
		e.cfg.Fonts.Families(ctx, wishes, time.Time{})
	} else if !e.cfg.Fonts.Kept(ctx, wishes) {
		return commands.ErrNotAtHand
	}
	return nil
}

// aheadError returns err, unless the context has ended. An error after the end is taken for a consequence of it:
// aheadError then returns the cause of the end, such as the time limit for all sources.
func aheadError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// ofItem returns err with the preload item named in its message, if err is an error for the client. id is the id of the
// item. Any other error is returned unchanged.
func ofItem(id string, err error) error {
	var fault *domain.Error
	if errors.As(err, &fault) {
		return &domain.Error{Kind: fault.Kind, Code: fault.Code, Message: fmt.Sprintf("Preload item '%s': %s", id, fault.Message)}
	}
	return err
}

// bring fetches the files that a document names, and then those that the document turns out to need once the lengths of sources
// are known.
func (a *ahead) bring(ctx context.Context, doc *document.Movie) error {
	for range maxGathers {
		wanted := a.files(doc)
		got, err := a.obtain(ctx, wanted, a.get)
		if err != nil {
			return err
		}
		for i, w := range wanted {
			a.sources[w.Key] = got[i]
		}
		if !doc.Waits() || len(wanted) == 0 {
			return nil
		}
		next, err := doc.Resolve(document.Known{Natural: a.natural})
		if err == nil {
			err = document.Validate(next)
		}
		if err != nil {
			return nil // an invalid document fetches nothing: the render reports the mistake
		}
		doc = next
	}
	return nil
}

// files returns the files that are not fetched yet. Files of the service itself are left out, unless the document depends on
// their lengths.
func (a *ahead) files(doc *document.Movie) []document.Source {
	kept, _ := a.engine.cfg.Fetcher.(keeper)
	var files []document.Source
	for _, s := range a.missing(doc) {
		if s.URL == "" || kept != nil && !doc.Waits() && kept.IsOwn(s.URL) {
			continue
		}
		files = append(files, s)
	}
	return files
}

// get returns a file from the cache, or downloads it. If a.atHand, it downloads only files of the service itself: any
// other file that the cache does not have is commands.ErrNotAtHand. Without a keeper, no file is at hand.
func (a *ahead) get(ctx context.Context, w document.Source) (artwork.Source, error) {
	if !a.atHand {
		return a.download(ctx, w)
	}
	kept, ok := a.engine.cfg.Fetcher.(keeper)
	if !ok {
		return artwork.Source{}, commands.ErrNotAtHand
	}
	if kept.IsOwn(w.URL) {
		return a.download(ctx, w)
	}
	var asset commands.Asset
	if w.Fresh {
		asset, ok = kept.KeptSince(ctx, a.job.Account, w.URL, a.job.FetchedSince)
	} else {
		asset, ok = kept.Kept(ctx, a.job.Account, w.URL)
	}
	if !ok {
		return artwork.Source{}, commands.ErrNotAtHand
	}
	return artwork.Source{Asset: asset}, fits(w, asset)
}
