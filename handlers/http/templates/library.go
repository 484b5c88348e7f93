package templates

import (
	"math"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"moviola/domain"
	"moviola/domain/template"
	builtin "moviola/domain/template/library"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// libraryEntry is a template in the library's list. The movie JSON is never included. Spec: Library entry.
type libraryEntry struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Tags        []string `json:"tags"`
	Width       int      `json:"width"`
	Height      int      `json:"height"`
	AspectRatio float64  `json:"aspect_ratio"`
	Prompt      bool     `json:"prompt"`
	CreatedAt   string   `json:"created_at"`
	UpdatedAt   string   `json:"updated_at"`
	// The addresses are null for the account's own templates that are not published: they have no example.
	VideoURL     *string `json:"video_url"`
	ThumbnailURL *string `json:"thumbnail_url"`
	// Credit names the authors and licences of a built-in template's photographs, where the licences require it.
	Credit string `json:"credit,omitempty"`
}

type libraryAnswer struct {
	Success   bool           `json:"success"`
	Count     int            `json:"count"`
	Templates []libraryEntry `json:"templates"`
	Timestamp string         `json:"timestamp"`
}

var errTags = domain.Errorf(domain.Invalid, "tags_invalid", "Tags could not be parsed")

// getLibrary serves GET /templates/library. Decision 42.
func (a *API) getLibrary(w http.ResponseWriter, r *http.Request, c access.Call) error {
	tags, err := parseTags(r.URL.RawQuery)
	if err != nil {
		return err
	}
	found, err := a.cfg.Templates.Library(r.Context(), c.Account, tags)
	if err != nil {
		web.LogFailure(r, a.cfg.Log, err)
		web.Retry(w, r, err)
		return domain.Errorf(domain.NotFound, "library_unavailable", "The library could not be read. Please try again.")
	}
	answer := libraryAnswer{Success: true, Count: len(found), Templates: []libraryEntry{}, Timestamp: web.Stamp(a.now())}
	for _, t := range found {
		answer.Templates = append(answer.Templates, a.entryOf(t))
	}
	return web.Write(w, http.StatusOK, answer)
}

// parseTags reads the parameter tags from the raw query. It refuses a wrong encoding and a repeated parameter.
func parseTags(raw string) ([]string, error) {
	query, err := url.ParseQuery(raw)
	if err != nil || len(query["tags"]) > 1 || !utf8.ValidString(query.Get("tags")) {
		return nil, errTags
	}
	var tags []string
	for _, tag := range strings.Split(query.Get("tags"), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags, nil
}

func (a *API) entryOf(t projections.Template) libraryEntry {
	e := entryOf(t)
	s := libraryEntry{
		ID: e.ID, Name: e.Name, Tags: e.Tags, Width: e.Width, Height: e.Height, Prompt: t.Prompt != "", CreatedAt: e.CreatedAt,
		UpdatedAt: e.UpdatedAt,
	}
	if t.Published {
		s.Credit = builtin.CreditOf(template.ID(t.ID))
	}
	if t.Height > 0 {
		s.AspectRatio = math.Round(100*float64(t.Width)/float64(t.Height)) / 100
	}
	if t.Published {
		s.VideoURL, s.ThumbnailURL = a.address(t.ID, t.Video), a.address(t.ID, t.Thumbnail)
	}
	return s
}

func (a *API) address(id, key string) *string {
	if key == "" {
		return nil
	}
	address := a.cfg.PublicURL + examplesPath + id + "/" + path.Base(key)
	return &address
}

// exampleOf returns the blob key of the example that a request names; empty: the example does not exist.
func (a *API) exampleOf(r *http.Request) (key, contentType string, err error) {
	vars := mux.Vars(r)
	id, ok := template.ParseID(vars["id"])
	if !ok {
		return "", "", nil
	}
	t, ok, err := a.cfg.Templates.Get(r.Context(), id)
	if err != nil || !ok || !t.Published {
		return "", "", err
	}
	switch vars["name"] {
	case path.Base(t.Video):
		return t.Video, "video/mp4", nil
	case path.Base(t.Thumbnail):
		return t.Thumbnail, "image/jpeg", nil
	}
	return "", "", nil
}
