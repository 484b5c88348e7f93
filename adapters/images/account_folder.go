package images

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // registers the JPEG decoder with package image
	_ "image/png"  // registers the PNG decoder with package image
	"os"
	"path/filepath"
	"time"

	_ "golang.org/x/image/webp" // registers the WebP decoder with package image

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/quota"
)

// maxPixels is the largest number of pixels of a picture.
const maxPixels = 16 << 20

// accountFolder is the folder of one account: <key>.json names the picture <hash> and says what it is.
type accountFolder struct {
	dir  string
	room *quota.Folder // bounds of the pictures of all accounts
}

func (g *Generator) folderOf(account domain.AccountID) accountFolder {
	return accountFolder{Folder(g.cfg.Dir, account), g.room}
}

// inUse is how long after its last use a picture is not removed, even if space is needed: a render may be about to draw it.
const inUse = 10 * time.Minute

// Folder returns the folder of an account's pictures. dir is the folder of all pictures: Config.Dir.
func Folder(dir string, account domain.AccountID) string {
	return filepath.Join(dir, hashOf([]byte(account))[:32])
}

// Room returns the bounds of the cached pictures of all accounts, with their usage.
func (g *Generator) Room() *quota.Folder { return g.room }

// Forget removes the pictures that are kept for an account. Doing it again changes nothing.
func (g *Generator) Forget(account domain.AccountID) error {
	s := g.folderOf(account)
	defer g.room.Removed(filepath.Base(s.dir))
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("forget generated images: %w", err)
	}
	return nil
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// find returns the picture under a key. It returns false for a picture that is gone or damaged.
func (s accountFolder) find(key string) (commands.Asset, bool) {
	var asset commands.Asset
	about := filepath.Join(s.dir, key+".json")
	note, err := os.ReadFile(about)
	if err != nil || json.Unmarshal(note, &asset) != nil || len(asset.Hash) != 2*sha256.Size {
		return commands.Asset{}, false
	}
	asset.Path = filepath.Join(s.dir, filepath.Base(asset.Hash))
	now := time.Now()
	for _, used := range []string{asset.Path, about} { // marked as used before the picture is read, so that nobody removes it
		if os.Chtimes(used, now, now) != nil {
			return commands.Asset{}, false
		}
	}
	raw, err := os.ReadFile(asset.Path)
	return asset, err == nil && hashOf(raw) == asset.Hash
}

// keep puts a picture in the account's folder: the file first, so that no note is written before the file that it names.
func (s accountFolder) keep(key string, raw []byte) (commands.Asset, error) {
	asset, err := recognise(raw)
	if err != nil {
		return commands.Asset{}, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return commands.Asset{}, fmt.Errorf("make folder of generated images: %w", err)
	}
	asset.Path = filepath.Join(s.dir, asset.Hash)
	note, err := json.Marshal(asset)
	if err != nil {
		return commands.Asset{}, fmt.Errorf("note image %s: %w", asset.Hash, err)
	}
	err = s.replace(asset.Path, raw)
	if err == nil {
		err = s.replace(filepath.Join(s.dir, key+".json"), note)
	}
	if err != nil {
		return commands.Asset{}, fmt.Errorf("keep image %s: %w", asset.Hash, tooMuch(err))
	}
	return asset, nil
}

// expectedPicture is the size of a usual picture, in bytes.
const expectedPicture = 2 << 20

// reserve counts a picture that is going to be made, and its note: a picture that cannot be kept is not paid for. The caller
// calls free before it keeps the picture.
func (s accountFolder) reserve(ctx context.Context) (free func(), err error) {
	var writes []*quota.FileWrite
	free = func() {
		for _, w := range writes {
			w.Drop()
		}
	}
	for _, size := range []int64{expectedPicture, 0} {
		w := s.room.Begin(filepath.Base(s.dir))
		writes = append(writes, w)
		if err := w.Add(ctx, size); err != nil {
			free()
			return nil, fmt.Errorf("make room for an image: %w", tooMuch(err))
		}
	}
	return free, nil
}

// tooMuch returns the client's error when the pictures of an account have reached its bound. Any other error is returned
// unchanged: also that of the bound of all accounts together, which may be temporary.
func tooMuch(err error) error {
	var full *quota.FullError
	if !errors.As(err, &full) || full.All {
		return err
	}
	return domain.Errorf(domain.Invalid, codeStorage, "The image cannot be kept: those that the account has had generated or "+
		"used in the last %.0f minutes come to %s, "+
		"as much as they may. Use fewer at a time.", inUse.Minutes(), full.Bound())
}

// replace writes a file atomically, within the bounds.
func (s accountFolder) replace(path string, content []byte) error {
	return s.room.Store(context.Background(), filepath.Base(s.dir), int64(len(content)), func() error {
		return replace(path, content)
	})
}

// replace writes a file atomically.
func replace(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), quota.Unfinished+"*")
	if err != nil {
		return err
	}
	// removes the temporary file after a failure; after a success it has its final name
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// formats are the kinds of pictures that are accepted. Decoders of other formats may be registered in this program.
var formats = map[string]bool{"png": true, "jpeg": true, "webp": true}

// recognise reads what kind of picture a file is, and checks that the file is complete.
func recognise(raw []byte) (commands.Asset, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(raw))
	switch {
	case len(raw) > maxPicture:
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed,
			"The image provider made an image of more than %d MB", maxPicture>>20)
	case err != nil || !formats[format] || config.Width <= 0 || config.Height <= 0:
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed,
			"The image provider answered with something that is neither PNG, JPEG nor WebP")
	case int64(config.Width)*int64(config.Height) > maxPixels:
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed,
			"The image provider made an image of %d × %d pixels: at most %d megapixels can be used", config.Width,
			config.Height, maxPixels>>20)
	}
	if _, _, err := image.Decode(bytes.NewReader(raw)); err != nil {
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed,
			"The image provider made an image that is damaged or not complete")
	}
	return commands.Asset{
		Hash: hashOf(raw), Format: format, Orientation: 1, Facts: timeline.Facts{Width: config.Width, Height: config.Height},
	}, nil
}
