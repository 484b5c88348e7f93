package commands_test

import (
	"bytes"
	"context"
	"errors"

	"testing"
	"time"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/commands/mediafiles"
	"moviola/commands/storage"
	"moviola/domain/blobkey"
)

// depot is a mediafiles.Staging in memory, to which clients upload files directly.
type depot struct {
	*library
	staged map[string]mediafiles.Staged
}

func (d depot) Presign(context.Context, string, string, int64, time.Duration) (string, error) {
	return "", nil
}

func (d depot) Stat(_ context.Context, key string) (mediafiles.Staged, error) {
	if staged, ok := d.staged[key]; ok {
		return staged, nil
	}
	return mediafiles.Staged{}, commands.ErrFileNotFound
}

func (d depot) Copy(ctx context.Context, from, to string) error {
	f, err := d.files.Open(ctx, from)
	if err != nil {
		return err
	}
	defer f.Close()
	return d.files.Put(ctx, to, f)
}

// spend takes the account's balance to zero.
func (l *library) spend() {
	l.t.Helper()
	subject := l.newProject()
	_, err := l.ledgers.Hold(l.t.Context(), ledgers.Hold{Account: alice, Project: subject, Amount: 10})
	l.must(err)
	_, err = l.ledgers.Charge(l.t.Context(), ledgers.Charge{Account: alice, Project: subject})
	l.must(err)
}

func (l *library) topUp() {
	l.t.Helper()
	_, err := l.ledgers.Grant(l.t.Context(), ledgers.Grant{Account: alice, Reference: "more", Amount: 1})
	l.must(err)
}

// While the balance is zero no upload begins, even to an address that was given out before; an upload that began earlier
// succeeds. Decisions 39 and 44.
func TestUploadMedia_blocked(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	file, err := l.register.Handle(t.Context(), mediafiles.RegisterMedia{Account: alice, Name: "x", ContentType: "a/b", Size: 1})
	l.must(err)
	begin := func() error {
		_, err := l.upload.Begin(t.Context(), place("", "x"), file.Entry)
		return err
	}
	l.must(begin())
	l.spend()
	if err := begin(); !errors.Is(err, storage.ErrStorageBlocked) {
		t.Errorf("begun without credits: %v", err)
	}
	if err := l.register.Admit(t.Context(), alice); !errors.Is(err, storage.ErrStorageBlocked) {
		t.Errorf("registered without credits: %v", err)
	}
	_, err = l.upload.Handle(t.Context(), mediafiles.UploadMedia{Place: place("", "x"), Entry: file.Entry, Size: 1, Body: bytes.NewReader([]byte("1"))})
	if err != nil || l.at("", "x") != "1" {
		t.Errorf("what had begun: %v, %q", err, l.at("", "x"))
	}
}

// Bytes that a client has uploaded to the storage directly while the balance was zero wait for credits; bytes that came
// before are accepted.
func TestConfirmUpload(t *testing.T) {
	t.Parallel()
	const come = time.Minute // when the bytes arrive, after the registration
	for name, tt := range map[string]struct {
		spent   time.Duration // when the balance comes to zero, after the registration; 0: never
		topUp   bool
		size    int64
		content string
		gone    bool // the bytes are removed from the staging area
	}{
		"confirmed":                {size: 3, content: "abc", gone: true},
		"too long":                 {size: 4, gone: true},
		"came before":              {size: 3, spent: 2 * time.Minute, content: "abc", gone: true},
		"came while blocked":       {size: 3, spent: time.Second},
		"blocked, then a top-up":   {size: 3, spent: time.Second, topUp: true, content: "abc", gone: true},
		"blocked at the same time": {size: 3, spent: come},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			file, err := l.register.Handle(t.Context(), mediafiles.RegisterMedia{Account: alice, Name: "x", ContentType: "a/b", Size: 3})
			l.must(err)
			key := blobkey.Upload(alice, file.Entry)
			l.must(l.files.Put(t.Context(), key, bytes.NewReader([]byte("abc"))))
			d := depot{l, map[string]mediafiles.Staged{key: {Size: tt.size, ContentType: "a/b", At: t0.Add(come)}}}
			if tt.spent > 0 {
				l.wait(tt.spent)
				l.spend()
			}
			if tt.topUp {
				l.topUp()
			}
			l.wait(time.Hour)
			confirm := mediafiles.NewConfirmUploadHandler(l.log, l.files, d, l.storage, l.clock)
			err = confirm.Confirm(t.Context(), mediafiles.ConfirmUpload{Place: place("", "x")})
			if (err == nil) != (tt.content != "") || err != nil && !errors.Is(err, commands.ErrNothingToDo) {
				t.Errorf("confirmed: %v", err)
			}
			if got := l.at("", "x"); got != tt.content || (l.files.Text(key) == "") != tt.gone {
				t.Errorf("the file is %q, staged %q", got, l.files.Text(key))
			}
		})
	}
}

// An account that never had credits is refused, whenever its bytes have arrived.
func TestStorage_RequireAt_neverHadCredits(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	if err := l.storage.RequireAt(t.Context(), mallory, t0); !errors.Is(err, storage.ErrStorageBlocked) {
		t.Errorf("error %v", err)
	}
	if err := l.storage.RequireAt(t.Context(), alice, t0); err != nil {
		t.Errorf("with credits: %v", err)
	}
}
