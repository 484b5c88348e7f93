package stores

import (
	"context"
	"errors"

	"moviola/adapters/blobs"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/internal/config"
	"moviola/internal/quota"
)

// limitFiles sets the bounds of stored and rendered files on the file storage.
func (s *Stores) limitFiles(cfg config.Config) {
	s.Stored = s.Files.Limit(quota.Of(int64(cfg.AccountStorage), int64(cfg.TotalStorage), cfg.AccountFiles, cfg.TotalFiles),
		blobs.StorageFull, blobkey.AccountPrefixes()...)
	s.Stored.LimitOwned(blobkey.Bodies.Prefix(), func(ctx context.Context, id string) (string, error) {
		return s.opener(ctx, template.Stream(template.ID(id)))
	})
	s.Rendered = s.Files.Limit(quota.Of(int64(cfg.AccountRenders), int64(cfg.TotalRenders), cfg.AccountRenderFiles,
		cfg.TotalRenderFiles), blobs.RendersFull)
	s.Rendered.LimitOwned(blobkey.Renders.Prefix(), func(ctx context.Context, project string) (string, error) {
		return s.opener(ctx, movie.Stream(domain.ProjectID(project)))
	})
}

// opener returns the account in the first event of a stream; empty: there is none, or this version of the program cannot
// read it.
func (s *Stores) opener(ctx context.Context, stream string) (string, error) {
	for recorded, err := range s.Log.Store().ReadStream(ctx, stream, eventstore.Forwards, 0) {
		if err != nil {
			return "", err
		}
		_, meta, err := s.Log.Codec().Decode(recorded)
		if errors.Is(err, eventstore.ErrUnknownType) {
			return "", nil
		}
		return string(meta.Account), err
	}
	return "", nil
}
