package deliveries

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/connection"
)

// Bounds of inboxes.
const (
	// InboxKept is how long an inbox accepts letters and keeps them. After that time it counts as deleted; a chore removes
	// its files.
	InboxKept = time.Hour
	// InboxLetters is the maximum number of letters that an inbox keeps: older letters are deleted.
	InboxLetters = 10
	// OpenInboxes is the maximum number of inboxes that an account has at the same time. Opening another one deletes the oldest.
	OpenInboxes = 20
)

// Inbox is an address for trying webhooks. What the account's movies and connections send there is stored as letters, which the
// account can read. No network connection is made. Decision 83.
type Inbox struct {
	ID       connection.InboxID `json:"-"`
	OpenedAt time.Time          `json:"opened_at"`
	Letters  int                `json:"-"` // number of stored letters
}

// EndsAt returns the time from which the inbox counts as deleted.
func (i Inbox) EndsAt() time.Time { return i.OpenedAt.Add(InboxKept) }

// Letter is one body that was sent to an inbox, with its headers.
type Letter struct {
	At      time.Time         `json:"at"`
	Headers map[string]string `json:"headers"` // headers that the service has set
	Body    []byte            `json:"body"`    // body as it was sent; only its beginning when it is long
	Size    int               `json:"size"`    // size of the whole body in bytes
}

// errNoInbox refuses an inbox that does not exist, has ended, or belongs to another account.
func errNoInbox(id connection.InboxID) error {
	return domain.Errorf(domain.NotFound, "inbox_not_found", "Inbox %s not found", id)
}

// Inboxes stores the inboxes of accounts, encrypted, in files that all processes share. No event is written about opening
// or deleting an inbox, nor about a letter in it. It is safe for concurrent use.
type Inboxes struct {
	files commands.Files
	vault commands.Vault
	now   func() time.Time
}

// NewInboxes returns Inboxes.
func NewInboxes(files commands.Files, vault commands.Vault, now func() time.Time) Inboxes {
	return Inboxes{files, vault, now}
}

// Open opens a new inbox for an account. If the account already has the maximum number of inboxes (OpenInboxes), Open
// deletes the oldest of them.
func (i Inboxes) Open(ctx context.Context, account domain.AccountID) (Inbox, error) {
	open, err := i.List(ctx, account)
	if err != nil {
		return Inbox{}, err
	}
	for n := OpenInboxes - 1; n < len(open); n++ {
		var gone *domain.Error
		if err := i.Delete(ctx, account, open[n].ID); err != nil && !errors.As(err, &gone) {
			return Inbox{}, err
		}
	}
	id, err := connection.NewInboxID(rand.Reader)
	if err != nil {
		return Inbox{}, err
	}
	opened := Inbox{ID: id, OpenedAt: i.now()}
	return opened, i.put(ctx, blobkey.Inbox(account, id), opened)
}

// List returns the open inboxes of an account, the newest first.
func (i Inboxes) List(ctx context.Context, account domain.AccountID) ([]Inbox, error) {
	keys, err := i.files.List(ctx, blobkey.Inboxes.Of(account))
	if err != nil {
		return nil, fmt.Errorf("list the inboxes of account %s: %w", account, err)
	}
	letters := map[connection.InboxID]int{}
	for _, key := range keys {
		letters[idOf(key)]++
	}
	var open []Inbox
	for id, files := range letters {
		one, err := i.find(ctx, account, id)
		var gone *domain.Error
		switch {
		case errors.As(err, &gone):
			continue
		case err != nil:
			return nil, err
		}
		one.Letters = min(files-1, InboxLetters)
		open = append(open, one)
	}
	slices.SortFunc(open, func(a, b Inbox) int {
		return b.OpenedAt.Compare(a.OpenedAt)*2 + strings.Compare(string(a.ID), string(b.ID))
	})
	return open, nil
}

// Read returns an inbox and its letters, the newest first. For an inbox that does not exist the error is a *domain.Error of kind
// NotFound.
func (i Inboxes) Read(ctx context.Context, account domain.AccountID, id connection.InboxID) (Inbox, []Letter, error) {
	one, err := i.find(ctx, account, id)
	if err != nil {
		return Inbox{}, nil, err
	}
	keys, err := i.letters(ctx, account, id)
	if err != nil {
		return Inbox{}, nil, err
	}
	letters := make([]Letter, 0, InboxLetters)
	for _, key := range keys[max(0, len(keys)-InboxLetters):] {
		var l Letter
		switch err := i.get(ctx, key, &l); {
		case errors.Is(err, commands.ErrFileNotFound): // the letter was deleted: with its inbox, or for newer ones
		case err != nil:
			return Inbox{}, nil, err
		default:
			letters = append(letters, l)
		}
	}
	slices.Reverse(letters)
	one.Letters = len(letters)
	return one, letters, nil
}

// Delete removes an inbox and its letters. For an inbox that does not exist the error is a *domain.Error of kind NotFound.
func (i Inboxes) Delete(ctx context.Context, account domain.AccountID, id connection.InboxID) error {
	if _, err := i.find(ctx, account, id); err != nil {
		return err
	}
	keys, err := i.letters(ctx, account, id)
	if err != nil {
		return err
	}
	// The inbox's own file is deleted first, so that the inbox receives no more letters.
	for _, key := range append([]string{blobkey.Inbox(account, id)}, keys...) {
		if err := i.files.Delete(ctx, key); err != nil {
			return fmt.Errorf("delete inbox %s: %w", id, err)
		}
	}
	return nil
}

// Receive stores a letter in an inbox of the sending account. It returns false when the account has no such inbox.
func (i Inboxes) Receive(
	ctx context.Context, account domain.AccountID, id connection.InboxID, headers map[string]string, body []byte,
) (bool, error) {
	_, err := i.find(ctx, account, id)
	var gone *domain.Error
	switch {
	case errors.As(err, &gone):
		return false, nil
	case err != nil:
		return false, err
	}
	now := i.now()
	random, err := connection.NewInboxID(rand.Reader)
	if err != nil {
		return false, err
	}
	l := Letter{At: now, Headers: headers, Body: body[:min(len(body), maxSentKept)], Size: len(body)}
	if err := i.put(ctx, blobkey.InboxLetter(account, id, now, string(random)), l); err != nil {
		return false, err
	}
	// The letter is stored. A failure to remove older ones must not make the sender send it again: what is too much is not shown,
	// and is removed with the next letter.
	_ = i.trim(ctx, account, id)
	return true, nil
}

// trim deletes all but the newest InboxLetters letters of an inbox. Processes that receive at the same time may delete the same
// letters.
func (i Inboxes) trim(ctx context.Context, account domain.AccountID, id connection.InboxID) error {
	keys, err := i.letters(ctx, account, id)
	if err != nil {
		return err
	}
	for _, key := range keys[:max(0, len(keys)-InboxLetters)] {
		if err := i.files.Delete(ctx, key); err != nil {
			return fmt.Errorf("make room in inbox %s: %w", id, err)
		}
	}
	return nil
}

// find returns an inbox of an account. An inbox that was encrypted under a secret that is no longer configured counts as deleted.
func (i Inboxes) find(ctx context.Context, account domain.AccountID, id connection.InboxID) (Inbox, error) {
	if _, ok := connection.ParseInboxID(string(id)); !ok {
		return Inbox{}, errNoInbox(id)
	}
	found := Inbox{ID: id}
	err := i.get(ctx, blobkey.Inbox(account, id), &found)
	switch {
	case errors.Is(err, commands.ErrFileNotFound), errors.Is(err, commands.ErrKeyRetired):
		return Inbox{}, errNoInbox(id)
	case err != nil:
		return Inbox{}, err
	case !i.now().Before(found.EndsAt()): // the inbox has ended, but its files have not been removed yet
		return Inbox{}, errNoInbox(id)
	}
	return found, nil
}

// letters returns the keys of the stored letters of an inbox, the oldest first.
func (i Inboxes) letters(ctx context.Context, account domain.AccountID, id connection.InboxID) ([]string, error) {
	keys, err := i.files.List(ctx, blobkey.InboxOf(account, id))
	if err != nil {
		return nil, fmt.Errorf("list inbox %s: %w", id, err)
	}
	return slices.DeleteFunc(keys, func(key string) bool { return key == blobkey.Inbox(account, id) }), nil
}

func (i Inboxes) put(ctx context.Context, key string, what any) error {
	raw, err := json.Marshal(what)
	if err == nil {
		err = commands.PutSealed(ctx, i.files, i.vault, key, raw)
	}
	if err != nil {
		return fmt.Errorf("write an inbox: %w", err)
	}
	return nil
}

func (i Inboxes) get(ctx context.Context, key string, into any) error {
	raw, err := commands.OpenSealed(ctx, i.files, i.vault, key)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fmt.Errorf("read an inbox: %w", err)
	}
	return nil
}

// idOf returns the id of the inbox to which the file under key belongs.
func idOf(key string) connection.InboxID { return connection.InboxID(path.Base(path.Dir(key))) }
