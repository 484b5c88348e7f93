package resources

import (
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/preloads"
)

// newPreloads wires the operations on preloads.
func (s *Resources) newPreloads(log logrus.FieldLogger) (*preloads.API, error) {
	return preloads.New(preloads.Config{
		Request:   s.Do.RequestPreload,
		Batches:   s.Models.Preloads,
		Addresses: s.Media.Addresses,
		Projected: s.Models.Reader,
		Log:       log,
	})
}
