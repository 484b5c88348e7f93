package front

import (
	"net/http"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/access"
	"moviola/handlers/mcp"
	"moviola/internal/config"
)

// routeAgents serves the tools of agents. The tools call the HTTP interface like any client, so that their calls are limited,
// counted and logged like those of any client.
func (s *Front) routeAgents(router *mux.Router, gate *access.Gate, log logrus.FieldLogger) error {
	agents, err := mcp.New(mcp.Config{
		Gate: gate, Operations: s.Operations, PublicURL: s.Config.PublicURL, CORSOrigins: s.Config.CORSOrigin, Version: config.Version,
		Log:       log,
		Interface: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Handler.ServeHTTP(w, r) }),
	})
	if err == nil {
		agents.Routes(router)
	}
	return err
}
