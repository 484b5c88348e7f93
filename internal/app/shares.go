package app

import (
	"time"

	"moviola/internal/fair"
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
)

func newGrowth() *fair.Budget {
	return fair.New(fair.Limits{Total: growthBudget, Account: growthBudget / 2, Waiting: requestQueue, Wait: growthWait})
}

func newUploads() *fair.Budget {
	return fair.New(fair.Limits{Total: uploadBudget, Account: uploadShare, Waiting: requestQueue, Wait: uploadWait})
}
