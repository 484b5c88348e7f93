package embedded

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// defaultRefresh is how often certificates and users are looked at for changes.
const defaultRefresh = 5 * time.Second

// checkAccess refuses configurations in which a password could be read on the way, or anybody could change the log.
func (c Config) checkAccess() error {
	switch {
	case (c.CertFile == "") != (c.KeyFile == ""):
		return errors.New("TLS needs both a certificate and its key")
	case c.CertFile != "" && c.Listen == "":
		return errors.New("TLS needs a network address to listen on; the unix socket is for this user alone")
	case c.UsersFile != "" && c.CertFile == "":
		return errors.New("users need TLS: clients do not send their passwords without it, and everybody could read them")
	case c.Listen == "" || isLoopback(c.Listen):
		return nil
	case c.CertFile == "":
		return fmt.Errorf("listen on %q: without TLS and users the event store listens on loopback only", c.Listen)
	case c.UsersFile == "":
		return fmt.Errorf("listen on %q: without users anybody who reaches this address could read and change the log", c.Listen)
	}
	return nil
}

// access is what decides who comes in, read from files that may change while the server runs.
type access struct {
	certFile, keyFile string
	guard             *guard // nil without users
	pass              pass   // of calls through the socket; empty: they need none
	note              logrus.FieldLogger

	certificate atomic.Pointer[tls.Certificate]
	mu          sync.Mutex
	seen        map[string]stamp // files as they were when they were last read
}

// stamp tells the states of a file apart.
type stamp struct {
	changed time.Time
	size    int64
}

func newAccess(config Config, note logrus.FieldLogger) (*access, error) {
	a := &access{certFile: config.CertFile, keyFile: config.KeyFile, note: note, seen: map[string]stamp{}}
	a.changed(a.files()) // before they are read: a change after that is seen as one
	if err := a.loadCertificate(); err != nil {
		return nil, err
	}
	if config.UsersFile == "" {
		return a, nil
	}
	a.changed([]string{config.UsersFile})
	var err error
	a.guard, err = newGuard(config.UsersFile, note)
	return a, err
}

// files are those of the certificate.
func (a *access) files() []string {
	if a.certFile == "" {
		return nil
	}
	return []string{a.certFile, a.keyFile}
}

func (a *access) loadCertificate() error {
	if a.certFile == "" {
		return nil
	}
	loaded, err := tls.LoadX509KeyPair(a.certFile, a.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate %s and its key: %w", a.certFile, err)
	}
	a.certificate.Store(&loaded)
	return nil
}

// options are those of a server that lets nobody else in.
func (a *access) options() []grpc.ServerOption {
	var options []grpc.ServerOption
	if a.certFile != "" {
		options = append(options, grpc.Creds(credentials.NewTLS(&tls.Config{
			MinVersion: tls.VersionTLS12,
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
				return a.certificate.Load(), nil
			},
		})))
	}
	if a.guard != nil {
		options = append(options, grpc.UnaryInterceptor(a.guard.unary), grpc.StreamInterceptor(a.guard.stream))
	}
	if a.pass != "" {
		options = append(options, grpc.UnaryInterceptor(a.pass.unary), grpc.StreamInterceptor(a.pass.stream))
	}
	return options
}

// changed says whether one of the files is not as it was when this was last asked.
func (a *access) changed(files []string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	other := false
	for _, path := range files {
		var now stamp
		if info, err := os.Stat(path); err == nil {
			now = stamp{info.ModTime(), info.Size()}
		}
		other = other || a.seen[path] != now
		a.seen[path] = now
	}
	return other
}

// refresh reads what has changed, or everything. What cannot be read stays as it was.
func (a *access) refresh(all bool) error {
	var errs []error
	read := func(what string, files []string, load func() error) {
		if len(files) == 0 || !a.changed(files) && !all {
			return
		}
		if err := load(); err != nil {
			a.note.WithError(err).Error("event store: changed file cannot be read; the earlier content stays in force")
			errs = append(errs, err)
			return
		}
		a.note.Info("event store: " + what + " reloaded")
	}
	read("certificate", a.files(), a.loadCertificate)
	if a.guard != nil {
		read("users", []string{a.guard.path}, a.guard.load)
	}
	return errors.Join(errs...)
}

// watch looks at the files until ctx ends.
func (a *access) watch(ctx context.Context, every time.Duration) {
	if every <= 0 {
		every = defaultRefresh
	}
	for {
		select {
		case <-time.After(every):
			_ = a.refresh(false) // said in the log
		case <-ctx.Done():
			return
		}
	}
}
