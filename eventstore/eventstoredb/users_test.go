package eventstoredb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
	"golang.org/x/crypto/bcrypt"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/eventstore/storetest"
	"moviola/tests/harness/servers"
)

// secured is a served event store with TLS and users, and its files.
type secured struct {
	*testing.T
	server      *embedded.Server
	certificate servers.Certificate
	users       string
}

// newSecured serves with users of cheap hashes: "writer", and "reader" who may only read. Their passwords are their names.
func newSecured(t *testing.T, refresh time.Duration) *secured {
	t.Helper()
	s := &secured{T: t, certificate: servers.NewCertificate(t), users: filepath.Join(t.TempDir(), "users")}
	s.writeUsers("writer:full", "reader:read-only")
	s.server = startServer(t, embedded.Config{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", Refresh: refresh,
		CertFile: s.certificate.CertFile, KeyFile: s.certificate.KeyFile, UsersFile: s.users,
	})
	return s
}

func (s *secured) writeUsers(users ...string) {
	s.Helper()
	lines := "# users of a test\n"
	for _, one := range users {
		name, role, _ := strings.Cut(one, ":")
		hash, err := bcrypt.GenerateFromPassword([]byte(name), bcrypt.MinCost)
		if err != nil {
			s.Fatal(err)
		}
		lines += name + ":" + string(hash) + ":" + role + "\n"
	}
	s.replaceUsers(lines)
}

// replaceUsers replaces the users file in one step: a server that reads it must not see it empty.
func (s *secured) replaceUsers(content string) {
	s.Helper()
	next := s.users + ".new"
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Rename(next, s.users); err != nil {
		s.Fatal(err)
	}
}

func (s *secured) address(credentials string) eventstoredb.Config {
	return eventstoredb.Config{ConnectionString: "esdb://" + credentials + s.server.Addr() + "?tlsCAFile=" + s.certificate.CertFile}
}

func TestStore_tls(t *testing.T) {
	t.Parallel()
	s := newSecured(t, 0)
	store := openServed(t, s.address("writer:writer@"))
	storetest.Run(t, func(*testing.T) eventstore.Store { return store })
}

// answered repeats a call while the server is away, and returns its answer.
func answered(t *testing.T, call func(ctx context.Context) error) error {
	t.Helper()
	ctx := endless(t)
	for {
		if err := call(ctx); !errors.Is(err, eventstore.ErrUnavailable) {
			return err
		}
	}
}

func wantCode(t *testing.T, what string, err error, code esdb.ErrorCode) {
	t.Helper()
	var failure *esdb.Error
	if !errors.As(err, &failure) || !failure.IsErrorCode(code) {
		t.Errorf("%s: %v, want the client's code %d", what, err, code)
	}
}

func appendOne(store *eventstoredb.Store, stream string) func(ctx context.Context) error {
	event := eventstore.Proposed{ID: uuid.New(), Type: "Tested", Data: []byte(`{}`)}
	return func(ctx context.Context) error {
		_, err := store.Append(ctx, stream, eventstore.NoStream, event)
		return err
	}
}

func look(store *eventstoredb.Store) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, err := store.Head(ctx)
		return err
	}
}

// TestStore_users: who may do what, and who may nothing.
func TestStore_users(t *testing.T) {
	t.Parallel()
	s := newSecured(t, 0)
	reader := openStore(t, s.address("reader:reader@"))
	if err := answered(t, look(reader)); err != nil {
		t.Errorf("a read-only user reads: %v", err)
	}
	wantCode(t, "a read-only user appends", answered(t, appendOne(reader, "a-1")), esdb.ErrorCodeAccessDenied)
	wantCode(t, "a read-only user sets metadata", answered(t, appendOne(reader, "$$a-1")), esdb.ErrorCodeAccessDenied)
	for name, credentials := range map[string]string{
		"a wrong password": "reader:writer@", "an unknown user": "nobody:reader@", "no user": "", "no password": "reader:@",
	} {
		store := openStore(t, s.address(credentials))
		wantCode(t, name+" reads", answered(t, look(store)), esdb.ErrorCodeUnauthenticated)
		wantCode(t, name+" appends", answered(t, appendOne(store, "a-1")), esdb.ErrorCodeUnauthenticated)
	}
	if err := answered(t, appendOne(openStore(t, s.address("writer:writer@")), "a-1")); err != nil {
		t.Errorf("nothing was written before, and the writer appends: %v", err)
	}
}

// TestStore_usersChanged removes a user, whose subscription ends, and gives another the right to write, while the server runs.
func TestStore_usersChanged(t *testing.T) {
	t.Parallel()
	s := newSecured(t, time.Millisecond)
	writer, reader := openServed(t, s.address("writer:writer@")), openServed(t, s.address("reader:reader@"))
	subscription, err := writer.Subscribe(endless(t), eventstore.Position{}, eventstore.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	defer subscription.Close()
	s.writeUsers("reader:full")
	for err = nil; err == nil; {
		_, err = subscription.Next(endless(t))
	}
	wantCode(t, "a removed user reads", answered(t, look(writer)), esdb.ErrorCodeUnauthenticated)
	if err := answered(t, appendOne(reader, "a-1")); err != nil {
		t.Errorf("a user who may now write: %v", err)
	}
	s.replaceUsers("reader:this is no hash:full\n")
	if err := s.server.Refresh(); err == nil || strings.Contains(err.Error(), "this is no hash") {
		t.Errorf("a users file that cannot be read: %v", err)
	}
	if err := answered(t, appendOne(reader, "a-2")); err != nil {
		t.Errorf("the users that were read before stay: %v", err)
	}
}

// TestStore_certificateChanged replaces the certificate under a running server: new connections see the new one, old ones go on.
func TestStore_certificateChanged(t *testing.T) {
	t.Parallel()
	s := newSecured(t, time.Hour)
	before := openServed(t, s.address("writer:writer@"))
	next := servers.NewCertificate(t)
	for to, from := range map[string]string{s.certificate.CertFile: next.CertFile, s.certificate.KeyFile: next.KeyFile} {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.server.Refresh(); err != nil {
		t.Fatal(err)
	}
	after := openServed(t, s.address("writer:writer@")) // trusts the new one alone
	for _, store := range []*eventstoredb.Store{before, after} {
		if err := answered(t, look(store)); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(s.certificate.KeyFile, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.server.Refresh(); err == nil {
		t.Error("a key that cannot be read was taken")
	}
	if err := answered(t, look(openServed(t, s.address("writer:writer@")))); err != nil {
		t.Errorf("the certificate that was read before stays: %v", err)
	}
}
