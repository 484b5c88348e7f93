package images

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // read by Decode
	_ "image/png"  // read by Decode
	"os"
	"path/filepath"
	"time"

	_ "golang.org/x/image/webp" // read by Decode

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
)

// maxPixels bounds a picture: more than any model makes, little enough to be drawn.
const maxPixels = 16 << 20

// shelf is the folder of one account: <key>.json names the picture <hash> and says what it is.
type shelf struct{ dir string }

func shelfOf(dir string, account domain.AccountID) shelf {
	return shelf{filepath.Join(dir, hashOf([]byte(account))[:32])}
}

// Folder is where the files of an account are, below the folder that its Config names.
func Folder(dir string, account domain.AccountID) string { return shelfOf(dir, account).dir }

// Forget removes the pictures that are kept for an account. Doing it again changes nothing.
func (g *Generator) Forget(account domain.AccountID) error {
	if err := os.RemoveAll(shelfOf(g.cfg.Dir, account).dir); err != nil {
		return fmt.Errorf("forget generated images: %w", err)
	}
	return nil
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// find returns the picture under a key. One that is gone or damaged counts as not there.
func (s shelf) find(key string) (commands.Asset, bool) {
	var asset commands.Asset
	about := filepath.Join(s.dir, key+".json")
	note, err := os.ReadFile(about)
	if err != nil || json.Unmarshal(note, &asset) != nil || len(asset.Hash) != 2*sha256.Size {
		return commands.Asset{}, false
	}
	asset.Path = filepath.Join(s.dir, filepath.Base(asset.Hash))
	now := time.Now()
	for _, used := range []string{asset.Path, about} { // before it is read, so that it is not tidied away in between
		if os.Chtimes(used, now, now) != nil {
			return commands.Asset{}, false
		}
	}
	raw, err := os.ReadFile(asset.Path)
	return asset, err == nil && hashOf(raw) == asset.Hash
}

// keep puts a picture on the shelf: the file first, so that a note always names one.
func (s shelf) keep(key string, raw []byte) (commands.Asset, error) {
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
	if err := errors.Join(replace(asset.Path, raw), replace(filepath.Join(s.dir, key+".json"), note)); err != nil {
		return commands.Asset{}, fmt.Errorf("keep image %s: %w", asset.Hash, err)
	}
	return asset, nil
}

// replace makes a file in one step.
func replace(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone, unless something failed
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// formats are the kinds of pictures that are taken. Others may be registered in this program.
var formats = map[string]bool{"png": true, "jpeg": true, "webp": true}

// recognise reads what kind of picture a file is, and that it is whole.
func recognise(raw []byte) (commands.Asset, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(raw))
	switch {
	case len(raw) > maxPicture:
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed, "The image provider made an image of more than %d MB", maxPicture>>20)
	case err != nil || !formats[format] || config.Width <= 0 || config.Height <= 0:
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed, "The image provider answered with something that is neither PNG, JPEG nor WebP")
	case int64(config.Width)*int64(config.Height) > maxPixels:
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed,
			"The image provider made an image of %d × %d pixels: at most %d megapixels can be used", config.Width, config.Height, maxPixels>>20)
	}
	if _, _, err := image.Decode(bytes.NewReader(raw)); err != nil {
		return commands.Asset{}, domain.Errorf(domain.Invalid, codeFailed, "The image provider made an image that is damaged or not complete")
	}
	return commands.Asset{
		Hash: hashOf(raw), Format: format, Orientation: 1, Facts: timeline.Facts{Width: config.Width, Height: config.Height},
	}, nil
}
