package speech

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
	"moviola/internal/quota"
)

// accountFolder is the cache folder of one account. A file <key>.json either describes a speech, and names the sound file,
// which is <hash>.wav or <hash>.mp3; or it is a transcript, a list of words.
type accountFolder struct {
	dir  string
	room *quota.Folder // limits of the size of the cached files, of each account and of all together
}

func (e *Engine) folderOf(account domain.AccountID) accountFolder {
	return accountFolder{Folder(e.cfg.Dir, account), e.room}
}

// inUse is how long after its last use a file is not removed, even if space is needed: a render may be about to use it.
const inUse = 10 * time.Minute

// Folder is the folder of an account's files, below the folder of Config.Dir.
func Folder(dir string, account domain.AccountID) string {
	return filepath.Join(dir, hashText(string(account))[:32])
}

// Room is the folder of cached speech, with its usage and limits.
func (e *Engine) Room() *quota.Folder { return e.room }

// tooMuch replaces the error that the cached speech of one account has reached its limit by an error for the client: the
// account uses too much speech at a time. It returns all other errors unchanged. One of them is the error that the limit
// of all accounts together is reached, which may be temporary.
func tooMuch(err error) error {
	var full *quota.FullError
	if !errors.As(err, &full) || full.All {
		return err
	}
	return domain.Errorf(domain.Invalid, codeStorage, "The speech cannot be kept: the voices and transcripts that the "+
		"account has used in the last %.0f minutes come to %s, "+
		"as much as they may. Use fewer or shorter ones at a time.", inUse.Minutes(), full.Bound())
}

// Forget removes all files of an account. Repeating it does nothing.
func (e *Engine) Forget(account domain.AccountID) error {
	s := e.folderOf(account)
	defer e.room.Removed(filepath.Base(s.dir))
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("forget speech: %w", err)
	}
	return nil
}

// note is the content of the file <key>.json, which describes a cached speech.
type note struct {
	File     string         `json:"file"`
	Hash     string         `json:"hash"`
	Duration time.Duration  `json:"duration_ns"`
	Words    []caption.Word `json:"words"`
	Warnings []string       `json:"warnings,omitempty"`
}

// find returns the cached speech of a key. false: there is none, or its file is gone or damaged.
func (s accountFolder) find(key string) (commands.Speech, bool) {
	var n note
	raw, err := os.ReadFile(s.notePath(key))
	if err != nil || json.Unmarshal(raw, &n) != nil || filepath.Base(n.File) != n.File {
		return commands.Speech{}, false
	}
	path := filepath.Join(s.dir, n.File)
	now := time.Now()
	for _, used := range []string{path, s.notePath(key)} { // marked as used before it is read, so that no process removes it
		if os.Chtimes(used, now, now) != nil {
			return commands.Speech{}, false
		}
	}
	if hash, err := commands.HashOfFile(path); err != nil || hash != n.Hash {
		return commands.Speech{}, false
	}
	return n.speech(path), true
}

func (n note) speech(path string) commands.Speech {
	return commands.Speech{Path: path, Hash: n.Hash, Duration: n.Duration, Words: n.Words, Warnings: n.Warnings}
}

func (s accountFolder) notePath(key string) string { return filepath.Join(s.dir, key+".json") }

// keep stores a speech: the sound file first, so that no note is written before the file that it names.
func (s accountFolder) keep(key string, made spoken) (commands.Speech, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return commands.Speech{}, fmt.Errorf("make speech folder: %w", err)
	}
	n := note{Duration: made.length(), Words: made.words, Warnings: made.warnings}
	sum := sha256.New()
	err := s.place(func(f io.Writer) error { return made.write(io.MultiWriter(f, sum)) }, func() string {
		n.Hash = hex.EncodeToString(sum.Sum(nil))
		n.File = n.Hash + made.extension()
		return n.File
	})
	if err != nil {
		return commands.Speech{}, fmt.Errorf("keep speech %s: %w", key, err)
	}
	raw, err := json.Marshal(n)
	if err != nil {
		return commands.Speech{}, fmt.Errorf("note speech %s: %w", key, err)
	}
	if err := s.placeNote(key, raw); err != nil {
		return commands.Speech{}, fmt.Errorf("note speech %s: %w", key, err)
	}
	return n.speech(filepath.Join(s.dir, n.File)), nil
}

// heard returns the cached words of a transcribed sound.
func (s accountFolder) heard(key string) ([]caption.Word, bool) {
	var words []caption.Word
	raw, err := os.ReadFile(s.notePath(key))
	if err != nil || json.Unmarshal(raw, &words) != nil {
		return nil, false
	}
	now := time.Now()
	return words, os.Chtimes(s.notePath(key), now, now) == nil
}

// keepHeard stores the words of a sound, so that another attempt at a movie need not have the sound transcribed again.
func (s accountFolder) keepHeard(key string, words []caption.Word) error {
	raw, err := json.Marshal(words)
	if err != nil {
		return fmt.Errorf("keep words %s: %w", key, err)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("make speech folder: %w", err)
	}
	if err := s.placeNote(key, raw); err != nil {
		return fmt.Errorf("keep words %s: %w", key, err)
	}
	return nil
}

// place writes a file atomically, within the limits of the cache. It writes under a temporary name, and then gives the file the
// name that the function name returns.
func (s accountFolder) place(write func(io.Writer) error, name func() string) error {
	counted := s.room.Begin(filepath.Base(s.dir))
	defer counted.Drop()
	temp, err := os.CreateTemp(s.dir, quota.Unfinished+"*")
	if err != nil {
		return err
	}
	err = tooMuch(write(counted.Writer(context.Background(), temp)))
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), filepath.Join(s.dir, name()))
	}
	if err != nil {
		if gone := os.Remove(temp.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return err
	}
	counted.Keep()
	return nil
}

// move moves a finished file into the account's folder, within the limits of the cache.
func (s accountFolder) move(path, name string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return tooMuch(s.room.Store(context.Background(), filepath.Base(s.dir), info.Size(), func() error {
		return os.Rename(path, filepath.Join(s.dir, name))
	}))
}

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
