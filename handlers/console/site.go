package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"moviola/handlers/http/web"
)

// built contains the files that `make console` makes from console/src.
//
//go:embed built
var built embed.FS

// site holds the files of a console.
type site struct {
	path   string // URL path of the console
	page   string // name of the built file that is the console's page
	calls  string // path pattern of the API calls that the page makes
	policy string // Content-Security-Policy of the page

	files map[string]asset
}

// asset is a built file of the page, such as a script.
type asset struct {
	contentType string
	tag         string
	packed      func() []byte // compresses the file's content by gzip, once
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// assets returns the built files by name. Both consoles share them.
var assets = sync.OnceValues(func() (map[string]asset, error) {
	files := map[string]asset{}
	err := fs.WalkDir(built, "built", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := built.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		file := asset{
			contentType: contentTypes[path.Ext(name)], tag: `"` + hex.EncodeToString(sum[:8]) + `"`,
			packed: sync.OnceValue(func() []byte { return pack(content) }),
		}
		if file.contentType == "" {
			return fmt.Errorf("console: %s is of no kind that is served", name)
		}
		files[path.Base(name)] = file
		return nil
	})
	return files, err
})

// pack compresses by gzip. Errors are ignored: only an unknown level, or a writer that fails, would cause one.
func pack(content []byte) []byte {
	var packed bytes.Buffer
	packer, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = packer.Write(content)
	_ = packer.Close()
	return packed.Bytes()
}

func (s *site) routes(router *mux.Router) {
	router.Handle(s.path+assetsFolder+"/{name}", web.Methods{http.MethodGet: s.asset})
	for _, path := range []string{s.path, s.path + "/{page:.*}"} {
		router.Handle(path, web.Methods{http.MethodGet: s.html})
	}
}

// html serves the page. The script of the page chooses what to show by the address. Paths below the folders of calls and assets
// are answered with 404.
func (s *site) html(w http.ResponseWriter, r *http.Request) {
	for _, folder := range []string{s.path + apiFolder, s.path + assetsFolder} {
		if r.URL.Path == folder || strings.HasPrefix(r.URL.Path, folder+"/") {
			web.NotFound(w, r)
			return
		}
	}
	w.Header().Set("Content-Security-Policy", s.policy)
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("X-Frame-Options", "DENY")
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	s.send(w, r, s.files[s.page])
}

func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["name"]
	found, ok := s.files[name]
	if !ok || path.Ext(name) == ".html" {
		web.NotFound(w, r)
		return
	}
	s.send(w, r, found)
}

// send serves a file. Browsers must ask each time whether it has changed, so that they never mix files of different versions.
func (s *site) send(w http.ResponseWriter, r *http.Request, file asset) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", file.tag)
	if r.Header.Get("If-None-Match") == file.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	web.SendPacked(w, http.StatusOK, file.contentType, file.packed())
}
