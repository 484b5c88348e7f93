package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"moviola/adapters/workqueue"
	"moviola/internal/oom"
)

// Two hosts can open the same folder on a network file system, which neither SQLite nor the file locks of this program
// survive. Therefore every process of the service writes a mark with the name of its host into the data folder and renews
// it. The process holds a lock on its mark until it ends, however it ends, so that other processes on this host notice the
// end at once.
const (
	markFolder  = "processes"
	markRenewal = 5 * time.Second
	markExpiry  = 20 * time.Second // age at which a process of another host counts as ended
	// How long the mark of an ended process of this host is kept. What it says is needed until other processes have taken all
	// of that process's work. Without it, they wait until the claims have been silent for --claim-timeout.
	markKept = time.Hour
)

// Mark is the file by which a process shows that it uses the data folder. It is renewed until it is removed.
type Mark struct {
	dir, host, worker string

	// gone says, by the name of the worker, how each process of this host ended that did not run any more when this process
	// started.
	gone map[string]workqueue.Fate
	stop chan struct{}
	done sync.WaitGroup

	mu   sync.Mutex // guards the fields below, and writing to the file
	file *os.File   // the file that shows that this process runs; it is open and locked
	note markNote   // content of the file
}

// Leave creates the mark of a process, named as in its claims. It returns an error when a process of another host is using the
// folder.
func Leave(data, worker string) (*Mark, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("find the name of this host: %w", err)
	}
	m := &Mark{dir: filepath.Join(data, markFolder), host: host, worker: worker, gone: map[string]workqueue.Fate{},
		stop: make(chan struct{})}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, err
	}
	m.note.Memory = oom.Read()
	if err := m.leave(); err != nil {
		return nil, err
	}
	if err := m.checkOthers(time.Now()); err != nil {
		return nil, errors.Join(err, m.take())
	}
	if err := m.reportCrashes(); err != nil {
		return nil, errors.Join(err, m.take())
	}
	m.done.Go(m.keep)
	return m, nil
}

// of returns the path of the mark of a worker on this host.
func (m *Mark) of(worker string) string { return filepath.Join(m.dir, worker+"@"+m.host) }

// leave creates the mark, the file by which other processes see that this process runs. It locks the file before it gives
// the file its name, so that no other process sees it unlocked.
func (m *Mark) leave() error {
	file, err := os.CreateTemp(m.dir, "new-*@"+m.host)
	if err != nil {
		return err
	}
	if err = unix.Flock(int(file.Fd()), unix.LOCK_SH); err == nil {
		err = m.note.write(file)
	}
	if err == nil {
		err = os.Rename(file.Name(), m.of(m.worker))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()), file.Close())
	}
	m.file = file
	return nil
}

// checkOthers returns an error when a process of another host is using the folder. It records how the ended processes of this
// host have ended, and removes old marks of ended processes.
func (m *Mark) checkOthers(now time.Time) error {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		path := filepath.Join(m.dir, entry.Name())
		worker, host, _ := strings.Cut(entry.Name(), "@")
		age, kept := now.Sub(info.ModTime()), markExpiry
		switch {
		case host != m.host && age < markExpiry:
			return fmt.Errorf("the data folder is in use by host %s; several hosts share an installation through "+
				"--eventstore and --mongo, not through a folder", host)
		case host == m.host && !unlocked(path):
			continue
		case host == m.host:
			m.gone[worker], kept = m.judge(worker), markKept
		}
		if age < kept {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return m.sweepReports(now)
}

// unlocked reports whether a mark exists and its process has ended.
func unlocked(path string) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close() // closing the file also unlocks it
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// keep renews the mark at intervals. A failed renewal is retried at the next: at worst another host does not see this process.
func (m *Mark) keep() {
	tick := time.NewTicker(markRenewal)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			m.renew(now)
		case <-m.stop:
			return
		}
	}
}

func (m *Mark) renew(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if count := oom.Read(); count != m.note.Memory {
		m.note.Memory = count
		_ = m.note.write(m.file)
	}
	// another process has removed the mark while this process was paused
	if err := os.Chtimes(m.of(m.worker), now, now); errors.Is(err, fs.ErrNotExist) {
		former := m.file
		if m.leave() == nil {
			_ = former.Close() // an error loses nothing: the old mark is not written any more
		}
	}
}

// Remove stops the renewal and removes the mark.
func (m *Mark) Remove() error {
	close(m.stop)
	m.done.Wait()
	return m.take()
}

func (m *Mark) take() error {
	err := os.Remove(m.of(m.worker))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, m.file.Close(), m.endReports())
}
