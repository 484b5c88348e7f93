package stores_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/internal/config"
	"moviola/internal/stores"
)

// TestOpenDocuments_damaged: commands open only the read models. A damaged file is set aside with a warning, and without a logger too.
func TestOpenDocuments_damaged(t *testing.T) {
	t.Parallel()
	var told strings.Builder
	logger := logrus.New()
	logger.SetOutput(&told)
	for name, s := range map[string]*stores.Stores{"with a logger": stores.New(logger), "zero": {}} {
		data := t.TempDir()
		path := filepath.Join(data, stores.ReadModelsFile)
		if err := os.WriteFile(path, []byte(strings.Repeat("not a database. ", 1024)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.OpenDocuments(config.Config{Data: data}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if aside, err := filepath.Glob(path + "?*damaged*"); err != nil || len(aside) == 0 {
			t.Errorf("%s: set aside is %v, %v", name, aside, err)
		}
	}
	if !strings.Contains(told.String(), "set aside") {
		t.Errorf("the log says %q", told.String())
	}
}
