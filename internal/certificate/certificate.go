// Package certificate keeps a server's certificate as its files have it: they may be replaced while the server runs.
package certificate

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Files are the PEM files of a certificate, with those between it and its authority, and of its key.
type Files struct{ Cert, Key string }

// Certificate is what was read of the files last. Any goroutine may use it.
type Certificate struct {
	files Files
	now   atomic.Pointer[tls.Certificate]

	mu   sync.Mutex
	seen [2]Stamp // the files as they were when they were last read
}

// Open reads the files.
func Open(files Files) (*Certificate, error) {
	c := &Certificate{files: files}
	c.changed() // before they are read: a change after that is seen as one
	return c, c.load()
}

// Refresh reads the files anew when they have changed, or in any case. What cannot be read leaves the earlier certificate in
// force. It reports whether the files were read.
func (c *Certificate) Refresh(anyway bool) (read bool, err error) {
	if !c.changed() && !anyway {
		return false, nil
	}
	return true, c.load()
}

// Config lets a server show the certificate, to clients of TLS 1.2 and newer. Connections that are open keep theirs. What is
// written at once goes into records as large as can be, 16 KiB: clients exist that take the first record of a body for all of it.
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

// Stamp tells the states of a file apart.
type Stamp struct {
	changed time.Time
	size    int64
}

// StampOf is the state of a file now; the zero Stamp when it cannot be looked at.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{info.ModTime(), info.Size()}
}
