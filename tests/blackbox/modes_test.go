package blackbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"moviola/tests/harness"
)

// TestModes: nobody else can enter the data folder or read a file in it, also where an earlier version left it open.
func TestModes(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	if err := os.Chmod(service.Data, 0o755); err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(service.Data, "read-models.db")
	for range 2 {
		service.StartAPI("--roles", "api,projector,keeper")
		private(t, service.Data)
		service.API.Terminate()
		private(t, service.Data)
		if err := os.Chmod(models, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
