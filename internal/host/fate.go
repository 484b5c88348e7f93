package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"moviola/adapters/workqueue"
	"moviola/domain"
	"moviola/internal/oom"
)

// reportFolder holds, below the data folder, what the Go runtime says of a process that crashes.
const reportFolder = "crashes"

// reportsKept is how long the reports of processes that have ended are kept, for people.
const reportsKept = 30 * 24 * time.Hour

// markNote is what a process says of itself in its mark, for whoever has to judge its end.
type markNote struct {
	Memory   oom.Count `json:"memory"`   // when the mark was renewed last
	Draining bool      `json:"draining"` // it was told to end
}

func (n markNote) write(file *os.File) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if _, err := file.WriteAt(append(text, '\n'), 0); err != nil {
		return err
	}
	return file.Truncate(int64(len(text)) + 1)
}

// Drain notes that the process was told to end: however it ends from now on, no work is to blame.
func (m *Mark) Drain() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.note.Draining = true
	_ = m.note.write(m.file) // at worst, a crash while draining counts
}

// report is the path of the crash report of a process of this host.
func (m *Mark) report(worker string) string {
	return filepath.Join(filepath.Dir(m.dir), reportFolder, worker+"@"+m.host)
}

// reportCrashes makes the Go runtime write what it says of a crash of this process to a file.
func (m *Mark) reportCrashes() error {
	if err := os.MkdirAll(filepath.Dir(m.report(m.worker)), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(m.report(m.worker), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := debug.SetCrashOutput(file, debug.CrashOptions{}); err != nil {
		err = fmt.Errorf("have crashes reported: %w", err)
		return errors.Join(err, file.Close())
	}
	return file.Close() // the runtime has its own descriptor
}

// endReports is reportCrashes undone.
func (m *Mark) endReports() error {
	err := debug.SetCrashOutput(nil, debug.CrashOptions{})
	if removed := os.Remove(m.report(m.worker)); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// sweepReports removes the reports of processes that have ended: empty ones, and those that nobody has read for long.
func (m *Mark) sweepReports(now time.Time) error {
	entries, err := os.ReadDir(filepath.Dir(m.report("")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue // it has just gone
		}
		age := now.Sub(info.ModTime())
		if _, err := os.Stat(filepath.Join(m.dir, entry.Name())); err == nil || age < markExpiry || info.Size() > 0 &&
			age < reportsKept {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(m.report("")), entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Fate says whether a process of this host is known to have ended without taking its mark away, and how. One of which this is not
// known may have ended too.
func (m *Mark) Fate(worker string) workqueue.Fate {
	if fate, known := m.gone[worker]; known {
		return fate
	}
	if !unlocked(m.of(worker)) {
		return workqueue.Fate{}
	}
	return m.judge(worker)
}

// judge looks for evidence that a process which has ended failed by itself. Decision 56.
func (m *Mark) judge(worker string) workqueue.Fate {
	fate := workqueue.Fate{Ended: true}
	var note markNote
	text, err := os.ReadFile(m.of(worker))
	if err != nil || json.Unmarshal(text, &note) != nil || note.Draining {
		return fate
	}
	report, err := os.ReadFile(m.report(worker))
	switch {
	case err == nil && len(report) > 0 && !fromOutside(report):
		fate.Death = domain.Crashed
		if bytes.Contains(report, []byte("out of memory")) || bytes.Contains(report, []byte("cannot allocate memory")) {
			fate.Death = domain.OutOfMemory
		}
	case note.Memory.Rose(oom.Read()):
		fate.Death = domain.OutOfMemory
	}
	return fate
}

// fromOutside says that a report is of a signal that somebody sent, such as kill -QUIT.
func fromOutside(report []byte) bool {
	return bytes.HasPrefix(report, []byte("SIGQUIT:")) || bytes.HasPrefix(report, []byte("SIGABRT:"))
}
