package assets

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"net/url"
	"os"

	"golang.org/x/image/tiff"

	"moviola/commands"
	"moviola/domain"
)

// convertedExtension is that of the picture that was made of a file, beside it.
const convertedExtension = ".png"

// tiffDemuxer is ffmpeg's reader of TIFF files.
const tiffDemuxer = "tiff_pipe"

// oneTIFF lets the pictures of TIFF files be looked through one after the other: each takes up to 400 MB.
var oneTIFF = make(chan struct{}, 1)

// readableTIFF has a TIFF file converted that is not read here: Go's decoder knows neither YCbCr nor CMYK, which cameras and printers write,
// nor JPEG inside.
func (c *Cache) readableTIFF(ctx context.Context, asset *commands.Asset, target *url.URL) error {
	if c.cfg.Pictures == nil {
		return nil
	}
	read, err := readsTIFF(ctx, asset.Path)
	if err != nil || read {
		return err
	}
	if err := c.boundTIFF(ctx, asset.Path, target); err != nil {
		return err
	}
	to := asset.Path + convertedExtension
	err = c.cfg.Pictures.ToPNG(ctx, asset.Path, tiffDemuxer, to)
	switch {
	case errors.Is(err, commands.ErrNotMedia):
		c.cfg.Log.WithError(err).WithField("asset", asset.Hash).Info("TIFF cannot be read")
		return unreadable(target, "image")
	case err != nil:
		return fmt.Errorf("convert asset %s: %w", asset.Hash, err)
	}
	asset.Path, asset.Format, asset.Converted = to, "png", true
	return nil
}

// readsTIFF says whether a TIFF file is read here.
func readsTIFF(ctx context.Context, path string) (bool, error) {
	select {
	case oneTIFF <- struct{}{}:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	defer func() { <-oneTIFF }()
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("open a TIFF: %w", err)
	}
	defer f.Close()
	config, err := tiff.DecodeConfig(f)
	if err != nil {
		return false, nil
	}
	if tooManyPixels(config) {
		return true, nil // and refused for it
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, fmt.Errorf("read a TIFF: %w", err)
	}
	_, err = tiff.Decode(bufio.NewReader(f))
	return err == nil, nil
}

func tooManyPixels(config image.Config) bool {
	return int64(config.Width)*int64(config.Height) > maxImagePixels/depth(config.ColorModel)
}

// boundTIFF refuses a picture that is too large before it is converted.
func (c *Cache) boundTIFF(ctx context.Context, path string, target *url.URL) error {
	m, err := c.cfg.Prober.Probe(ctx, path, tiffDemuxer)
	switch {
	case errors.Is(err, commands.ErrNotMedia):
		return unreadable(target, "image")
	case err != nil:
		return fmt.Errorf("probe a TIFF: %w", err)
	case m.Video == nil || m.Video.Width <= 0 || m.Video.Height <= 0:
		return unreadable(target, "image")
	case int64(m.Video.Width)*int64(m.Video.Height) > maxImagePixels:
		return domain.Errorf(domain.Invalid, codeTooLarge,
			"The image at '%s' has %d × %d pixels: at most %d megapixels can be used", shown(target), m.Video.Width, m.Video.Height, maxImagePixels/1_000_000)
	}
	return nil
}
