package speech

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
)

// MadeStore is a cache, shared by hosts without a shared folder, of what providers have made for an account: voices,
// generated pictures and transcripts. It may lose or refuse entries: what is missing is made again. It is safe for
// concurrent use.
type MadeStore interface {
	// KeepMade stores a provider's result under key, for the account: note, which describes a speech or contains a
	// transcript, and a copy of the file at path. An empty path means that the result has no file. key consists of
	// letters, digits and dashes.
	KeepMade(ctx context.Context, account domain.AccountID, key string, note []byte, path string) error
	// TakeMade returns the note under a key, and the path of a copy of its file. It creates the copy in dir, with a name
	// that begins with ".new-"; the caller renames or removes it. path is empty if only a note was stored. If the key does
	// not exist, err wraps commands.ErrFileNotFound.
	TakeMade(ctx context.Context, account domain.AccountID, key, dir string) (note []byte, path string, err error)
}

// madeKey is the key in the MadeStore for a result with the given key in the cache.
func madeKey(key string) string { return "speech-" + key }

// takeMade copies a speech from Config.Made, usually another host's, into the account's folder. It returns false when there
// is none. It also returns false after an error, which it usually logs; then the endpoint is asked.
func (e *Engine) takeMade(ctx context.Context, s accountFolder, account domain.AccountID, key string) (commands.Speech, bool) {
	raw, path, ok := e.made(ctx, s, account, key)
	if !ok {
		return commands.Speech{}, false
	}
	defer func() { _ = os.Remove(path) }() // removes the copy after a failure; after a success it has its final name
	var n note
	err := json.Unmarshal(raw, &n)
	if err == nil && (path == "" || filepath.Base(n.File) != n.File) {
		err = errors.New("its note names no file")
	}
	if err == nil {
		err = s.move(path, n.File)
	}
	if err == nil {
		err = s.placeNote(key, raw)
	}
	if err != nil {
		e.cfg.Log.WithError(err).Warn("speech made by another host not copied here; its provider is asked again")
		return commands.Speech{}, false
	}
	found, ok := s.find(key)
	found.Cached = true
	return found, ok
}

// takeHeard copies a transcript from Config.Made, usually another host's, into the account's folder. It returns false when
// there is none. It also returns false after an error, which it usually logs; then the endpoint is asked.
func (e *Engine) takeHeard(ctx context.Context, s accountFolder, account domain.AccountID, key string) ([]caption.Word, bool) {
	raw, _, ok := e.made(ctx, s, account, key)
	if !ok {
		return nil, false
	}
	if err := s.placeNote(key, raw); err != nil {
		e.cfg.Log.WithError(err).Warn("transcript made by another host not copied here; its provider is asked again")
		return nil, false
	}
	return s.heard(key)
}

func (e *Engine) made(
	ctx context.Context, s accountFolder, account domain.AccountID, key string,
) (note []byte, path string, ok bool) {
	if e.cfg.Made == nil {
		return nil, "", false
	}
	err := os.MkdirAll(s.dir, 0o700)
	if err == nil {
		note, path, err = e.cfg.Made.TakeMade(ctx, account, madeKey(key), s.dir)
	}
	if err != nil && !errors.Is(err, commands.ErrFileNotFound) {
		e.cfg.Log.WithError(err).Warn("shared speech or transcript of other hosts cannot be looked up; its provider is asked")
	}
	return note, path, err == nil
}

// placeNote writes a note into the account's folder atomically.
func (s accountFolder) placeNote(key string, raw []byte) error {
	write := func(f io.Writer) error { _, err := f.Write(raw); return err }
	return s.place(write, func() string { return filepath.Base(s.notePath(key)) })
}

// keepMade shares a cached result with other hosts. Errors are only logged, because this host has the result.
func (e *Engine) keepMade(ctx context.Context, s accountFolder, account domain.AccountID, key, path string) {
	if e.cfg.Made == nil {
		return
	}
	raw, err := os.ReadFile(s.notePath(key))
	if err == nil {
		err = e.cfg.Made.KeepMade(ctx, account, madeKey(key), raw, path)
	}
	if err != nil {
		e.cfg.Log.WithError(err).Warn("speech or transcript not copied to the shared storage; other hosts make it themselves")
	}
}
