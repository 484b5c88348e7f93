// Package certificate loads a server's certificate and reloads it when its files are replaced.
package certificate

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Files are the paths of PEM files: the certificate with its intermediates, and the key.
type Files struct{ Cert, Key string }

// Certificate is the last loaded certificate. It is safe for concurrent use.
type Certificate struct {
	files  Files
	now    atomic.Pointer[tls.Certificate]
	failed atomic.Bool // the last reading of the files has failed

	mu   sync.Mutex
	seen [2]Stamp // states of the two files of the certificate when they were last read
}

// Open loads the files.
func Open(files Files) (*Certificate, error) {
	c := &Certificate{files: files}
	c.changed() // the states are recorded before the load, so that a later call notices a change during the load
	return c, c.load()
}

// Refresh reloads the files when they have changed or anyway is true. After an error the earlier certificate stays in force,
// and each further call tries again, without another error for the same files. Refresh reports whether the files were read.
func (c *Certificate) Refresh(anyway bool) (read bool, err error) {
	asked := c.changed() || anyway
	if !asked && !c.failed.Load() {
		return false, nil
	}
	err = c.load()
	c.failed.Store(err != nil)
	if err != nil && !asked {
		return false, nil
	}
	return true, err
}

// Config returns a TLS configuration with the certificate, for TLS 1.2 and newer. Open connections keep the certificate that they
// started with. Records have the maximum size, 16 KiB: some clients take the first record of a body for the whole body.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:                  tls.VersionTLS12,
		GetCertificate:              func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
		DynamicRecordSizingDisabled: true,
	}
}

func (c *Certificate) load() error {
	loaded, err := tls.LoadX509KeyPair(c.files.Cert, c.files.Key)
	if err != nil {
		return fmt.Errorf("read the certificate %s and its key: %w", c.files.Cert, err)
	}
	c.now.Store(&loaded)
	return nil
}

func (c *Certificate) changed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.seen
	c.seen = [2]Stamp{StampOf(c.files.Cert), StampOf(c.files.Key)}
	return c.seen != before
}

// Stamp identifies the state of a file.
type Stamp struct {
	changed time.Time
	size    int64
}

// StampOf returns the present state of a file; the zero Stamp on an error.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{info.ModTime(), info.Size()}
}
