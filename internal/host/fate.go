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

// reportFolder is the folder, below the data folder, for crash reports of the Go runtime.
const reportFolder = "crashes"

// reportsKept is how long crash reports of ended processes are kept for operators.
const reportsKept = 30 * 24 * time.Hour

// markNote is the content of the file by which a process shows that it runs (see Mark). Other processes read it to find
// out how the process ended.
type markNote struct {
	// Memory has the counts of processes that the kernel killed for lack of memory, as they were when the process last
	// looked.
	Memory   oom.Count `json:"memory"`
	Draining bool      `json:"draining"` // the process was told to end
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

// Drain notes that the process was told to end. From now on no work is blamed for the end of the process.
func (m *Mark) Drain() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.note.Draining = true
	// An error is ignored: at worst, when this process crashes while it drains, its work is blamed for the crash.
	_ = m.note.write(m.file)
}

// report returns the path of the crash report of a process of this host.
func (m *Mark) report(worker string) string {
	return filepath.Join(filepath.Dir(m.dir), reportFolder, worker+"@"+m.host)
}

// reportCrashes makes the Go runtime write its crash report of this process to a file.
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
	return file.Close() // closing is safe, because the runtime writes to a descriptor of its own
}

// endReports makes the Go runtime write no crash report of this process any more, and removes the file for the report.
func (m *Mark) endReports() error {
	err := debug.SetCrashOutput(nil, debug.CrashOptions{})
	if removed := os.Remove(m.report(m.worker)); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// sweepReports removes reports of ended processes: empty ones, and those older than reportsKept.
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
			continue // another process has removed the report
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

// Fate reports whether a process of this host has ended without removing its mark, and how. A zero result means that this is
// unknown: the process may have ended all the same.
func (m *Mark) Fate(worker string) workqueue.Fate {
	if fate, known := m.gone[worker]; known {
		return fate
	}
	if !unlocked(m.of(worker)) {
		return workqueue.Fate{}
	}
	return m.judge(worker)
}

// judge looks for evidence that an ended process has crashed or run out of memory. Decision 56.
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

// fromOutside reports whether a crash was caused by a signal from outside, such as kill -QUIT.
func fromOutside(report []byte) bool {
	return bytes.HasPrefix(report, []byte("SIGQUIT:")) || bytes.HasPrefix(report, []byte("SIGABRT:"))
}
