package movie

// The families of failures. A family is who is responsible for a failure. The first three are also those of domain.Kind.
const (
	FamilyMovie     = "movie"
	FamilyAccount   = "account"
	FamilyService   = "service"
	FamilySources   = "sources" // a file that the document names could not be fetched before the render
	FamilyTimeout   = "timeout"
	FamilyCancelled = "cancelled"
	FamilyUnknown   = "unknown" // the version that wrote the event did not record the failure's family
)

// Failure is the error code and the family of the failure of a movie without video.
type Failure struct {
	Code   string
	Family string
}

// Failures of movies whose render was never completed.
var (
	TimedOut        = Failure{"render_timeout", FamilyTimeout}
	CancelledByUser = Failure{"movie_cancelled", FamilyCancelled}
)

// byMessage maps the messages of failures that workers record without a code.
var byMessage = map[string]Failure{
	timeoutMessage: TimedOut,
	crashedMessage: {"render_crashed", FamilyService},
	memoryMessage:  {"out_of_memory", FamilyMovie},
	droppedMessage: {"dropped_by_operator", FamilyService},
}

// FailureOf returns the failure of an attempt; the zero Failure for a success.
func FailureOf(e RenderFinished) Failure {
	switch known, ok := byMessage[e.Message]; {
	case e.Success:
		return Failure{}
	case e.Code != "":
		return Failure{e.Code, e.Family}
	case ok:
		return known
	case e.Attempt == 0:
		return Failure{"sources_not_fetched", FamilySources}
	default:
		return Failure{"unknown", FamilyUnknown}
	}
}
