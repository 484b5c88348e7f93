package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A folder on a network file system can be opened by two hosts, which neither SQLite nor the locks of this program survive. So every
// process leaves a mark with the name of its host in the data folder and renews it.
const (
	markFolder  = "processes"
	markRenewal = 5 * time.Second
	markExpiry  = 20 * time.Second
)

// hostMark is the mark of one process. It is renewed until it is removed.
type hostMark struct {
	path string
	stop chan struct{}
	done sync.WaitGroup
}

// markHost leaves this process's mark, or refuses when a process of another host is alive in the folder.
func markHost(data string) (*hostMark, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("find the name of this host: %w", err)
	}
	dir := filepath.Join(data, markFolder)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	m := &hostMark{path: filepath.Join(dir, fmt.Sprintf("%d@%s", os.Getpid(), host)), stop: make(chan struct{})}
	if err := m.renew(); err != nil {
		return nil, err
	}
	if err := refuseOtherHosts(dir, host, time.Now()); err != nil {
		return nil, errors.Join(err, os.Remove(m.path))
	}
	m.done.Go(m.keep)
	return m, nil
}

// refuseOtherHosts looks at the marks in a folder and sweeps those of this host whose processes are gone.
func refuseOtherHosts(dir, host string, now time.Time) error {
	entries, err := os.ReadDir(dir)
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
		_, other, _ := strings.Cut(entry.Name(), "@")
		alive := now.Sub(info.ModTime()) < markExpiry
		switch {
		case alive && other != host:
			return fmt.Errorf("the data folder is in use by host %s; several hosts share an installation through --eventstore and --mongo, not through a folder", other)
		case !alive:
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func (m *hostMark) renew() error {
	return os.WriteFile(m.path, []byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600)
}

// keep renews the mark. A renewal that fails is tried again: at worst another host does not see this process.
func (m *hostMark) keep() {
	tick := time.NewTicker(markRenewal)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = m.renew()
		case <-m.stop:
			return
		}
	}
}

// remove takes the mark away.
func (m *hostMark) remove() error {
	close(m.stop)
	m.done.Wait()
	if err := os.Remove(m.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
