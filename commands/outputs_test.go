package commands_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/domain/movie"
	"moviola/domain/plan"
)

// TestSubmit_outputs: the outputs that a movie asks for beside its MP4 are recorded in MovieSubmitted, each once; those that
// exceed the account's plan are recorded as failed. Decision 61.
func TestSubmit_outputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	plans, err := plan.New(plan.Plan{Name: "free", Length: time.Minute, Width: 1920, Height: 1080, Outputs: 2})
	w.must(err)
	handler := commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: w.log, Ledgers: w.ledgers, Files: w.files, Plans: plans, NewProject: w.newProject, Now: w.clock,
	})
	_, err = handler.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(
		`{"scenes":[{"duration":3}],"exports":[{"format":["mp4"," GIF","hologram","still","jpeg","wav"],"codec":"av1"}]}`)})
	w.must(err)
	got := w.last(movieStream).(movie.Submitted)
	const most = "The account's plan allows a movie 2 outputs beside its MP4"
	want := []movie.Output{
		{Format: "gif", Status: movie.OutputPending},
		{Format: "hologram", Status: movie.OutputError, Message: "There is no output format 'hologram': use one of mp4, webm, gif, png-sequence, png, jpg, mp3, wav, m4a, hls, storyboard"},
		{Format: "jpg", Status: movie.OutputPending},
		{Format: "wav", Status: movie.OutputError, Message: most},
		{Format: "mp4-av1", Status: movie.OutputError, Message: most},
	}
	if diff := cmp.Diff(want, got.Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	for _, warning := range []string{"no output format 'hologram'", "Output wav: " + most, "Output mp4-av1: " + most} {
		if !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, warning) }) {
			t.Errorf("warnings %q lack %q", got.Warnings, warning)
		}
	}
	claim, err := w.start("w1", 0)
	w.must(err)
	if diff := cmp.Diff([]string{"gif", "jpg"}, movie.FormatsToMake(claim.Outputs)); diff != "" {
		t.Errorf("formats of the claim (-want +got):\n%s", diff)
	}
}
