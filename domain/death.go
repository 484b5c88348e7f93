package domain

// Death is the cause of the death of a worker's process during an attempt, as far as there is evidence. Decision 56.
type Death string

// The causes of death. A process that was ended from outside (kill -9, a deploy, the loss of its host) leaves no evidence:
// Unexplained.
const (
	Unexplained Death = ""
	Crashed     Death = "crash"  // the process left a crash report of the Go runtime
	OutOfMemory Death = "memory" // the kernel killed processes because memory ran out while this process ran
)

// MaxCrashes is the number of counted crashes after which an item of work is given up, so that one bad item cannot crash workers
// forever.
const MaxCrashes = 3

// Trial counts the crashes for which one item of work is to blame. The zero Trial has none. A crash counts only if there is
// evidence of its cause, if the attempt was the only work in its process, and if no part was finished since the previous
// crash of known cause or, without one, at all. Decision 56.
type Trial struct {
	counted  int
	last     Death // cause of death at the newest crash whose cause is known
	finished int   // number of parts that were finished at the newest crash whose cause is known
	alone    bool  // the current attempt is the only work in its process
}

// Begin applies the start of an attempt. death is the cause of the previous attempt's death; finished is the number of
// finished parts of the item.
func (t *Trial) Begin(alone bool, death Death, finished int) {
	*t = t.after(death, finished)
	t.alone = alone
}

// Alone reports whether the current attempt is the only work in its process.
func (t *Trial) Alone() bool { return t.alone }

// after returns the trial as it is after the current attempt has ended because its worker's process died. death is the
// cause of that death; finished is the number of finished parts of the item.
func (t Trial) after(death Death, finished int) Trial {
	if death == Unexplained {
		return t
	}
	if t.alone && finished <= t.finished {
		t.counted++
	}
	t.last, t.finished = death, finished
	return t
}

// Over reports whether the item of work is to be given up if the current attempt ends by the given death. finished is the
// number of finished parts of the item. Over also returns the newest known cause of a death of the item's attempts;
// Unexplained: no cause is known.
func (t Trial) Over(death Death, finished int) (Death, bool) {
	t = t.after(death, finished)
	return t.last, t.counted >= MaxCrashes
}
