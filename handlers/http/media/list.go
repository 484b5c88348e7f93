package media

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"moviola/domain"
	"moviola/domain/media"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// listParameters are the parameters of every listing.
var listParameters = []string{"path", "page", "page_size", "type", "q", "next_token"}

// maxPageSize is the maximum and the default size of a page of files. Movie-schema §10.4.
const maxPageSize = 100

// listing selects a page of files. Its JSON is the cursor of GET /media and GET /media/folder.
type listing struct {
	Account domain.AccountID `json:"a"`
	Folder  string           `json:"f"`
	Kind    media.Kind       `json:"k,omitempty"`
	Search  string           `json:"q,omitempty"` // part of the names of the wanted files, in lower case; empty: all files
	Size    int              `json:"n"`
	After   string           `json:"l"` // name of the last file before the requested page
	Page    int              `json:"-"` // number of pages to skip
}

// parseListing reads the parameters of a listing. Decision 14.
func (a *API) parseListing(c access.Call) (listing, error) {
	l := listing{Account: c.Account}
	texts, err := single(c.Query, listParameters...)
	if err != nil {
		return l, err
	}
	l.Folder, err = media.FolderName(texts["path"])
	if err != nil {
		return l, errNoFolder // a path that is no valid name of a folder: the answer is that the folder does not exist
	}
	var ok bool
	if l.Kind, ok = media.ParseKind(texts["type"]); !ok && texts["type"] != "" {
		return l, domain.Errorf(domain.Invalid, "type_invalid", "Invalid type: use image, video, audio or other")
	}
	if l.Page, ok = number(texts["page"], 0, 0, 1<<31); !ok {
		return l, domain.Errorf(domain.Invalid, "page_invalid", "Invalid page: pages are counted from 0")
	}
	if l.Size, ok = number(texts["page_size"], 0, 1, maxPageSize); !ok {
		return l, domain.Errorf(domain.Invalid, "page_size_invalid", "Invalid page_size: use 1 to %d", maxPageSize)
	}
	l.Search = strings.ToLower(texts["q"])
	token := texts["next_token"]
	if token == "" {
		l.Size = cmp.Or(l.Size, maxPageSize)
		return l, nil
	}
	if texts["page"] != "" { // a request with both page and next_token is refused
		return l, web.ErrCursor
	}
	resumed, err := a.lists.Resume(token, l)
	// Resume does not compare an empty folder, because it cannot tell the root from a missing path. So the folders are
	// compared here.
	if texts["path"] != "" && resumed.Folder != l.Folder {
		err = web.ErrCursor
	}
	return resumed, err
}

// single returns the named parameters. A parameter that is given twice with different values is refused.
func single(query url.Values, names ...string) (map[string]string, error) {
	texts := make(map[string]string, len(names))
	for _, name := range names {
		text, ok := web.One(query, name)
		if !ok {
			return nil, domain.Errorf(domain.Invalid, "parameter_ambiguous",
				"The parameter %s is given twice, with different values", name)
		}
		texts[name] = text
	}
	return texts, nil
}

// number reads a whole number from text and returns false unless it is between least and most. For an empty text it
// returns the value of the parameter `otherwise`, and true.
func number(text string, otherwise, least, most int) (int, bool) {
	if text == "" {
		return otherwise, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= least && n <= most
}

// listed is the answer of GET /media/folder and, with storage, of GET /media.
type listed struct {
	Success    bool       `json:"success"`
	Storage    *storage   `json:"storage,omitempty"`
	Path       string     `json:"path"`
	Folders    []string   `json:"folders"`
	Files      []fileView `json:"files"`
	Total      int64      `json:"total"` // number of files that match the filters
	TotalFiles int64      `json:"total_files"`
	TotalSize  int64      `json:"total_size"`
	Page       int        `json:"page"`
	PageSize   int        `json:"page_size"`
	HasNext    bool       `json:"has_next"`
	NextToken  *string    `json:"next_token"`
	Timestamp  string     `json:"timestamp"`
}

// list returns a page of a folder.
func (a *API) list(r *http.Request, l listing) (listed, error) {
	folder, ok, err := a.cfg.Library.Folder(r.Context(), l.Account, l.Folder)
	if err != nil {
		return listed{}, err
	}
	if !ok && l.Folder != media.Temp {
		return listed{}, errNoFolder
	}
	answer := listed{Success: true, Path: folder.Path, Page: l.Page, PageSize: l.Size, TotalSize: folder.Size,
		Timestamp: web.Stamp(a.cfg.Now())}
	if answer.Folders, err = a.subfolders(r, l); err != nil {
		return listed{}, err
	}
	if err := a.count(r, l, folder, &answer); err != nil {
		return listed{}, err
	}
	files, more, err := a.files(r, l)
	if err != nil {
		return listed{}, err
	}
	answer.Files = make([]fileView, len(files))
	for i, f := range files {
		answer.Files[i] = a.view(f)
	}
	if answer.HasNext = more; more {
		l.After = files[len(files)-1].Name
		if answer.NextToken, err = a.lists.Next(l); err != nil {
			return listed{}, err
		}
	}
	return answer, nil
}

// fits reports whether a file matches the filters of the list.
func (a *API) fits(l listing, f projections.MediaFile) bool {
	return f.Live(a.cfg.Now()) && (l.Kind == "" || string(l.Kind) == f.Type) && strings.Contains(strings.ToLower(f.Name), l.Search)
}

// files reads a page, and returns whether more files follow. It reads skipped pages too, but not the pages before a cursor.
func (a *API) files(r *http.Request, l listing) ([]projections.MediaFile, bool, error) {
	skip, after := l.Page*l.Size, l.After
	var found []projections.MediaFile
	for {
		limit := min(projections.MaxPage, skip+l.Size+1)
		if l.Search != "" {
			limit = projections.MaxPage
		}
		files, err := a.cfg.Library.Files(r.Context(), l.Account, l.Folder, l.Kind, after, limit)
		if err != nil {
			return nil, false, err
		}
		for _, f := range files {
			switch {
			case !a.fits(l, f):
			case skip > 0:
				skip--
			case len(found) == l.Size:
				return found, true, nil
			default:
				found = append(found, f)
			}
		}
		if len(files) < limit {
			return found, false, nil
		}
		after = files[len(files)-1].Name
	}
}

// count sets the totals in answer. It counts the registered files that wait for their upload. The totals of the uploaded
// files are stored with the folder, so reading them does not take longer when the folder has more files. Only for a search
// does count read the names of files.
func (a *API) count(r *http.Request, l listing, folder projections.MediaFolder, answer *listed) error {
	waiting, err := a.cfg.Library.Registered(r.Context(), l.Account, l.Folder)
	if err != nil {
		return err
	}
	all := l
	all.Kind, all.Search = "", ""
	answer.TotalFiles = folder.Files
	answer.Total = folder.Count(l.Kind)
	for _, f := range waiting {
		if a.fits(all, f) {
			answer.TotalFiles++
		}
		if a.fits(l, f) {
			answer.Total++
		}
	}
	if l.Search == "" {
		return nil
	}
	answer.Total = 0
	for after := ""; ; {
		files, err := a.cfg.Library.Files(r.Context(), l.Account, l.Folder, l.Kind, after, projections.MaxPage)
		if err != nil {
			return err
		}
		for _, f := range files {
			if a.fits(l, f) {
				answer.Total++
			}
		}
		if len(files) < projections.MaxPage {
			return nil
		}
		after = files[len(files)-1].Name
	}
}

// subfolders returns the names of the folders directly in the folder, at most a thousand. The root always has the folder
// temp.
func (a *API) subfolders(r *http.Request, l listing) ([]string, error) {
	folders, err := a.cfg.Library.Folders(r.Context(), l.Account, l.Folder, "", projections.MaxPage)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(folders)+1)
	for _, f := range folders {
		names = append(names, f.Name())
	}
	if l.Folder == "" && !slices.Contains(names, media.Temp) {
		names = append(names, media.Temp)
		slices.Sort(names)
	}
	if l.Search == "" {
		return names, nil
	}
	return slices.DeleteFunc(names, func(n string) bool { return !strings.Contains(strings.ToLower(n), l.Search) }), nil
}
