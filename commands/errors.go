package commands

import (
	"errors"
	"fmt"

	"moviola/eventstore"
)

// ErrNothingToDo says that nothing is left to do: another worker has done or claimed the work, or the work is not due. It is no
// fault: a worker whose command returns it ends its work normally, also when it has lost its claim.
var ErrNothingToDo = errors.New("nothing to do")

// ErrOutOfMemory says that the kernel has killed a child process of the work for want of memory. A render, the fetching of
// sources or a preload item is then released, and retried as the only work in its process. If it was that already, it fails
// instead. Decision 56.
var ErrOutOfMemory = errors.New("the kernel has ended a program for want of memory")

// ErrAway says that the storage of this service's files does not answer, or broke off. No source, movie or item is to blame for
// that: the work is tried again.
var ErrAway = errors.New("the storage of files is away")

// PageCrashed is the code of the error for a page that could not be drawn because its browser crashed.
const PageCrashed = "page_crashed"

// ErrGiveWay is the reason why work for the service's own account is stopped: work of another account needs its slot. The
// work is released and done later.
var ErrGiveWay = errors.New("others wait for the slot")

// ErrCached ends a render that is unnecessary: an equal movie exists, and its files have been copied for this movie. Decision 20.
var ErrCached = errors.New("the movie is in the cache")

// ErrShare is the reason why a piece of work has to end its turn: another account waits.
//
//   - A render ends with ErrGiveWay at the next point where no work is lost, and continues when it gets a slot again.
//   - The fetching of sources ends at once. Running downloads continue.
//   - A preload item for which credits are held keeps its slot.
//   - Any other preload item ends at once, and begins anew when it gets a slot again.
var ErrShare = errors.New("another account waits for the slot")

// ErrAlone is the reason why the fetching of sources is stopped at once and done later: another piece of work must be the
// only work in this process, because an earlier attempt at it has crashed or run out of memory.
var ErrAlone = errors.New("another piece of work has to be alone in the process")

// ErrUnseen says that a read did not find an event whose append was acknowledged. The node of the event store that answered lags
// behind, so nothing can be concluded from the read. Decision 60.
var ErrUnseen = fmt.Errorf("%w: what was acknowledged is not there to be read", eventstore.ErrUnavailable)

// GuardRefusal returns the reason, in words for a user and without an address, for which the guard of requests to other hosts has
// refused a request. It returns false if err is nil or has another cause. A retry would be refused, too.
func GuardRefusal(err error) (reason string, refused bool) {
	var refusal interface {
		Refused() bool
		Reason() string
	}
	if !errors.As(err, &refusal) || !refusal.Refused() {
		return "", false
	}
	return refusal.Reason(), true
}
