package check_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"moviola/commands"
	"moviola/eventstore/archived"
	"moviola/handlers/background/check"
)

// TestRun_archive: a missing and a damaged archive file are findings. Then nothing else is checked or repaired: without the
// archived events, stored files would look like orphans.
func TestRun_archive(t *testing.T) {
	t.Parallel()
	w := everything(t)
	w.put("renders/other/1.mp4")
	config := w.config()
	config.Repair = true
	flaws := map[string]error{"history/a": nil, "history/b": fmt.Errorf("open: %w", commands.ErrFileNotFound), "history/c": archived.ErrDamaged}
	config.Archive = func(_ context.Context, visit func(string, error) error) error {
		for key, flaw := range flaws {
			if err := visit(key, flaw); err != nil {
				return err
			}
		}
		return nil
	}
	w.wantFindings(config, "damaged history/c", "missing history/b")
	report, err := check.Run(t.Context(), config)
	if err != nil || report.Left() != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	offline := errors.New("offline")
	flaws = map[string]error{"history/a": offline}
	if _, err := check.Run(t.Context(), config); !errors.Is(err, offline) {
		t.Errorf("a storage that does not answer: %v", err)
	}
	flaws = nil
	w.wantFindings(config, "orphaned renders/other/1.mp4 (repaired)")
}
