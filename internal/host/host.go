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

// A folder on a network file system can be opened by two hosts, which neither SQLite nor the locks of this program survive. So
// every process leaves a mark with the name of its host in the data folder and renews it. The mark is locked as long as its
// process lives, which tells others on this host at once when it has ended, however it did.
const (
	markFolder  = "processes"
	markRenewal = 5 * time.Second
	markExpiry  = 20 * time.Second
)

// Mark is the mark of one process. It is renewed until it is removed.
type Mark struct {
	dir, host, worker string

	gone map[string]workqueue.Fate // of the processes that had ended before this one began
	stop chan struct{}
	done sync.WaitGroup

	mu   sync.Mutex // guards what follows; the mark is written under it
	file *os.File   // locked
	note markNote   // what stands in the mark
}

// Leave leaves the mark of a process, which is called as it is in its claims, or refuses when a process of another host is alive
// in the folder.
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
	if err := m.look(time.Now()); err != nil {
		return nil, errors.Join(err, m.take())
	}
	if err := m.reportCrashes(); err != nil {
		return nil, errors.Join(err, m.take())
	}
	m.done.Go(m.keep)
	return m, nil
}

// of is the path of the mark of a process of this host.
func (m *Mark) of(worker string) string { return filepath.Join(m.dir, worker+"@"+m.host) }

// leave puts the mark there. It never stands there without its lock.
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

// look refuses a folder in which a process of another host is alive, sweeps the marks of those that are not, and remembers whose
// of this host they were.
func (m *Mark) look(now time.Time) error {
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
		expired := now.Sub(info.ModTime()) >= markExpiry
		switch {
		case host != m.host && !expired:
			return fmt.Errorf("the data folder is in use by host %s; several hosts share an installation through "+
				"--eventstore and --mongo, not through a folder", host)
		case host == m.host && !unlocked(path):
			continue
		case host == m.host:
			m.gone[worker] = m.judge(worker)
		}
		if !expired {
			continue // other processes may still ask whether this one has ended
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return m.sweepReports(now)
}

// unlocked says that a mark is there and that its process has ended.
func unlocked(path string) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close() // unlocks it
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// keep renews the mark. A renewal that fails is tried again: at worst another host does not see this process.
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
	if err := os.Chtimes(m.of(m.worker), now, now); errors.Is(err, fs.ErrNotExist) { // swept while this process was paused
		former := m.file
		if m.leave() == nil {
			_ = former.Close() // nothing was written
		}
	}
}

// Remove takes the mark away.
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
