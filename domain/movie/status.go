package movie

import "moviola/domain"

// Status is the state of a movie as its owner sees it.
type Status string

// The states of a movie. Unknown is a movie that was never submitted, or whose submission was abandoned.
const (
	Unknown Status = ""
	Pending Status = "pending"
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "error"
	Timeout Status = "timeout"
)

// Standing is a movie's status and the reason for it. Message is empty unless the status is Failed or Timeout. The zero
// Standing is that of a movie without events.
type Standing struct {
	Status  Status
	Message string
}

// After returns the movie's status after one more event of its stream. A success after the time-out makes the movie
// successful. A failure after the time-out leaves the status at timeout. Spec: Movie status; decision 19.
func (s Standing) After(event domain.Event) Standing {
	switch e := event.(type) {
	case Submitted:
		return Standing{Status: Pending}
	case SubmissionAbandoned:
		return Standing{}
	case RenderStarted:
		if s.Status == Pending {
			return Standing{Status: Running}
		}
	case RenderTimedOut:
		return Standing{Timeout, timeoutMessage}
	case RenderFinished:
		switch {
		case e.Success:
			return Standing{Status: Done}
		case s.Status != Timeout:
			return Standing{Failed, e.Message}
		}
	case Cancelled:
		return Standing{Failed, cancelledMessage}
	}
	return s
}
