package app

import (
	"context"
	"time"

	"github.com/sirupsen/logrus"

	preloadcommands "moviola/commands/preloads"
	"moviola/eventstore"
	"moviola/handlers/background/processors"
	"moviola/handlers/http/preloads"
	"moviola/handlers/http/web"
)

// itemPrices are what the items of preloads cost here.
func (s *service) itemPrices() preloadcommands.ItemPrices {
	return preloadcommands.ItemPrices{Prices: s.plans.Prices(), SpeechByProvider: s.cfg.Speech.URL != ""}
}

// preloadWork is what the work on preloads needs. Without the role renderer nothing prepares, but what was held is settled.
func (s *service) preloadWork() processors.Preloads {
	log, bucket := s.stores.Log, s.stores.Files
	work := processors.Preloads{
		Items: preloadcommands.NewPreloadItems(log, bucket, time.Now),
		Store: preloadcommands.NewPreparedStore(preloadcommands.PreparedStoreConfig{
			Files: bucket, Keep: s.media.keep, Addresses: s.media.addresses, Prices: s.itemPrices(), Now: time.Now, TTL: s.cfg.AssetCacheTTL,
			Shown: func(ctx context.Context, at eventstore.Position) { web.Await(ctx, s.models.Reader, at) },
		}),
		Settle: preloadcommands.NewSettleItemHandler(log, s.ledgers, bucket, time.Now, s.cfg.AbandonAfter),
	}
	if s.renderer != nil {
		work.Preparer = s.renderer.Engine
	}
	return work
}

// newPreloads wires the operations on preloads.
func (s *service) newPreloads(log logrus.FieldLogger) (*preloads.API, error) {
	return preloads.New(preloads.Config{
		Request:   preloadcommands.NewRequestPreloadHandler(s.stores.Log, s.ledgers, s.stores.Files, s.itemPrices(), time.Now),
		Batches:   s.models.Preloads,
		Addresses: s.media.addresses,
		Projected: s.models.Reader,
		Log:       log,
	})
}
