package admin

import (
	"net/http"

	"moviola/handlers/http/web"
)

// Setting is a setting in force, without secrets.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Configuration is the answer of GET /admin/configuration.
type Configuration struct {
	Success  bool      `json:"success"`
	Version  string    `json:"version"`
	Process  string    `json:"process"`
	Settings []Setting `json:"settings"`
}

// readConfiguration serves GET /admin/configuration.
func (a *API) readConfiguration(w http.ResponseWriter, _ *http.Request) error {
	return web.Write(w, http.StatusOK, Configuration{
		Success: true, Version: a.cfg.Configuration.Version, Process: a.cfg.Configuration.Process,
		Settings: orNone(a.cfg.Configuration.Settings),
	})
}
