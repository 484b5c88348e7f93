package entry

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"golang.org/x/crypto/bcrypt"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/internal/certificate"
)

// admitting is the access of a server whose users file exists, without a certificate.
type admitting struct {
	*testing.T
	access *Access
	path   string
	logged *logtest.Hook
}

// newAdmitting makes a users file of full users, whose passwords are their names, and reads it.
func newAdmitting(t *testing.T, names ...string) *admitting {
	t.Helper()
	log, logged := logtest.NewNullLogger()
	a := &admitting{T: t, path: filepath.Join(t.TempDir(), "users"), logged: logged}
	a.write(names...)
	access, err := NewAccess(Settings{UsersFile: a.path}, log)
	if err != nil {
		t.Fatal(err)
	}
	a.access = access
	return a
}

// write replaces the users file.
func (a *admitting) write(names ...string) {
	a.Helper()
	lines := "# users of a test\n"
	for _, name := range names {
		hash, err := bcrypt.GenerateFromPassword([]byte(name), bcrypt.MinCost)
		if err != nil {
			a.Fatal(err)
		}
		lines += name + ":" + string(hash) + ":full\n"
	}
	a.put(lines)
}

func (a *admitting) put(content string) {
	a.Helper()
	if err := os.WriteFile(a.path, []byte(content), 0o600); err != nil {
		a.Fatal(err)
	}
}

// wants says whether a user of that name is let in.
func (a *admitting) wants(when, name string, in bool) {
	a.Helper()
	sent := metadata.Pairs("authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(name+":"+name)))
	_, err := a.access.guard.admit(metadata.NewIncomingContext(context.Background(), sent), streams.Streams_Read_FullMethodName)
	want := codes.Unauthenticated
	if in {
		want = codes.OK
	}
	if got := status.Code(err); got != want {
		a.Errorf("%s %s is answered %v, want %v", when, name, got, want)
	}
}

// logs counts the messages of a level that have a text.
func (a *admitting) logs(level logrus.Level, text string) (count int) {
	for _, entry := range a.logged.AllEntries() {
		line, err := entry.String()
		if err != nil {
			a.Fatal(err)
		}
		if entry.Level == level && strings.Contains(line, text) {
			count++
		}
	}
	return count
}

// TestAccess_lastUserRemoved: the last user, too, loses access when removed, and the running calls end. The log says that nobody
// is let in. A user who is added then gets in.
func TestAccess_lastUserRemoved(t *testing.T) {
	t.Parallel()
	a := newAdmitting(t, "anna")
	a.wants("before the removal", "anna", true)
	ctx, end := context.WithCancelCause(t.Context())
	defer end(nil)
	a.access.guard.running[&admitted{user: a.access.guard.users["anna"], end: end}] = struct{}{}
	if err := RemoveUser(a.path, "anna"); err != nil {
		t.Fatal(err)
	}
	if err := a.access.Refresh(false); err != nil {
		t.Errorf("the refresh says %v", err)
	}
	a.wants("after the removal", "anna", false)
	a.wants("after the removal", "", false)
	if !errors.Is(context.Cause(ctx), errUserChanged) {
		t.Error("a running call of the removed user goes on")
	}
	if a.logs(logrus.WarnLevel, "nobody is let in") != 1 {
		t.Errorf("the log does not say that nobody is let in: %v", a.logged.AllEntries())
	}
	a.write("bob")
	if err := a.access.Refresh(false); err != nil {
		t.Errorf("the refresh says %v", err)
	}
	a.wants("after the addition", "bob", true)
	a.wants("after the addition", "anna", false)
}

// TestAccess_usersUnreadable: a users file that is missing or cannot be read keeps the earlier users, and the log says so once. It
// is read again as soon as it can be, even when its time and size are those of the failed attempt.
func TestAccess_usersUnreadable(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(a *admitting) error{
		"missing": func(a *admitting) error { return os.Remove(a.path) },
		"damaged": func(a *admitting) error { return os.WriteFile(a.path, []byte("anna\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAdmitting(t, "anna", "bob")
			if err := spoil(a); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := a.access.Refresh(false); err == nil {
					t.Error("the refresh says nothing")
				}
			}
			a.wants("with the spoiled file", "anna", true)
			if got := a.logs(logrus.ErrorLevel, "stays in force"); got != 1 {
				t.Errorf("the log says %d times that the earlier content stays in force", got)
			}
			a.write("bob")
			a.access.usersSeen = certificate.StampOf(a.path) // as if the failed attempt had seen this file already
			if err := a.access.Refresh(false); err != nil {
				t.Errorf("the refresh says %v", err)
			}
			a.wants("with the mended file", "anna", false)
			a.wants("with the mended file", "bob", true)
			if err := a.access.Refresh(false); err != nil || a.logs(logrus.InfoLevel, "users reloaded") != 1 {
				t.Errorf("a file that was read is read again, %v", err)
			}
		})
	}
}
