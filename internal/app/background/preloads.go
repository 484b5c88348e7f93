package background

import (
	"context"
	"time"

	"moviola/commands/mediafiles"
	preloadcommands "moviola/commands/preloads"
	"moviola/eventstore"
	"moviola/handlers/background/processors"
	"moviola/handlers/http/web"
)

// preloadWork wires the work on preloads. Without the role renderer this process prepares nothing, but it settles holds.
func (s *Background) preloadWork() processors.Preloads {
	work := processors.Preloads{
		Items: s.Do.PreloadItems,
		Store: preloadcommands.NewPreparedStore(preloadcommands.PreparedStoreConfig{
			Files: s.Stores.Files, Keep: s.Do.KeepMedia, Addresses: s.Media.Addresses, Prices: s.ItemPrices(), Now: time.Now,
			TTL:   s.Config.AssetCacheTTL,
			Shown: func(ctx context.Context, at eventstore.Position) { web.Await(ctx, s.Models.Reader, at) },
		}),
		Settle: s.Do.SettleItem,
	}
	if s.Renderer != nil {
		work.Preparer = s.Renderer.Engine
	}
	return work
}

// libraryWork completes moves and deletions in media libraries.
type libraryWork struct {
	mediafiles.MoveMediaHandler
	mediafiles.DeleteMediaHandler
}
