package parts

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"moviola/adapters/assets"
	preloadcommands "moviola/commands/preloads"
	"moviola/internal/app/roads"
	"moviola/projections"
)

// keeperSlots is how many of each of the keeper's small tasks are done at the same time.
const keeperSlots = 4

// Slots says which work this process takes, and how much of each at the same time: every kind of its roles.
func (s *Parts) Slots() map[string]int {
	own := map[string]int{
		projections.WorkRender:  s.Config.MoviesAtOnce(),
		projections.WorkPreload: s.Config.PreloadSlots,
		projections.WorkFetch:   s.Config.FetchSlots,
		projections.WorkDeliver: s.Config.DeliverSlots,
	}
	slots := map[string]int{}
	for _, kind := range projections.WorkKinds() {
		switch n, has := own[kind.Name]; {
		case !s.Config.Plays(kind.Role):
		case kind.Name == projections.WorkConfirm && !s.Stores.Files.Presigns(): // every upload comes to this service
		case has:
			slots[kind.Name] = n
		default:
			slots[kind.Name] = keeperSlots
		}
	}
	return slots
}

// WorkFolder is where everything lies that renders keep, below the data folder.
const WorkFolder = "work"

// WorkFolder is where this host's renderers keep what can be made again.
func (s *Parts) WorkFolder() string { return filepath.Join(s.Config.Data, WorkFolder) }

// SharedSources is where the renderers of other hosts find what this one has downloaded: in the storage of files, unless that is
// the data folder, which they share.
func (s *Parts) SharedSources() assets.Store {
	if s.Config.Blobs == "" {
		return nil
	}
	return s.Stores.Files
}

// ItemPrices are what the items of preloads cost here.
func (s *Parts) ItemPrices() preloadcommands.ItemPrices {
	return preloadcommands.ItemPrices{Prices: s.Plans.Prices(), SpeechByProvider: s.Config.Speech.URL != ""}
}

// workerName names this run of this process in its claims: host, process id and random digits, so that no other run, before or
// after, here or elsewhere, has the same.
func workerName() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("find the name of this host: %w", err)
	}
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(random)), nil
}

// SavedProvider finds the endpoint behind a saved connection of an account. Decision 48.
func (s *Parts) SavedProvider() roads.SavedProvider {
	return roads.NewSavedProvider(s.Stores.Log, s.Vault)
}
