package movies

import (
	"context"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// surveyTime is the time limit for laying out a movie during validation in a process that has no fonts.
const surveyTime = 200 * time.Millisecond

// fontless lays out movies in a process that has no fonts.
type fontless struct{}

var _ Surveyor = fontless{}

// Surveyor lays out movies without their sources. It is safe for concurrent use.
type Surveyor interface {
	// Survey returns the faults that it finds, and sentences about parts that were not checked: checks beyond a budget of
	// work are left out. exact says whether the length of the movie is independent of its sources.
	Survey(ctx context.Context, m *document.Movie, exact bool) commands.Survey
}

func (fontless) Survey(_ context.Context, m *document.Movie, exact bool) commands.Survey {
	until := time.Now().Add(surveyTime)
	look := timeline.Estimate(m, exact, func() bool { return time.Now().Before(until) })
	s := commands.Survey{Notes: look.Notes, Err: look.Err}
	for _, p := range look.Placed {
		if p.Text != nil {
			s.Unchecked = append(s.Unchecked, "Whether texts fit into their boxes: this process has no fonts")
			break
		}
	}
	if look.Left > 0 {
		s.Unchecked = append(s.Unchecked, fmt.Sprintf("The layout of %d elements: it took too long", look.Left))
	}
	return s
}
