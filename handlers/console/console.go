// Package console serves the console, a web page for people, and the sessions that it signs in with. The page speaks the public
// interface only: its calls come to APIPath and are handed to the same handlers as any other, with the holder of the session's
// key in the place of a key. Decision 62; ADR 040.
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
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/web"
)

// Paths of the console.
const (
	Path        = "/console"
	assetsPath  = Path + "/assets/{name}"
	sessionPath = Path + "/api/session"
	// APIPath is where the page's calls come to, and how it is named among the routes.
	APIPath = Path + "/api/v2/{call:.+}"
)

// built are the files that `make console` makes from console/src.
//
//go:embed built
var built embed.FS

// Config is what a Console needs. Every field is required, but for those that say what they are when left out.
type Config struct {
	Keys Keys
	End  Ender
	// Calls serves what the page calls: the operations that a key opens, at their own paths.
	Calls http.Handler
	// Serves says whether a path is one of them.
	Serves func(r *http.Request) bool
	// SealKey is what the cookies of sessions are sealed with.
	SealKey []byte
	// PublicURL is the address that the page is opened at.
	PublicURL string
	// UploadOrigin is where browsers send files to, when that is not this service; empty: it is.
	UploadOrigin string
	Now          func() time.Time // nil: time.Now
	Log          logrus.FieldLogger
}

// Console serves the page and its calls. It is safe for concurrent use.
type Console struct {
	cfg    Config
	seal   sealer
	origin string // of the page
	cookie cookie
	policy string
	page   asset
	assets map[string]asset
}

// asset is a file of the page.
type asset struct {
	contentType string
	packed      []byte // by gzip
	tag         string
}

// New returns a Console.
func New(cfg Config) (*Console, error) {
	if err := web.Complete(cfg, "UploadOrigin", "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	public, err := url.Parse(cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("console: the public address: %w", err)
	}
	c := &Console{cfg: cfg, origin: public.Scheme + "://" + public.Host, cookie: cookieFor(public), assets: map[string]asset{}}
	c.policy = policyOf(c.origin, cfg.UploadOrigin)
	if c.seal, err = newSealer(cfg.SealKey); err != nil {
		return nil, err
	}
	return c, c.load()
}

// load reads the built files and packs them.
func (c *Console) load() error {
	return fs.WalkDir(built, "built", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := built.ReadFile(name)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		packer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := packer.Write(content); err != nil {
			return err
		}
		if err := packer.Close(); err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		file := asset{contentType: contentTypes[path.Ext(name)], packed: packed.Bytes(), tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
		if file.contentType == "" {
			return fmt.Errorf("console: %s is of no kind that is served", name)
		}
		if path.Base(name) == "index.html" {
			c.page = file
			return nil
		}
		c.assets[path.Base(name)] = file
		return nil
	})
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// policyOf lets the page use what this service has and nothing from elsewhere, without scripts or styles in the page itself.
// Nobody may frame it.
func policyOf(public, uploads string) string {
	from := strings.TrimSpace("'self' " + public + " " + uploads)
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src " + from + "; media-src " + from +
		"; connect-src " + from +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// Routes registers the paths on the root router.
func (c *Console) Routes(router *mux.Router) {
	router.Handle(sessionPath, web.Methods{
		http.MethodGet: c.showSession, http.MethodPost: c.signIn, http.MethodDelete: c.signOut,
	})
	calls := web.Methods{}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		calls[method] = c.call
	}
	router.Handle(APIPath, calls)
	router.Handle(assetsPath, web.Methods{http.MethodGet: c.asset})
	for _, path := range []string{Path, Path + "/{page:.*}"} {
		router.Handle(path, web.Methods{http.MethodGet: c.html})
	}
}

// noPages are paths below which nothing is a page.
var noPages = []string{Path + "/api", Path + "/assets"}

// html answers with the page, whose script finds out by the address what it shows.
func (c *Console) html(w http.ResponseWriter, r *http.Request) {
	for _, path := range noPages {
		if r.URL.Path == path || strings.HasPrefix(r.URL.Path, path+"/") {
			web.NotFound(w, r)
			return
		}
	}
	w.Header().Set("Content-Security-Policy", c.policy)
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("X-Frame-Options", "DENY")
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	c.send(w, r, c.page)
}

func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	found, ok := c.assets[mux.Vars(r)["name"]]
	if !ok {
		web.NotFound(w, r)
		return
	}
	c.send(w, r, found)
}

// send answers with a file. A browser asks each time whether it has changed: what belongs together must be of one program.
func (c *Console) send(w http.ResponseWriter, r *http.Request, file asset) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", file.tag)
	if r.Header.Get("If-None-Match") == file.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	web.SendPacked(w, http.StatusOK, file.contentType, file.packed)
}
