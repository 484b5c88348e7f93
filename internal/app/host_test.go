package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMarkHost(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	mark, err := markHost(data)
	if err != nil {
		t.Fatal(err)
	}
	marks := func() []string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(data, markFolder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if len(marks()) != 1 {
		t.Fatalf("marks: %v", marks())
	}
	if err := mark.remove(); err != nil || len(marks()) != 0 {
		t.Errorf("after removal: %v, %v", marks(), err)
	}
}

func TestRefuseOtherHosts(t *testing.T) {
	t.Parallel()
	now := time.Now()
	tests := []struct {
		name    string
		mark    string
		age     time.Duration
		refused bool
		swept   bool
	}{
		{"a process of this host", "7@here", time.Second, false, false},
		{"a living process of another host", "7@there", time.Second, true, false},
		{"a dead process of another host", "7@there", time.Minute, false, true},
		{"a dead process of this host", "7@here", time.Minute, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, tt.mark)
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, now.Add(-tt.age), now.Add(-tt.age)); err != nil {
				t.Fatal(err)
			}
			err := refuseOtherHosts(dir, "here", now)
			if (err != nil) != tt.refused || err != nil && !strings.Contains(err.Error(), "there") {
				t.Errorf("refusal: %v", err)
			}
			if _, err := os.Stat(path); (err != nil) != tt.swept {
				t.Errorf("the mark afterwards: %v", err)
			}
		})
	}
}
