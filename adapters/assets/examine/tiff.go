package examine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"golang.org/x/image/tiff"

	"moviola/commands"
	"moviola/domain"
)

// ConvertedExtension is added to the name of a picture's file, and gives the name of the converted picture's file.
const ConvertedExtension = ".png"

// tiffDemuxer is ffmpeg's reader of TIFF files.
const tiffDemuxer = "tiff_pipe"

// oneWhole is held while a picture is decoded as a whole: each takes up to 200 MB, so they are decoded one at a time.
var oneWhole = make(chan struct{}, 1)

// aloneWhole waits until no other picture is being decoded as a whole.
func aloneWhole(ctx context.Context) (release func(), err error) {
	select {
	case oneWhole <- struct{}{}:
		return func() { <-oneWhole }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// readableTIFF makes sure that a TIFF file can be decoded later. If Go cannot decode the file, e.Pictures converts it,
// unless it is too large; if e.Pictures is nil, the file is refused. Among others, Go's decoder supports neither YCbCr nor
// CMYK, as cameras and printers write, nor JPEG compression. A picture whose decoding would take too much memory is left to
// asPicture. readableTIFF also stores the picture's orientation in asset.
func (e *Examiner) readableTIFF(ctx context.Context, asset *commands.Asset, target *url.URL) error {
	var err error
	if asset.Orientation, err = tiffOrientation(asset.Path); err != nil {
		return err
	}
	read, err := readsTIFF(ctx, asset.Path)
	if err != nil || read {
		return err
	}
	if e.Pictures == nil {
		return unreadable(target, "image")
	}
	if err := e.boundTIFF(ctx, asset.Path, target); err != nil {
		return err
	}
	return e.convert(ctx, asset, tiffDemuxer, target)
}

// convert has a picture converted to a PNG file, which is used instead of the picture.
func (e *Examiner) convert(ctx context.Context, asset *commands.Asset, reader string, target *url.URL) error {
	to := strings.TrimSuffix(asset.Path, ConvertedExtension) + ConvertedExtension
	err := e.Pictures.ToPNG(ctx, asset.Path, reader, to)
	var fault *domain.Error
	switch {
	case errors.Is(err, commands.ErrNotMedia):
		e.Log.WithError(err).WithField("asset", asset.Hash).Info("picture cannot be decoded; what needs it fails")
		return unreadable(target, "image")
	case errors.As(err, &fault):
		return fault
	case err != nil:
		return fmt.Errorf("convert asset %s: %w", asset.Hash, err)
	}
	asset.Path, asset.Format, asset.Converted = to, "png", true
	return nil
}

// makeShallow converts a PNG or TIFF file with 16 bits per channel to a PNG file with 8, without the memory for decoding it as a
// whole.
func (e *Examiner) makeShallow(ctx context.Context, asset *commands.Asset, target *url.URL) error {
	to := strings.TrimSuffix(asset.Path, ConvertedExtension) + ConvertedExtension
	make8 := shallowPNG
	if asset.Format == "tiff" {
		make8 = shallowTIFF
	}
	err := make8(ctx, asset.Path, to)
	var fault *os.PathError
	switch {
	case err == nil:
		asset.Path, asset.Format, asset.Converted = to, "png", true
		return nil
	case errors.Is(err, errOtherPicture):
		return err
	case ctx.Err() != nil || errors.As(err, &fault):
		return fmt.Errorf("convert asset %s: %w", asset.Hash, err)
	}
	e.Log.WithError(err).WithField("asset", asset.Hash).Info("picture cannot be decoded; what needs it fails")
	return unreadable(target, "image")
}

// tiffOrientation reads the orientation of a TIFF file, 1 to 8.
func tiffOrientation(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open a TIFF: %w", err)
	}
	defer f.Close()
	return exifOrientation(f), nil
}

// readsTIFF reports whether Go can decode a TIFF file.
func readsTIFF(ctx context.Context, path string) (bool, error) {
	release, err := aloneWhole(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("open a TIFF: %w", err)
	}
	defer f.Close()
	config, err := tiff.DecodeConfig(f)
	if err != nil {
		return false, nil
	}
	if int64(config.Width)*int64(config.Height) > maxImagePixels || isDeep(config) {
		// Decoding would take too much memory. A later step refuses a picture with too many pixels. It converts one with
		// 16 bits per channel, or refuses it.
		return true, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, fmt.Errorf("read a TIFF: %w", err)
	}
	_, err = tiff.Decode(bufio.NewReader(f))
	return err == nil, nil
}

// boundTIFF refuses a picture that is too large, before it is converted.
func (e *Examiner) boundTIFF(ctx context.Context, path string, target *url.URL) error {
	m, err := e.Prober.Probe(ctx, path, tiffDemuxer)
	switch {
	case errors.Is(err, commands.ErrNotMedia):
		return unreadable(target, "image")
	case err != nil:
		return fmt.Errorf("probe a TIFF: %w", err)
	case m.Video == nil || m.Video.Width <= 0 || m.Video.Height <= 0:
		return unreadable(target, "image")
	}
	return boundPixels(m.Video.Width, m.Video.Height, target)
}
