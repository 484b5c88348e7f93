package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"moviola/commands"
	"moviola/domain/movie"
	"moviola/internal/quota"
)

// Parts is the cache of rendered parts of an account's movies and of whole movies, by a hash of what they are made from.
// Attempts and processes share it: a part is visible completely or not at all.
type Parts struct {
	dir  string
	room *quota.Folder // bounds of the parts of all accounts; nil: unbounded
}

// Part is the information about a cached part, kept in a JSON file beside it.
type Part struct {
	Sum      string   `json:"sum"`    // hex SHA-256 of the file
	Frames   int64    `json:"frames"` // number of samples of the part's track
	Setup    string   `json:"setup"`  // parts with equal values can be joined without encoding
	Warnings []string `json:"warnings,omitempty"`
	// Until is when the part expires because its sources may have changed; zero: never.
	Until time.Time `json:"until,omitzero"`
	// File holds the facts of a whole movie for webhooks; nil for a part of one.
	File *movie.File `json:"file,omitempty"`
	// Loudness is the loudness of a sound; nil for silence and for pictures.
	Loudness *movie.Loudness `json:"loudness,omitempty"`
}

func (p Parts) path(key, ext string) string { return filepath.Join(p.dir, key[:2], key+ext) }

// Find links the cached part of a key to the given name, so that the attempt has the part even if the cache evicts it. It returns
// false when there is no such part, or when it has expired or is damaged.
func (p Parts) Find(key, ext, to string) (Part, bool, error) {
	var known Part
	raw, err := os.ReadFile(p.path(key, ".json"))
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return Part{}, false, nil
	}
	now := time.Now()
	if !known.Until.IsZero() && !now.Before(known.Until) {
		return Part{}, false, nil
	}
	if err := Link(p.path(key, ext), to); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return Part{}, false, nil
		}
		return Part{}, false, fmt.Errorf("take part %s from the cache: %w", key, err)
	}
	sum, err := commands.HashOfFile(to)
	if err != nil {
		return Part{}, false, fmt.Errorf("check part %s: %w", key, err)
	}
	if sum != known.Sum {
		return Part{}, false, os.Remove(to)
	}
	_ = os.Chtimes(p.path(key, ".json"), now, now) // marks the use; if this fails, the part is only evicted earlier
	return known, true, nil
}

// Keep moves a finished part into the cache and leaves a link at its old name. A part that does not fit into the cache is not
// kept: the next attempt makes it again.
func (p Parts) Keep(key, ext, from string, known Part) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("keep part %s: %w", key, err)
		}
	}()
	if known.Sum, err = commands.HashOfFile(from); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.path(key, ext)), 0o700); err != nil {
		return err
	}
	about, err := json.Marshal(known)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	temp := from + ".new"
	err = p.store(info.Size(), func() error { return replaceByLink(from, temp, p.path(key, ext)) })
	if err == nil {
		err = p.store(int64(len(about)), func() error {
			if err := os.WriteFile(temp, about, 0o600); err != nil {
				return err
			}
			return os.Rename(temp, p.path(key, ".json"))
		})
	}
	var full *quota.FullError
	if errors.As(err, &full) {
		return nil
	}
	return err
}

// store calls place, which puts a file into the cache, within the bounds.
func (p Parts) store(size int64, place func() error) error {
	if p.room == nil {
		return place()
	}
	return p.room.Store(context.Background(), filepath.Base(p.dir), size, place)
}

// replaceByLink gives a file a second name, which may replace another file, by way of a temporary name.
func replaceByLink(from, temp, to string) error {
	if err := Link(from, temp); err != nil {
		return err
	}
	if err := os.Rename(temp, to); err != nil {
		return err
	}
	// Renaming onto a link to the same file does nothing: the old name must be removed.
	return removeIfThere(temp)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Link gives a file a second name, or copies it if links are not possible.
func Link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrExist) {
		return err
	}
	return copyFile(from, to)
}

func copyFile(from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// Key returns the hash of a value's canonical JSON.
func Key(value any) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("write as JSON: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}
