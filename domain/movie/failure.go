package movie

// The families of failures: whose they are. The first three are those of domain.Kind too.
const (
	FamilyMovie     = "movie"
	FamilyAccount   = "account"
	FamilyService   = "service"
	FamilySources   = "sources" // what the document names could not be had before the render began
	FamilyTimeout   = "timeout"
	FamilyCancelled = "cancelled"
	FamilyUnknown   = "unknown" // its event is of a version that did not tell
)

// Failure tells why a movie has no video.
type Failure struct {
	Code   string
	Family string
}

// Failures of movies that nobody rendered to their end.
var (
	TimedOut        = Failure{"render_timeout", FamilyTimeout}
	CancelledByUser = Failure{"movie_cancelled", FamilyCancelled}
)

// byMessage are the failures that a worker records without a code.
var byMessage = map[string]Failure{
	timeoutMessage: TimedOut,
	crashedMessage: {"render_crashed", FamilyService},
	memoryMessage:  {"out_of_memory", FamilyMovie},
	droppedMessage: {"dropped_by_operator", FamilyService},
}

// FailureOf tells why an attempt failed, and nothing of one that succeeded.
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
