package files

import (
	"context"
	"errors"
	"io"
	"strings"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/domain/result"
)

// OpenOwn opens a file of this service for a movie of an account, by its path below the service's base and without the
// network. A missing file and a file of another account are commands.ErrFileNotFound; photographs of the template library are
// available to everybody. Decision 8.
func (s *Server) OpenOwn(ctx context.Context, account domain.AccountID, path string) (io.ReadCloser, error) {
	path = "/" + strings.TrimPrefix(path, "/")
	if file, err := (Photographs{}).OpenOwn(ctx, account, path); !errors.Is(err, commands.ErrFileNotFound) {
		return file, err
	}
	found, ok, err := s.findOwn(ctx, path)
	if err != nil {
		return nil, err
	}
	if !ok || found.account != account {
		return nil, commands.ErrFileNotFound
	}
	file, err := s.cfg.Files.Open(ctx, found.key)
	if err == nil {
		if err = commands.CheckFile(ctx, file, found.key, found.size, found.hash); err != nil {
			return nil, err
		}
	}
	if err == nil && found.old(file, s.cfg.Now()) {
		return nil, errors.Join(commands.ErrFileNotFound, file.Close())
	}
	return file, err
}

// findOwn returns the file that a path names: a rendered file, a file of a media library, or a prepared asset.
func (s *Server) findOwn(ctx context.Context, path string) (target, bool, error) {
	if strings.HasPrefix(path, media.AddressPath) {
		return s.findMedia(ctx, path)
	}
	rest, ok := strings.CutPrefix(path, result.FilesPath)
	token, name, named := strings.Cut(rest, "/")
	if !ok || !named {
		return target{}, false, nil
	}
	return s.find(ctx, token, name)
}
