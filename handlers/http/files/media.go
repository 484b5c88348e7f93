package files

import (
	"context"
	"mime"
	"net/http"
	"path"
	"strings"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/domain/result"
	"moviola/projections"
)

// MediaFinder finds a file of a media library. While the log can be read, its answer includes
// every event of the log.
type MediaFinder interface {
	File(ctx context.Context, account domain.AccountID, path media.Path) (projections.MediaFile, bool, error)
}

// serveMedia serves files of media libraries and prepared assets: everybody who knows an address may read the file. A file
// without bytes is not found. Decision 45.
func (s *Server) serveMedia(w http.ResponseWriter, r *http.Request) {
	found, ok, err := s.findMedia(r.Context(), r.URL.Path)
	s.answer(w, r, found, ok, err)
}

// findMedia returns the file that the path of an address names.
func (s *Server) findMedia(ctx context.Context, address string) (target, bool, error) {
	at, ok := s.cfg.Addresses.Find(address)
	if !ok {
		return target{}, false, nil
	}
	if at.Cached != "" {
		return target{
			account: at.Account, key: blobkey.Prepared.Of(at.Account) + at.Cached, name: path.Base(at.Cached),
			contentType: result.ContentType(at.Cached), until: s.cfg.CacheTTL,
		}, true, nil
	}
	file, ok, err := s.cfg.Library.File(ctx, at.Account, at.Path)
	if err != nil || !ok || file.Status != projections.MediaUploaded {
		return target{}, false, err
	}
	return target{account: at.Account, key: file.Blob, name: file.Name, contentType: file.ContentType}, true, nil
}

// disposition lets browsers display pictures, video, audio, plain text and ASS captions, and download everything else. An
// uploaded page, or an SVG, which may contain a script, must not run at this service's address, even when a person follows
// a link to it.
func disposition(t target) string {
	kind, _, err := mime.ParseMediaType(t.contentType)
	shown := media.KindOf(kind) != media.Other && !strings.Contains(kind, "xml") || kind == "text/plain" || kind == "text/x-ssa"
	how := "attachment"
	if err == nil && shown {
		how = "inline"
	}
	return how + `; filename="` + t.name + `"`
}
