package entry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"moviola/internal/certificate"
)

// defaultRefresh is the time between two checks of the certificate and users files for changes, unless the configuration
// gives another.
const defaultRefresh = 5 * time.Second

// Settings are the part of embedded.Config that says where a server listens, and which files list who may connect.
type Settings struct {
	Listen                       string
	CertFile, KeyFile, UsersFile string
}

// Check refuses settings with which a password could be intercepted, or anybody on the network could change the log.
func (c Settings) Check() error {
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

// Access decides who may connect, according to files that may change while the server runs.
type Access struct {
	certificate *certificate.Certificate // the server's certificate; nil: the server has no TLS
	guard       *guard                   // checks passwords; nil: the server has no users
	pass        pass                     // token that calls through the socket need; empty: they need none
	note        logrus.FieldLogger

	mu           sync.Mutex        // held while the users file is read
	usersSeen    certificate.Stamp // state of the users file when it was last read
	usersFailure string            // error of the last attempt to read the users file; empty: the file was read
}

// NewAccess reads the files that the settings name.
func NewAccess(config Settings, note logrus.FieldLogger) (a *Access, err error) {
	a = &Access{note: note}
	if config.CertFile != "" {
		if a.certificate, err = certificate.Open(certificate.Files{Cert: config.CertFile, Key: config.KeyFile}); err != nil {
			return nil, err
		}
	}
	if config.UsersFile != "" {
		// taken before the file is read, so that a change during the read is noticed
		a.usersSeen = certificate.StampOf(config.UsersFile)
		if a.guard, err = newGuard(config.UsersFile, note); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// NeedPass makes a pass, which calls through the unix socket have to contain from then on.
func (a *Access) NeedPass(socket net.Listener) (err error) {
	a.pass, err = newPass(socket)
	return err
}

// Options returns the gRPC options that enforce the access rules.
func (a *Access) Options() []grpc.ServerOption {
	var options []grpc.ServerOption
	if a.certificate != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(a.certificate.Config())))
	}
	if a.guard != nil {
		options = append(options, grpc.UnaryInterceptor(a.guard.unary), grpc.StreamInterceptor(a.guard.stream))
	}
	if a.pass != "" {
		options = append(options, grpc.UnaryInterceptor(a.pass.unary), grpc.StreamInterceptor(a.pass.stream))
	}
	return options
}

// Refresh reads the files that have changed. When all is true, it reads every file, changed or not. When a file cannot be
// read, its old content stays in force. A users file that could not be read is read again at every call until it can: a user who
// was removed from it must not keep access.
func (a *Access) Refresh(all bool) error {
	var errs []error
	tell := func(what string, read bool, err error) {
		switch {
		case err != nil && !read: // the same error as before, which is in the log already
			errs = append(errs, err)
		case err != nil:
			a.note.WithError(err).Error("event store: changed file cannot be read; the earlier content stays in force")
			errs = append(errs, err)
		case read:
			a.note.Infof("event store: %s reloaded", what)
		}
	}
	if a.certificate != nil {
		read, err := a.certificate.Refresh(all)
		tell("certificate", read, err)
	}
	if a.guard != nil {
		read, err := a.refreshUsers(all)
		tell("users", read, err)
	}
	return errors.Join(errs...)
}

// refreshUsers reads the users file when it has changed, when the last attempt has failed, or when anyway is true. news is false
// when nothing was read, or when the attempt has failed with the same error as the last one and anyway is false.
func (a *Access) refreshUsers(anyway bool) (news bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before, failure := a.usersSeen, a.usersFailure
	a.usersSeen = certificate.StampOf(a.guard.path)
	if a.usersSeen == before && failure == "" && !anyway {
		return false, nil
	}
	a.usersFailure = ""
	if err = a.guard.load(); err != nil {
		a.usersFailure = err.Error()
	}
	return anyway || err == nil || a.usersFailure != failure, err
}

// Watch reads the certificate and users files again whenever they have changed, until ctx ends. every is the time between
// two checks; when it is not positive, defaultRefresh is used.
func (a *Access) Watch(ctx context.Context, every time.Duration) {
	if every <= 0 {
		every = defaultRefresh
	}
	for {
		select {
		case <-time.After(every):
			_ = a.Refresh(false) // Refresh itself logs its error
		case <-ctx.Done():
			return
		}
	}
}
