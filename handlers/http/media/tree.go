package media

import (
	"net/http"

	"moviola/domain"
	"moviola/domain/media"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// freeAllowance is the free storage that clients display, in bytes. The service does not use this limit: all storage is
// free (decision 39).
const freeAllowance = 52_428_800

// storage tells how many bytes an account stores, and whether its storage is blocked. Storing costs no credits.
// Decision 39.
type storage struct {
	UsedBytes      int64   `json:"used_bytes"`
	FreeAllowance  int64   `json:"free_allowance"`
	CreditsPerWeek int64   `json:"credits_per_week"`
	Blocked        bool    `json:"blocked"`
	BlockedAt      *string `json:"blocked_at"`
}

// getMedia serves GET /media: the storage used, and the listing of a folder.
func (a *API) getMedia(w http.ResponseWriter, r *http.Request, c access.Call) error {
	l, err := a.parseListing(c)
	if err != nil {
		return err
	}
	answer, err := a.list(r, l)
	if err != nil {
		return err
	}
	root, _, err := a.cfg.Library.Folder(r.Context(), c.Account, "")
	if err != nil {
		return err
	}
	since, blocked, err := a.cfg.Storage(r.Context(), c.Account)
	if err != nil {
		return err
	}
	answer.Storage = &storage{UsedBytes: root.BelowSize, FreeAllowance: freeAllowance, Blocked: blocked,
		BlockedAt: web.StampOrNull(since)}
	return web.Write(w, http.StatusOK, answer)
}

// getFolder serves GET /media/folder: a listing, or with tree=true all folders.
func (a *API) getFolder(w http.ResponseWriter, r *http.Request, c access.Call) error {
	texts, err := single(c.Query, "tree", "next_token")
	if err != nil {
		return err
	}
	switch texts["tree"] {
	case "true", "1":
		return a.tree(w, r, c, texts["next_token"])
	case "", "false", "0":
	default:
		return domain.Errorf(domain.Invalid, "tree_invalid", "Invalid tree: use true or false")
	}
	l, err := a.parseListing(c)
	if err != nil {
		return err
	}
	answer, err := a.list(r, l)
	if err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, answer)
}

// branch is one folder of the tree, with the number and the total size in bytes of the files directly in the folder.
type branch struct {
	Path  string `json:"path"`
	Files int64  `json:"files"`
	Size  int64  `json:"size"`
}

// treeAnswer is the answer of GET /media/folder?tree=true.
type treeAnswer struct {
	Success   bool     `json:"success"`
	Tree      []branch `json:"tree"`
	HasNext   bool     `json:"has_next"`
	NextToken *string  `json:"next_token"`
	Timestamp string   `json:"timestamp"`
}

// treeQuery selects a page of the list of all folders of an account. As JSON it is the content of that list's cursor.
type treeQuery struct {
	Account domain.AccountID `json:"a"`
	After   string           `json:"t"` // last path of the previous page; empty: the first page
}

// tree answers with all folders, including the root and temp: a thousand on a page.
func (a *API) tree(w http.ResponseWriter, r *http.Request, c access.Call, token string) error {
	at := treeQuery{Account: c.Account}
	var err error
	if token != "" {
		if at, err = a.trees.Resume(token, at); err != nil {
			return err
		}
	}
	folders, err := a.cfg.Library.Tree(r.Context(), c.Account, at.After, projections.MaxPage)
	if err != nil {
		return err
	}
	answer := treeAnswer{Success: true, Tree: []branch{}, Timestamp: web.Stamp(a.cfg.Now())}
	if answer.HasNext = len(folders) == projections.MaxPage; answer.HasNext {
		next := treeQuery{Account: c.Account, After: folders[len(folders)-1].Path}
		if answer.NextToken, err = a.trees.Next(next); err != nil {
			return err
		}
	}
	from, to := at.After, ""
	if answer.HasNext {
		to = folders[len(folders)-1].Path
	}
	answer.Tree = branches(folders, from, to)
	return web.Write(w, http.StatusOK, answer)
}

// branches returns the given folders, which are sorted by path. The root and the folder temp exist in every library,
// but they are missing in folders if they are empty and were not created explicitly. So branches inserts each of the
// two where it is missing, if its path is after from and not after to. An empty to is no limit.
func branches(folders []projections.MediaFolder, from, to string) []branch {
	always := []string{"/", media.Temp}
	out := make([]branch, 0, len(folders)+len(always))
	for _, f := range folders {
		for len(always) > 0 && always[0] <= f.Path {
			if always[0] < f.Path && always[0] > from {
				out = append(out, branch{Path: always[0]})
			}
			always = always[1:]
		}
		out = append(out, branch{Path: f.Path, Files: f.Files, Size: f.Size})
	}
	for _, path := range always {
		if path > from && (to == "" || path <= to) {
			out = append(out, branch{Path: path})
		}
	}
	return out
}
