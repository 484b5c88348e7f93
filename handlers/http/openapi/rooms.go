package openapi

import (
	"moviola/handlers/http/admin"
	"moviola/handlers/http/batches"
	"moviola/handlers/http/connections"
	"moviola/handlers/http/credits"
	"moviola/handlers/http/deliveries"
	"moviola/handlers/http/files"
	"moviola/handlers/http/keys"
	"moviola/handlers/http/media"
	"moviola/handlers/http/movies"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/preloads"
	"moviola/handlers/http/templates"
)

// rooms returns the operations and models that each package with operations declares, including this package.
func rooms() []operation.Room {
	return []operation.Room{
		movies.Declared, templates.Declared, batches.Declared, preloads.Declared, files.Declared, media.Declared,
		keys.Declared, connections.Declared, deliveries.Declared, credits.Declared, admin.Declared, declared,
	}
}
