package blackbox_test

import (
	"testing"

	"moviola/tests/harness"
)

// TestExamples renders movies from the field, their remote media replaced by stand-ins.
func TestExamples(t *testing.T) {
	t.Parallel()
	media := harness.NewStandIns(t)
	service := harness.NewService(t, "--allow-host", media.Host)
	service.StartAPI()
	client := service.NewAccount("examples", 100_000)
	for _, example := range harness.Examples(t, client, media) {
		t.Run(example.Name, func(t *testing.T) {
			done := client.WaitFor(client.SubmitBody(example.Body), "done error")
			if done.Status != "done" {
				t.Fatalf("%s: %s", done.Status, done.Message)
			}
			if len(done.Warnings) > 0 {
				t.Logf("warnings: %q", done.Warnings)
			}
		})
	}
}
