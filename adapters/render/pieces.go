package render

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

// pieces keeps the rendered parts of an account's movies under what went into them. Attempts and processes share it: a part is
// seen whole or not at all.
type pieces struct {
	dir  string
	room *quota.Folder // of all accounts; nil: there are no bounds
}

// piece is what is known of a part beside its file.
type piece struct {
	Sum      string   `json:"sum"`    // hex SHA-256 of the file
	Frames   int64    `json:"frames"` // samples of its track
	Setup    string   `json:"setup"`  // parts with equal ones can be joined by copy
	Warnings []string `json:"warnings,omitempty"`
	// Until is when the part may not be taken any more, because what it was made of may have changed; zero: it never is.
	Until time.Time `json:"until,omitzero"`
	// File is what the webhook says of a whole movie; nil of a part of one.
	File *movie.File `json:"file,omitempty"`
	// Loudness is that of a sound; nil of silence and of pictures.
	Loudness *movie.Loudness `json:"loudness,omitempty"`
}

func (p pieces) path(key, ext string) string { return filepath.Join(p.dir, key[:2], key+ext) }

// find links the part under key to the given name, so that nothing can pull it away. It returns false when there is no such
// part, or a damaged one.
func (p pieces) find(key, ext, to string) (piece, bool, error) {
	var known piece
	raw, err := os.ReadFile(p.path(key, ".json"))
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return piece{}, false, nil
	}
	now := time.Now()
	if !known.Until.IsZero() && !now.Before(known.Until) {
		return piece{}, false, nil
	}
	if err := link(p.path(key, ext), to); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return piece{}, false, nil
		}
		return piece{}, false, fmt.Errorf("take part %s from the cache: %w", key, err)
	}
	sum, err := commands.HashOfFile(to)
	if err != nil {
		return piece{}, false, fmt.Errorf("check part %s: %w", key, err)
	}
	if sum != known.Sum {
		return piece{}, false, os.Remove(to)
	}
	_ = os.Chtimes(p.path(key, ".json"), now, now) // used just now; should that not be noted, it is only evicted earlier
	return known, true, nil
}

// keep moves a finished part into the cache and leaves a link at its old name. One that has no room there is not kept: the next
// attempt makes it again.
func (p pieces) keep(key, ext, from string, known piece) (err error) {
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

// store lets place put a file into the cache, within the bounds.
func (p pieces) store(size int64, place func() error) error {
	if p.room == nil {
		return place()
	}
	return p.room.Store(context.Background(), filepath.Base(p.dir), size, place)
}

// replaceByLink gives a file another name in place of what has it, by way of a temporary one.
func replaceByLink(from, temp, to string) error {
	if err := link(from, temp); err != nil {
		return err
	}
	if err := os.Rename(temp, to); err != nil {
		return err
	}
	// A rename onto another link of the same file does nothing and leaves the old name.
	return removeIfThere(temp)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// link gives a file a second name, or copies it where that cannot be.
func link(from, to string) error {
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

// hashOf names a value by its canonical JSON.
func hashOf(value any) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("write as JSON: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}
