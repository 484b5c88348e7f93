package resources

import (
	"time"

	"github.com/sirupsen/logrus"

	preloadcommands "moviola/commands/preloads"
	"moviola/handlers/http/preloads"
)

// newPreloads wires the operations on preloads.
func (s *Resources) newPreloads(log logrus.FieldLogger) (*preloads.API, error) {
	return preloads.New(preloads.Config{
		Request:   preloadcommands.NewRequestPreloadHandler(s.Stores.Log, s.Ledgers, s.Stores.Files, s.ItemPrices(), time.Now),
		Batches:   s.Models.Preloads,
		Addresses: s.Media.Addresses,
		Projected: s.Models.Reader,
		Log:       log,
	})
}
