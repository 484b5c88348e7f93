// Package files serves rendered movies, their thumbnails, captions and other outputs, files of media libraries, prepared
// assets, and the photographs of the template library. No key is needed: everybody who knows an address may read the file
// while it is kept. Except for the photographs, each address contains a token that cannot be guessed.
package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Movies finds the movie to which a file belongs.
type Movies interface {
	Get(ctx context.Context, project domain.ProjectID) (projections.Movie, bool, error)
}

// Opener reads stored files.
type Opener interface {
	Open(ctx context.Context, key string) (commands.File, error)
}

// Config is what a Server needs. Every field but Now is required.
type Config struct {
	Movies    Movies
	Library   MediaFinder
	Addresses *media.Addresses
	Files     Opener
	Tokens    result.Tokens    // derives the tokens in the addresses of movies' files
	CacheTTL  time.Duration    // how long prepared assets are served after they were written
	Now       func() time.Time // the clock; nil: time.Now
	Log       logrus.FieldLogger
}

// Server serves stored files and photographs. It is safe for concurrent use.
type Server struct{ cfg Config }

// New returns a server.
func New(cfg Config) *Server {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Server{cfg: cfg}
}

// Routes registers on the root router the paths of rendered files (result.FilesPath + token + "/" + project + extension),
// of outputs, of files of media libraries, of prepared assets, and of the photographs of the template library.
func (s *Server) Routes(router *mux.Router) {
	operation.Register(router, []operation.Route{
		{Operation: getFile, Serve: s.serve},
		{Operation: getOutputFile, Serve: s.serveOutput},
		{Operation: getLibraryPhotograph, Serve: s.photograph},
		{Operation: getStoredFile, Serve: s.serveMedia},
		{Operation: getPreparedFile, Serve: s.serveMedia},
	})
}

// serve answers with the file, or with the same 404 for every reason why the file is not available.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r)
	found, ok, err := s.find(r.Context(), vars["token"], vars["name"])
	s.answer(w, r, found, ok, err)
}

// answer sends the file that was found, or the refusal.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, found target, ok bool, err error) {
	if err != nil {
		web.Fail(w, r, s.cfg.Log, err)
		return
	}
	if !ok {
		web.NotFound(w, r)
		return
	}
	file, err := s.cfg.Files.Open(r.Context(), found.key)
	switch {
	case errors.Is(err, commands.ErrFileNotFound):
		web.NotFound(w, r)
		return
	case err != nil:
		web.Fail(w, r, s.cfg.Log, fmt.Errorf("open file %s: %w", found.key, err))
		return
	}
	if err := commands.CheckSize(file, found.key, found.size); err != nil {
		refusal := domain.Errorf(domain.Internal, "file_damaged", "The file is damaged")
		web.Fail(w, r, s.cfg.Log, fmt.Errorf("%w: %w", refusal, err))
		return
	}
	defer file.Close()
	if found.old(file, s.cfg.Now()) {
		web.NotFound(w, r)
		return
	}
	setHeaders(w.Header(), found, file)
	http.ServeContent(w, r, "", file.ModTime(), file)
}

// target is a stored file with the conditions and headers for serving it.
type target struct {
	account     domain.AccountID
	key         string
	name        string
	contentType string
	size        int64         // expected size of a movie or output, in bytes; 0: unknown
	hash        string        // expected hex SHA-256 of a movie or output; empty: unknown
	until       time.Duration // time after writing for which the file is served; 0: no limit
}

// old reports whether a file is too old to be served, although it may still exist.
func (t target) old(file commands.File, now time.Time) bool {
	return t.until > 0 && !now.Before(file.ModTime().Add(t.until))
}

// find returns the file at an address, after it has checked that the movie and its file exist and that the token is the
// file's token.
func (s *Server) find(ctx context.Context, token, name string) (target, bool, error) {
	if stem, name, ok := strings.Cut(name, "/"); ok {
		return s.findOutput(ctx, token, stem, name)
	}
	stem, contentType, pick := kind(name)
	project, ok := domain.ParseProjectID(stem)
	if pick == nil || !ok {
		return target{}, false, nil
	}
	m, ok, err := s.opened(ctx, project, token)
	if err != nil || !ok {
		return target{}, false, err
	}
	key := pick(m.File)
	if key == "" {
		return target{}, false, nil
	}
	found := target{account: domain.AccountID(m.Account), key: key, name: name, contentType: contentType}
	if key == m.File.Key {
		found.size, found.hash = m.File.Size, m.File.Hash
	}
	return found, true, nil
}

// kind finds out from a name's extension which file of a movie is requested. A nil pick: no file of a movie has this
// extension.
func kind(name string) (stem, contentType string, pick func(*movie.File) string) {
	if stem, ok := strings.CutSuffix(name, result.MovieExtension); ok {
		return stem, "video/mp4", func(f *movie.File) string { return f.Key }
	}
	if stem, ok := strings.CutSuffix(name, result.ThumbnailExtension); ok {
		return stem, "image/jpeg", func(f *movie.File) string { return f.Thumbnail }
	}
	if stem, ok := strings.CutSuffix(name, result.SubtitlesExtension); ok {
		return stem, "text/x-ssa; charset=utf-8", func(f *movie.File) string { return f.Subtitles }
	}
	return "", "", nil
}

// setHeaders makes browsers use the declared content type only: they must not guess another type, because the file was made
// from a user's input.
func setHeaders(h http.Header, t target, file commands.File) {
	// A key is written only once, so the key identifies the content.
	sum := sha256.Sum256([]byte(fmt.Sprint(t.key, "\x00", file.Size())))
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	h.Set("Content-Type", t.contentType)
	h.Set("Content-Disposition", disposition(t))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; media-src 'self'; sandbox")
	// Pages of other sites may embed the file, because that is the purpose of its address.
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Access-Control-Allow-Origin", "*")
	// Caches must ask again each time, because the file may have been deleted.
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Referrer-Policy", "no-referrer")
}
