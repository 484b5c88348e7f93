package front

import (
	"net/http"

	"moviola/handlers/http/access"
)

// newWork lists the operations that bring new work, files or templates, among those that need an API key. They are refused
// when the disk is nearly full; other operations are not refused here. Uploads check the free disk space themselves.
var newWork = map[string]bool{
	"POST /v2/movies": true, "POST /v2/preloads": true, "POST /v2/batches": true, "POST /v2/media/file": true,
	"POST /v2/templates": true,
}

// guardRoom lets the operations in newWork check the free disk space first.
func (s *Front) guardRoom(operations []access.Operation) {
	for i := range operations {
		op := &operations[i]
		serve := op.Serve
		if newWork[op.Method+" "+op.Path] {
			op.Serve = func(w http.ResponseWriter, r *http.Request, c access.Call) error {
				if err := s.resources.Room(); err != nil {
					return err
				}
				return serve(w, r, c)
			}
		}
	}
}
