package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"moviola/commands"
	"moviola/domain"
	"moviola/handlers/http/web"
	"moviola/third_party/photographs"
)

// photograph serves one of the photographs of the template library, to everybody.
func (s *Server) photograph(w http.ResponseWriter, r *http.Request) {
	file, err := photographs.Open(mux.Vars(r)["name"])
	if err != nil {
		web.NotFound(w, r)
		return
	}
	defer func() { _ = file.Close() }() // closing a file that was only read loses nothing
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	http.ServeContent(w, r, "", time.Time{}, file.(io.ReadSeeker)) // files of an embed.FS implement io.ReadSeeker
}

// Photographs opens the photographs of the template library for movies of all accounts, by their paths below the service's base.
type Photographs struct{}

// OpenOwn opens a photograph. For other paths the error is commands.ErrFileNotFound.
func (Photographs) OpenOwn(_ context.Context, _ domain.AccountID, path string) (io.ReadCloser, error) {
	name, ok := strings.CutPrefix(path, photographs.Path)
	if !ok {
		return nil, commands.ErrFileNotFound
	}
	file, err := photographs.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, commands.ErrFileNotFound
	}
	return file, err
}
