package assets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
)

const (
	// madeTime is the time limit of KeepMade and of TakeMade. When TakeMade reaches it, the content is generated again.
	madeTime = 30 * time.Second
	// madeNote is the largest size in bytes of a stored madeVisit. The words of the longest speech of an element take
	// less.
	madeNote = 4 << 20
)

// madeVisit is the record of generated content in Config.Shared, the store through which hosts share files. The record
// and its file are stored among the account's downloads, and removed by the same rules. The record is removed after the
// time to live. The file is removed after twice that time, or earlier when the files exceed MaxTotal.
type madeVisit struct {
	Note []byte `json:"note"`
	Hash string `json:"hash,omitempty"` // SHA-256 of the file, in hex; empty: there is none
	Size int64  `json:"size,omitempty"` // size of the file in bytes
}

func (s accountFolder) madeKey(key string) string { return blobkey.SourceVisit(s.holder(), key) }

// KeepMade implements speech.MadeStore and images.MadeStore: it stores generated content for the other hosts. It does
// nothing if Config.Shared is nil: then there is one host, or the hosts share the folders of generated content. It also
// does nothing if note is longer than half of madeNote.
func (c *Cache) KeepMade(ctx context.Context, account domain.AccountID, key string, note []byte, path string) error {
	if c.cfg.Shared == nil || len(note) > madeNote/2 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, madeTime)
	defer cancel()
	s, made := c.folderOf(account), madeVisit{Note: note}
	if path != "" {
		hash, err := commands.HashOfFile(path)
		if err != nil {
			return fmt.Errorf("keep %s for other hosts: %w", key, err)
		}
		made.Hash = hash
		if made.Size, err = c.putFile(ctx, s, hash, path); err != nil {
			return fmt.Errorf("keep %s for other hosts: %w", key, err)
		}
	}
	raw, err := json.Marshal(made)
	if err == nil {
		err = c.cfg.Shared.Put(ctx, s.madeKey(key), bytes.NewReader(raw))
	}
	if err != nil {
		return fmt.Errorf("keep %s for other hosts: %w", key, err)
	}
	return nil
}

// TakeMade implements speech.MadeStore and images.MadeStore.
func (c *Cache) TakeMade(ctx context.Context, account domain.AccountID, key, dir string) (note []byte, path string, err error) {
	if c.cfg.Shared == nil {
		return nil, "", commands.ErrFileNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, madeTime)
	defer cancel()
	s := c.folderOf(account)
	raw, err := c.readShared(ctx, s.madeKey(key), madeNote)
	if err != nil {
		return nil, "", fmt.Errorf("take %s of another host: %w", key, err)
	}
	var made madeVisit
	if err := json.Unmarshal(raw, &made); err != nil {
		return nil, "", fmt.Errorf("take %s of another host: %w", key, err)
	}
	if made.Hash == "" {
		return made.Note, "", nil
	}
	if path, err = c.copyMade(ctx, s, made, dir); err != nil {
		return nil, "", fmt.Errorf("take %s of another host: %w", key, err)
	}
	return made.Note, path, nil
}

// copyMade copies the file of generated content into dir. It fails if the file's size or hash differs from the record's.
func (c *Cache) copyMade(ctx context.Context, s accountFolder, made madeVisit, dir string) (path string, err error) {
	f, err := c.cfg.Shared.Open(ctx, blobkey.SourceFile(s.holder(), made.Hash, made.Size))
	if err != nil {
		return "", err
	}
	defer f.Close()
	temp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(temp, sum), io.LimitReader(f, made.Size+1))
	if err = errors.Join(err, temp.Close()); err != nil {
		return "", err
	}
	if size != made.Size || hex.EncodeToString(sum.Sum(nil)) != made.Hash {
		return "", errors.New("its file is not what it was")
	}
	return temp.Name(), nil
}
