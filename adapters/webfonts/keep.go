package webfonts

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
	"path/filepath"
	"slices"
	"time"

	"moviola/commands"
	"moviola/domain/blobkey"
)

const (
	defaultMaxBytes = 4 << 30
	maxFamilyBytes  = 1 << 20        // largest size in bytes of the stored record of a font family
	usedEvery       = 24 * time.Hour // the use of a font family is recorded at most once in this time
	// sparedFor is the age at which a font file is removed that no stored record of a family names. A record is stored
	// after its files, so a younger file may be waiting for its record.
	sparedFor = time.Hour
)

// family is the stored record of a font family.
type family struct {
	Name    string    `json:"name"` // name as it was first requested
	At      time.Time `json:"at"`   // time of the last request to the font service
	Used    time.Time `json:"used"` // time of the last use by a movie, to the day
	Unknown bool      `json:"unknown,omitempty"`
	Asked   []style   `json:"asked"`
	// Failed are styles of the list Asked. At the last request for each of them, one of its fonts could not be
	// downloaded.
	Failed []style `json:"failed,omitempty"`
	Faces  []face  `json:"faces"`
}

// face is a font file of a family.
type face struct {
	Hash   string `json:"hash"`
	Size   int64  `json:"size"`
	Weight int    `json:"weight"`
	To     int    `json:"to"`
	Italic bool   `json:"italic,omitempty"`
	Range  string `json:"range,omitempty"`
}

// key returns the font's key in the file storage.
func (f face) key() string { return blobkey.FontFile(f.Hash, f.Size) }

func familyKey(name string) string {
	sum := sha256.Sum256([]byte(normal(name)))
	return blobkey.FontFamily(hex.EncodeToString(sum[:]))
}

func (s *Service) path(f face) string { return filepath.Join(s.cfg.Dir, f.Hash) }

func (s *Service) facesOf(f family) []commands.FontFace {
	faces := make([]commands.FontFace, len(f.Faces))
	for i, one := range f.Faces {
		faces[i] = commands.FontFace{
			Family: f.Name, Path: s.path(one), Hash: one.Hash, Weight: one.Weight, To: one.To, Italic: one.Italic, Range: one.Range,
		}
	}
	return faces
}

// load returns the record of a family; for a family without one, only its name.
func (s *Service) load(ctx context.Context, name string) (family, error) {
	f := family{Name: name}
	raw, err := s.read(ctx, familyKey(name), maxFamilyBytes)
	if errors.Is(err, commands.ErrFileNotFound) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(raw, &f); err != nil || normal(f.Name) != normal(name) {
		s.cfg.Log.WithError(err).Warn("stored record of a font family cannot be read; the font service is asked again")
		return family{Name: name}, nil
	}
	return f, nil
}

// errDamaged says that a stored file is not what this program has written.
var errDamaged = errors.New("the file is damaged")

func (s *Service) read(ctx context.Context, key string, most int64) ([]byte, error) {
	file, err := s.cfg.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(file, most+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	if int64(len(raw)) > most {
		return nil, fmt.Errorf("read %s: %w: it is larger than %d bytes", key, errDamaged, most)
	}
	return raw, nil
}

// keep stores the record of a family, as used now. The files of the family must be stored already.
func (s *Service) keep(ctx context.Context, f family) error {
	f.Used = s.cfg.Now()
	raw, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("write what is known of a font family: %w", err)
	}
	if err := s.cfg.Store.Put(ctx, familyKey(f.Name), bytes.NewReader(raw)); err != nil {
		return err
	}
	s.remember(f)
	return nil
}

func (s *Service) remember(f family) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[normal(f.Name)] = f
}

// use copies the files of a family to this host and records that the family was used.
func (s *Service) use(ctx context.Context, f family) error {
	for _, one := range f.Faces {
		if err := s.bring(ctx, one); err != nil {
			return err
		}
	}
	if len(f.Faces) > 0 && s.cfg.Now().Sub(f.Used) > usedEvery {
		return s.keep(ctx, f)
	}
	s.remember(f)
	return nil
}

func (s *Service) bring(ctx context.Context, f face) error {
	now := time.Now()
	if os.Chtimes(s.path(f), now, now) == nil {
		return nil
	}
	data, err := s.read(ctx, f.key(), f.Size)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.Hash {
		return fmt.Errorf("the stored font %s is not what it was", f.Hash)
	}
	return s.writeLocal(f, data)
}

// writeLocal writes a font file on this host atomically.
func (s *Service) writeLocal(f face, data []byte) error {
	if err := os.MkdirAll(s.cfg.Dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of fonts: %w", err)
	}
	temp, err := os.CreateTemp(s.cfg.Dir, ".new-*")
	if err != nil {
		return fmt.Errorf("write a font: %w", err)
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), s.path(f))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write a font: %w", err), os.Remove(temp.Name()))
	}
	return nil
}

// Sweep removes the least recently used families until the fonts fit into MaxBytes, records of unknown families after
// unknownFor, and then files that no family refers to and that are older than sparedFor. It also removes damaged records.
func (s *Service) Sweep(ctx context.Context, now time.Time) error {
	families, err := s.all(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(families, func(a, b family) int { return b.Used.Compare(a.Used) })
	named, room := map[string]bool{}, s.cfg.MaxBytes
	for _, f := range families {
		for _, one := range f.Faces {
			if !named[one.Hash] {
				room -= one.Size
			}
		}
		if room < 0 || f.Unknown && now.Sub(f.At) > unknownFor {
			if err := s.cfg.Store.Delete(ctx, familyKey(f.Name)); err != nil {
				return err
			}
			s.mu.Lock()
			delete(s.known, normal(f.Name))
			s.mu.Unlock()
			continue
		}
		for _, one := range f.Faces {
			named[one.Hash] = true
		}
	}
	return errors.Join(s.sweepStore(ctx, now, named), s.sweepLocal(now, named))
}

func (s *Service) all(ctx context.Context) (families []family, err error) {
	var keys []string
	err = s.cfg.Store.Walk(ctx, blobkey.FontFamilies(), func(key string, _ time.Time) error {
		keys = append(keys, key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		raw, err := s.read(ctx, key, maxFamilyBytes)
		var f family
		if err == nil && json.Unmarshal(raw, &f) != nil {
			err = errDamaged
		}
		switch {
		case errors.Is(err, commands.ErrFileNotFound):
		case err != nil && !errors.Is(err, errDamaged):
			return nil, err
		case err != nil:
			s.cfg.Log.WithError(err).Warn("stored record of a font family is damaged; it is removed")
			if err := s.cfg.Store.Delete(ctx, key); err != nil {
				return nil, err
			}
		default:
			families = append(families, f)
		}
	}
	return families, nil
}

func (s *Service) sweepStore(ctx context.Context, now time.Time, named map[string]bool) error {
	var old []string
	err := s.cfg.Store.Walk(ctx, blobkey.FontFiles(), func(key string, written time.Time) error {
		hash, _, _ := blobkey.Content(key)
		if !named[hash] && now.Sub(written) > sparedFor {
			old = append(old, key)
		}
		return nil
	})
	for _, key := range old {
		err = errors.Join(err, s.cfg.Store.Delete(ctx, key))
	}
	return err
}

func (s *Service) sweepLocal(now time.Time, named map[string]bool) error {
	entries, err := os.ReadDir(s.cfg.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		info, infoErr := e.Info()
		if infoErr == nil && !named[e.Name()] && now.Sub(info.ModTime()) > sparedFor {
			err = errors.Join(err, os.Remove(filepath.Join(s.cfg.Dir, e.Name())))
		}
	}
	return err
}
