package rendering

import (
	"math"

	"moviola/adapters/disk"
	"moviola/internal/config"
	"moviola/internal/fair"
	"moviola/internal/quota"
)

// What accounts take turns for while sources are fetched, and how much of it one account may have.
const (
	fetchConnections = 4        // for each of --fetch-slots; a quarter of all for one account
	downloadBudget   = 16 << 30 // bytes of sources that are being downloaded
	downloadShare    = downloadBudget / 4
)

// AccountFetches is the part of the slots for fetching that one account may take: a quarter.
const AccountFetches = 4

// bytesOrAll is a bound in bytes, the largest one for "off".
func bytesOrAll(s disk.Size) int64 {
	if s == 0 {
		return math.MaxInt64
	}
	return int64(s)
}

// cacheBounds are those of each of the caches of what was made.
func cacheBounds(cfg config.Config) quota.Limits {
	return quota.Of(int64(cfg.AccountCache), int64(cfg.TotalCache), cfg.AccountCacheFiles, cfg.TotalCacheFiles)
}

// newConnections bounds the connections to servers of sources. Decision 54.
func newConnections(cfg config.Config) *fair.Budget {
	total := int64(max(1, cfg.FetchSlots) * fetchConnections)
	return fair.New(fair.Limits{Total: total, Account: total / AccountFetches})
}

// newDownloads bounds the bytes of sources that are under way. A single file is smaller than the share of an account. Decision
// 54.
func newDownloads() *fair.Budget {
	return fair.New(fair.Limits{Total: downloadBudget, Account: downloadShare})
}
