package commands

import (
	"errors"
	"fmt"

	"moviola/eventstore"
)

// ErrNothingToDo says that the state asks for nothing: the work was done by another, belongs to another, or is not due. It is
// the normal end of most work, and of a worker that has lost its claim.
var ErrNothingToDo = errors.New("nothing to do")

// ErrOutOfMemory is work whose program the kernel has ended for want of memory. It is handed back and tried again alone. Decision
// 56.
var ErrOutOfMemory = errors.New("the kernel has ended a program for want of memory")

// PageCrashed is the code of the error of a page whose browser has ended.
const PageCrashed = "page_crashed"

// ErrGiveWay is why work that the service does for itself is stopped: others wait for its slot. It is handed back and done later.
var ErrGiveWay = errors.New("others wait for the slot")

// ErrShare is why a render, or the fetching of sources, is asked for its slot: another account waits. A render ends with
// ErrGiveWay at the next place at which nothing is lost, and goes on when it has the slot again. Fetching ends at once; what is
// being downloaded goes on.
var ErrShare = errors.New("another account waits for the slot")

// ErrAlone is why the fetching of sources is stopped at once and done later: something that has crashed its process is to be
// alone in this one.
var ErrAlone = errors.New("another piece of work has to be alone in the process")

// ErrUnseen is a read that found nothing where something was acknowledged: the node that answered is behind, and nothing can be
// told from it. Decision 60.
var ErrUnseen = fmt.Errorf("%w: what was acknowledged is not there to be read", eventstore.ErrUnavailable)
