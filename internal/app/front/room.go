package front

import (
	"net/http"

	"moviola/handlers/http/access"
)

// newWork are the operations that bring something new onto the disk. All others go on when there is little room.
var newWork = map[string]bool{
	"POST /v2/movies": true, "POST /v2/preloads": true, "POST /v2/batches": true, "POST /v2/media/file": true,
	"POST /v2/templates": true,
}

// guardRoom makes the operations that bring something new ask for room first.
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
