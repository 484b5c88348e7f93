package commands

import (
	"fmt"

	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/plan"
)

// outputsOf returns the outputs that a movie asks for beside its MP4. Those that cannot be made, and those that exceed the
// number in the account's plan, have status error. Decision 61.
func outputsOf(doc *document.Movie, allowed plan.Plan) (all []movie.Output) {
	making := 0
	for _, asked := range doc.Outputs {
		o := movie.Output{Format: asked.Format, Status: movie.OutputPending}
		switch {
		case asked.Problem != "":
			o = o.Failed(asked.Problem)
		case making == allowed.Outputs:
			o = o.Failed(allowed.OutputsMessage())
		default:
			making++
		}
		all = append(all, o)
	}
	return all
}

// maxOutputWarnings is the largest number of warnings that a submission may have together with those about its outputs. When
// there would be more, those about outputs are left out: the list of outputs has the same facts.
const maxOutputWarnings = 50

// refusedOutputs returns warnings about those outputs that the program can make, but the account's plan does not allow.
func refusedOutputs(doc *document.Movie, outputs []movie.Output) (warnings []string) {
	for i, o := range outputs {
		if o.Status == movie.OutputError && doc.Outputs[i].Problem == "" {
			warnings = append(warnings, fmt.Sprintf("Output %s: %s", o.Format, o.Message))
		}
	}
	return warnings
}
