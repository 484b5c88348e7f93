package host

import (
	"moviola/adapters/workqueue"

	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mustMark leaves the mark of a process that is called so.
func mustMark(t *testing.T, data, worker string) *Mark {
	t.Helper()
	mark, err := Leave(data, worker)
	if err != nil {
		t.Fatal(err)
	}
	return mark
}

// kill ends the process that a mark stands for, as the operating system does: the mark stays, the lock goes.
func (m *Mark) kill(t *testing.T) {
	t.Helper()
	close(m.stop)
	m.done.Wait()
	if err := m.file.Close(); err != nil {
		t.Fatal(err)
	}
}

func (m *Mark) age(t *testing.T, age time.Duration) {
	t.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(m.of(m.worker), at, at); err != nil {
		t.Fatal(err)
	}
}

func marksIn(t *testing.T, data string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(data, markFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// A process that was killed is known to have ended at once: to those that run and to those that start after it. Of one that lives, has
// taken its mark away or was never here, nothing is known.
func TestHostMark_Ended(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	running, gone, killed := mustMark(t, data, "running"), mustMark(t, data, "gone"), mustMark(t, data, "killed")
	if err := gone.Remove(); err != nil {
		t.Fatal(err)
	}
	if running.Fate("killed").Ended || killed.Fate("running").Ended || running.Fate("running").Ended {
		t.Error("one that lives is taken for ended")
	}
	killed.kill(t)
	later := mustMark(t, data, "later")
	for name, mark := range map[string]*Mark{"running": running, "later": later} {
		for worker, want := range map[string]bool{"killed": true, "running": false, "later": false, "gone": false, "unknown": false} {
			if got := mark.Fate(worker).Ended; got != want {
				t.Errorf("%s says of %s: ended %v, want %v", name, worker, got, want)
			}
		}
	}
	running.age(t, time.Hour) // it was paused
	for _, mark := range []*Mark{mustMark(t, data, "last"), running, later} {
		if err := mark.Remove(); err != nil {
			t.Error(err)
		}
	}
	if n := marksIn(t, data); n != 1 {
		t.Errorf("%d marks are left, want that of the killed one", n)
	}
}

// A process that starts late, and is killed before it takes the work of one that was killed before, does not take what is known of
// that one along.
func TestHostMark_EndedTwice(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	killed := mustMark(t, data, "killed")
	killed.kill(t)
	killed.age(t, time.Minute)
	second := mustMark(t, data, "second")
	second.kill(t)
	third := mustMark(t, data, "third")
	if !third.Fate("killed").Ended || !third.Fate("second").Ended {
		t.Errorf("killed %+v, second %+v", third.Fate("killed"), third.Fate("second"))
	}
	if err := third.Remove(); err != nil {
		t.Error(err)
	}
}

// The mark of a process that was killed long ago is swept, and who has swept it still knows that the process has ended.
func TestHostMark_Swept(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	killed := mustMark(t, data, "killed")
	killed.kill(t)
	killed.age(t, time.Hour)
	later := mustMark(t, data, "later")
	if n := marksIn(t, data); n != 1 || !later.Fate("killed").Ended {
		t.Errorf("%d marks, ended %v", n, later.Fate("killed").Ended)
	}
	if err := later.Remove(); err != nil || marksIn(t, data) != 0 {
		t.Errorf("after removal: %v", err)
	}
}

func TestHostMark_OtherHosts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		age     time.Duration
		refused bool
	}{
		{"alive", time.Second, true},
		{"dead", time.Minute, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			other := &Mark{dir: filepath.Join(data, markFolder), host: "there", worker: "there-7", gone: map[string]workqueue.Fate{}}
			if err := os.Mkdir(other.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := other.leave(); err != nil {
				t.Fatal(err)
			}
			defer other.file.Close()
			other.age(t, tt.age)
			mark, err := Leave(data, "here")
			if (err != nil) != tt.refused || err != nil && !strings.Contains(err.Error(), "host there;") {
				t.Fatalf("refusal: %v", err)
			}
			if n := marksIn(t, data); n != 1 {
				t.Errorf("%d marks", n)
			}
			if err == nil {
				if mark.Fate("there-7").Ended {
					t.Error("a process of another host is known to have ended")
				}
				if err := mark.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
