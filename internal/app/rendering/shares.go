package rendering

import (
	"math"

	"moviola/adapters/disk"
	"moviola/internal/config"
	"moviola/internal/fair"
	"moviola/internal/quota"
)

// Budgets for fetching sources, which accounts share in turns.
const (
	fetchConnections = 4        // maximum number of connections per slot of --fetch-slots; one account may use a quarter of all
	downloadBudget   = 16 << 30 // maximum total size of running downloads, in bytes
	downloadShare    = downloadBudget / 4
)

// AccountFetches is the divisor of an account's share: one account may use a quarter of the fetch slots.
const AccountFetches = 4

// bytesOrAll returns a size in bytes; "off" is the largest number.
func bytesOrAll(s disk.Size) int64 {
	if s == 0 {
		return math.MaxInt64
	}
	return int64(s)
}

// cacheBounds returns the bounds of each cache of generated files.
func cacheBounds(cfg config.Config) quota.Limits {
	return quota.Of(int64(cfg.AccountCache), int64(cfg.TotalCache), cfg.AccountCacheFiles, cfg.TotalCacheFiles)
}

// newConnections returns the budget of connections to servers of sources. Decision 54.
func newConnections(cfg config.Config) *fair.Budget {
	total := int64(max(1, cfg.FetchSlots) * fetchConnections)
	return fair.New(fair.Limits{Total: total, Account: total / AccountFetches})
}

// newDownloads returns the budget of bytes that are being downloaded. The share of an account is larger than the largest
// permitted file. Decision 54.
func newDownloads() *fair.Budget {
	return fair.New(fair.Limits{Total: downloadBudget, Account: downloadShare})
}
