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
	// heapGrowth is by how many percent the heap of a service may grow before garbage is collected. What lives on is small, a few
	// dozen megabytes, and every request leaves garbage behind: with Go's own 100 the collector takes a seventh of the processor
	// under load.
	heapGrowth = 300
	// syncers are the goroutines that spend their time in fsync: the writers of the event store and of the documents. Go lets as
	// many threads run as there are processors and counts one in a system call among them until its monitor looks: up to 10 ms.
	// With two more threads than processors, two cores take a fifth more submissions, and the slowest hundredth of them take a
	// sixth less time.
	syncers = 2
)

// Tune fits Go's scheduler and collector to a service, unless the operator has fitted them (GOMAXPROCS, GOGC, GOMEMLIMIT).
func Tune(log logrus.FieldLogger) {
	limitMemory(log, memlimit.FromCgroup)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncers)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}

// memoryShare is how much of a container's memory the garbage collector tries to keep this process below: the programs that
// render are in the same container.
const memoryShare = 0.5

// limitMemory gives the garbage collector a limit from that of the container, unless GOMEMLIMIT does.
func limitMemory(log logrus.FieldLogger, container memlimit.Provider) {
	limit, err := memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(memoryShare), memlimit.WithProvider(container))
	switch {
	case err != nil:
		log.WithError(err).Debug("no memory limit found; the garbage collector keeps its default")
	case limit > 0 && limit < math.MaxInt64:
		log.WithField("bytes", limit).Info("the garbage collector keeps below half of the container's memory")
	}
}
