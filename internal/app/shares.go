package app

import (
	"math"
	"time"

	"moviola/adapters/disk"
	"moviola/internal/config"
	"moviola/internal/fair"
	"moviola/internal/quota"
)

// What accounts take turns for in this process beside the work list, and how much of it one account may have. What requests wait for is
// answered 503 after a while; a queue of one account is bounded.
const (
	growthBudget = 256 << 20 // memory for movies that grow while they are read: with variables, iterations or templates
	growthWait   = 5 * time.Second
	uploadBudget = 8 << 30 // bytes of uploads that are under way
	uploadShare  = uploadBudget / 4
	uploadWait   = 10 * time.Second
	requestQueue = 64 // requests of one account that wait

	fetchConnections = 4        // for each of --fetch-slots; a quarter of all for one account
	downloadBudget   = 16 << 30 // bytes of sources that are being downloaded
	downloadShare    = downloadBudget / 4
)

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

func newGrowth() *fair.Budget {
	return fair.New(fair.Limits{Total: growthBudget, Account: growthBudget / 2, Waiting: requestQueue, Wait: growthWait})
}

// newConnections bounds the connections to servers of sources. Decision 54.
func newConnections(cfg config.Config) *fair.Budget {
	total := int64(max(1, cfg.FetchSlots) * fetchConnections)
	return fair.New(fair.Limits{Total: total, Account: total / accountFetches})
}

// newDownloads bounds the bytes of sources that are under way. A single file is smaller than the share of an account. Decision 54.
func newDownloads() *fair.Budget {
	return fair.New(fair.Limits{Total: downloadBudget, Account: downloadShare})
}

func newUploads() *fair.Budget {
	return fair.New(fair.Limits{Total: uploadBudget, Account: uploadShare, Waiting: requestQueue, Wait: uploadWait})
}
