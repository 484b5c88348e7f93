package preloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"moviola/commands"
	"moviola/commands/mediafiles"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// PreparedStore stores prepared assets where they can be downloaded: in the media library of their account when the item
// asks for that and it is possible, otherwise outside of it for a few days. Decision 47. It is safe for concurrent use.
type PreparedStore struct {
	files     commands.Files
	keep      mediafiles.KeepMediaHandler
	addresses *media.Addresses
	prices    ItemPrices
	now       eventstore.Clock
	ttl       time.Duration
	shown     func(context.Context, eventstore.Position)
}

// PreparedStoreConfig is what NewPreparedStore needs. Every field is required.
type PreparedStoreConfig struct {
	Files     commands.Files
	Keep      mediafiles.KeepMediaHandler
	Addresses *media.Addresses
	Prices    ItemPrices
	Now       func() time.Time
	TTL       time.Duration // how long assets outside of a media library are stored
	// Shown waits a moment until the read model of the media library includes a position, so that the client finds an asset
	// that is reported as ready.
	Shown func(ctx context.Context, at eventstore.Position)
}

// NewPreparedStore returns a store.
func NewPreparedStore(c PreparedStoreConfig) PreparedStore {
	return PreparedStore{files: c.Files, keep: c.Keep, addresses: c.Addresses, prices: c.Prices, now: c.Now, ttl: c.TTL,
		shown: c.Shown}
}

// Publish stores an asset of a movie's property preload as Store does, and returns the addresses of the stored asset.
func (s PreparedStore) Publish(
	ctx context.Context, job commands.PrepareJob, p commands.Prepared,
) (address, web, warning string, err error) {
	r, err := s.Store(ctx, job, p)
	if err != nil {
		return "", "", "", err
	}
	address, web = PreparedAddresses(s.addresses, job.Account, r)
	return address, web, string(r.Warning), nil
}

// KeepMade stores in the media library, as generated/<project>-<name>, an asset that was made for an element of a movie. before
// is how many assets of the movie have the same name and come before this one: they are other assets. Decision 47.
func (s PreparedStore) KeepMade(
	ctx context.Context, account domain.AccountID, project domain.ProjectID, name string, before int, p commands.Prepared,
) error {
	once := string(project)
	if before > 0 {
		once += "/" + strconv.Itoa(before)
	}
	_, err := s.keepShown(ctx, mediafiles.KeepMedia{
		Account: account, Name: string(project) + "-" + name + p.Extension, ContentType: p.ContentType, Size: p.Size,
		Open: opener(p.Path), Once: once,
	})
	return err
}

// Store stores an asset and returns the item's result. When an asset for the media library cannot be stored there, it is
// stored outside of it for a few days, and the result has a warning. When ctx has ended, Store returns an error instead.
// Spec: Preload item result.
func (s PreparedStore) Store(ctx context.Context, job commands.PrepareJob, p commands.Prepared) (preload.Result, error) {
	r := preload.Result{Duration: p.Duration, Width: p.Width, Height: p.Height, Size: p.Size, Generated: p.Generated}
	if p.Generated {
		r.Credits = s.prices.Charge(job.Item, p.Duration)
	}
	if job.Item.Save {
		kept, err := s.kept(ctx, job, p, r)
		switch {
		case err == nil:
			return kept, nil
		case ctx.Err() != nil:
			return preload.Result{}, err
		case errors.Is(err, storage.ErrStorageBlocked), storage.IsStorageFull(err):
			r.Warning = preload.QuotaBlocked
		default:
			r.Warning = preload.PersistFailed
		}
	}
	return s.cached(ctx, job, p, r)
}

// kept stores the asset, and its form for browsers, in the media library. When only the form for browsers cannot be stored, the
// asset is taken back: it would be stored twice, since the caller stores both outside of the library.
func (s PreparedStore) kept(
	ctx context.Context, job commands.PrepareJob, p commands.Prepared, r preload.Result,
) (preload.Result, error) {
	name := job.Batch + "-" + job.Item.ID
	file, err := s.keepShown(ctx, mediafiles.KeepMedia{
		Account: job.Account, Name: name + p.Extension, ContentType: p.ContentType, Size: p.Size, Open: opener(p.Path), Once: job.Batch,
	})
	if err != nil {
		return r, err
	}
	r.Folder, r.Name = file.Folder, file.Name
	if p.Web == "" {
		return r, nil
	}
	web, err := s.keptWeb(ctx, job, p, name)
	if err != nil && ctx.Err() == nil {
		err = errors.Join(err, s.keep.TakeBack(ctx, job.Account, file))
	}
	r.WebName = web.Name
	return r, err
}

func (s PreparedStore) keptWeb(
	ctx context.Context, job commands.PrepareJob, p commands.Prepared, name string,
) (mediafiles.KeptMedia, error) {
	info, err := os.Stat(p.Web)
	if err != nil {
		return mediafiles.KeptMedia{}, fmt.Errorf("look at a derivative: %w", err)
	}
	return s.keepShown(ctx, mediafiles.KeepMedia{
		Account: job.Account, Name: name + "-web" + p.WebExtension, ContentType: p.WebType, Size: info.Size(),
		Open: opener(p.Web), Once: job.Batch,
	})
}

func (s PreparedStore) keepShown(ctx context.Context, cmd mediafiles.KeepMedia) (mediafiles.KeptMedia, error) {
	kept, err := s.keep.Handle(ctx, cmd)
	if err == nil {
		s.shown(ctx, kept.Position)
	}
	return kept, err
}

// cached stores the asset, and its form for browsers, outside of the media library for a few days.
func (s PreparedStore) cached(
	ctx context.Context, job commands.PrepareJob, p commands.Prepared, r preload.Result,
) (preload.Result, error) {
	// Every attempt stores its files under other keys, because an attempt that is believed dead
	// must not overwrite the files of a finished one.
	stem := blobkey.PreparedStem(job.Account, preload.ID(job.Batch), job.Index+1, mediafiles.NewEntry())
	r.Key = stem + p.Extension
	if err := s.put(ctx, r.Key, p.Path); err != nil {
		return r, err
	}
	if p.Web != "" {
		r.Web = stem + "-web" + p.WebExtension
		if err := s.put(ctx, r.Web, p.Web); err != nil {
			return r, err
		}
	}
	expires := s.now.Stamp().Add(s.ttl)
	r.ExpiresAt = &expires
	return r, nil
}

func (s PreparedStore) put(ctx context.Context, key, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open a prepared asset: %w", err)
	}
	defer file.Close()
	return s.files.Put(ctx, key, file)
}

// opener returns a function that opens a local file.
func opener(path string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return os.Open(path) }
}

// PreparedAddresses returns the addresses of a prepared asset and of its form for browsers: an
// address is empty when its file does not exist.
func PreparedAddresses(a *media.Addresses, account domain.AccountID, r preload.Result) (asset, web string) {
	cached := func(key string) string {
		if key == "" {
			return ""
		}
		return a.Cached(account, strings.TrimPrefix(key, blobkey.Prepared.Of(account)))
	}
	if r.Name == "" {
		return cached(r.Key), cached(r.Web)
	}
	asset = a.File(account, media.Path{Folder: r.Folder, Name: r.Name})
	if r.WebName != "" {
		web = a.File(account, media.Path{Folder: r.Folder, Name: r.WebName})
	}
	return asset, web
}
