package domain

// Death is how the process of an attempt that was cut short is known to have failed. Decision 56.
type Death string

// What is known. A process that somebody ended (kill -9, a deploy, the loss of its host) leaves no evidence: Unexplained.
const (
	Unexplained Death = ""
	Crashed     Death = "crash"  // it left a crash report of the Go runtime
	OutOfMemory Death = "memory" // the kernel ended processes for want of memory while it ran
)

// MaxCrashes is how many crashes that count end what is tried, so that what kills its worker cannot take the service down.
const MaxCrashes = 3

// Trial keeps, for something that workers try, which of its crashes count against it. The zero Trial has none. A crash counts only with
// evidence that the process failed by itself, only when the attempt had its process for itself, and only when nothing was finished since
// the crash before. Decision 56.
type Trial struct {
	counted  int
	last     Death // of the newest crash with evidence
	finished int   // parts that were finished at the newest crash with evidence
	alone    bool  // the attempt at hand has its process for itself
}

// Begin folds the start of an attempt. death is how the attempt before it was cut short, finished how many parts of the whole are made.
func (t *Trial) Begin(alone bool, death Death, finished int) {
	*t = t.after(death, finished)
	t.alone = alone
}

// Alone says that the attempt at hand has its process for itself.
func (t *Trial) Alone() bool { return t.alone }

// after is the trial once the attempt at hand is known to have ended in a death.
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

// Over says whether the death of the attempt at hand is the last that is allowed, and which deaths those were.
func (t Trial) Over(death Death, finished int) (Death, bool) {
	t = t.after(death, finished)
	return t.last, t.counted >= MaxCrashes
}
