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

// keeperSlots is the number of slots of each of the keeper's kinds of work.
const keeperSlots = 4

// Slots returns the kinds of work that this process takes, which are those of its roles, and the slots of each.
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
		case kind.Name == projections.WorkConfirm && !s.Stores.Files.Presigns():
			// Without presigned uploads no upload has to be confirmed: every upload passes through this service.
		case has:
			slots[kind.Name] = n
		default:
			slots[kind.Name] = keeperSlots
		}
	}
	return slots
}

// WorkFolder is the folder of the renderers' files, relative to the data folder.
const WorkFolder = "work"

// WorkFolder returns the folder in which this host's renderers keep files that can be made again.
func (s *Parts) WorkFolder() string { return filepath.Join(s.Config.Data, WorkFolder) }

// SharedSources returns the storage through which hosts share downloaded sources. It is nil when files are stored in the data
// folder, which the renderers share already.
func (s *Parts) SharedSources() assets.Store {
	if s.Config.Blobs == "" {
		return nil
	}
	return s.Stores.Files
}

// ItemPrices returns the prices of preload items in this installation.
func (s *Parts) ItemPrices() preloadcommands.ItemPrices {
	return preloadcommands.ItemPrices{Prices: s.Plans.Prices(), SpeechByProvider: s.Config.Speech.URL != ""}
}

// workerName returns the name of this run of this process in claims. Host, process id and random digits make it unique among all
// runs of all processes.
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

// SavedProvider returns the lookup of providers in saved connections. Decision 48.
func (s *Parts) SavedProvider() roads.SavedProvider {
	return roads.NewSavedProvider(s.Stores.Log, s.Vault)
}
