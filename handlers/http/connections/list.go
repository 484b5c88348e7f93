package connections

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"moviola/domain/connection"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// shown is a connection as GET /connections returns it: id, type and settings, with secrets masked.
type shown map[string]any

type page struct {
	Success     bool    `json:"success"`
	Count       int     `json:"count"`
	Limit       int     `json:"limit"`
	HasNext     bool    `json:"has_next"`
	NextToken   *string `json:"next_token"`
	Connections []shown `json:"connections"`
	Timestamp   string  `json:"timestamp"`
}

// list serves GET /connections.
func (a *API) list(w http.ResponseWriter, r *http.Request, c access.Call) error {
	list, err := a.parse(c)
	if err != nil {
		return err
	}
	found, more, err := a.cfg.Connections.List(r.Context(), list)
	if err != nil {
		return err
	}
	answer := page{
		Success: true, Count: len(found), Limit: list.Limit, HasNext: more, Connections: make([]shown, len(found)),
		Timestamp: web.Stamp(a.cfg.Now()),
	}
	for i, one := range found {
		answer.Connections[i] = show(one)
	}
	if more {
		list.After = found[len(found)-1].Name
		if answer.NextToken, err = a.lists.Next(list); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

// parse reads the parameters of GET /connections. A cursor contains the limit of its list; a request that has both the cursor and
// a limit must repeat that limit. Decision 14.
func (a *API) parse(c access.Call) (projections.ConnectionList, error) {
	list := projections.ConnectionList{Account: c.Account}
	var err error
	if list.Limit, err = web.ParseLimit(c.Query); err != nil {
		return list, err
	}
	token, ok := c.One("next_token")
	if !ok {
		return list, web.ErrCursor
	}
	if token != "" {
		return a.lists.Resume(token, list)
	}
	list.Limit = cmp.Or(list.Limit, web.MaxPage)
	return list, nil
}

// numbers, flags and lists are the settings that answers show as JSON numbers, booleans and lists of texts.
var (
	numbers = []string{"port"}
	flags   = []string{"secure", "signed", "path-style", "overwrite"}
	lists   = []string{"events"}
)

// show masks the secrets of a connection and adds its state to the settings.
func show(c projections.Connection) shown {
	s := shown{
		"id": c.Name, "type": c.Kind, "saved_at": web.Stamp(c.SavedAt), "tested_at": web.StampOrNull(c.TestedAt), "test": nil,
		"host_key": nil,
	}
	for _, name := range c.Secrets {
		s[name] = connection.Masked
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		s[name] = value(name, c.Settings[name])
	}
	if c.TestedAt != nil {
		s["test"] = map[string]any{"status": statusOf(c.TestSuccess), "message": c.TestMessage}
	}
	if c.HostKey != "" {
		s["host_key"] = c.HostKey
	}
	if c.Signing > 0 {
		s["signing_secrets"] = c.Signing
	}
	return s
}

func value(name, text string) any {
	if slices.Contains(flags, name) {
		return text == "true"
	}
	if slices.Contains(lists, name) {
		return connection.ListOf(text)
	}
	if n, err := strconv.Atoi(text); err == nil && slices.Contains(numbers, name) {
		return n
	}
	return text
}
