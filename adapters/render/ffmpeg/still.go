package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"moviola/commands"
)

// Bounds of what one picture may cost.
const (
	stillLimit = time.Minute
	stillBytes = 512 << 20

	maxStillPixels = 50_000_000
)

// ToPNG writes the first picture of the file at path, read by the named demuxer, as a PNG file at to, whose folder must exist. It returns
// commands.ErrNotMedia when the file has no picture that can be read, and ErrStalled when the machine had no time for it.
func (t *Tools) ToPNG(ctx context.Context, path, format, to string) error {
	dir, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return fmt.Errorf("make a folder for a picture: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays is swept
	const name = "picture.png"
	err = t.Run(ctx, Command{
		Inputs: []Input{{Path: path, Format: format}}, Read: []string{path}, Dir: dir,
		Output: []string{"-frames:v", "1", "-c:v", "png", "-map_metadata", "-1", "-f", "image2", "-update", "1", name},
		Limit:  stillLimit, FileBytes: stillBytes,
	})
	var exit *ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %w", commands.ErrNotMedia, err)
	}
	if err != nil {
		return fmt.Errorf("convert a picture: %w", err)
	}
	if err := os.Rename(filepath.Join(dir, name), to); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: it holds no picture", commands.ErrNotMedia)
	} else if err != nil {
		return fmt.Errorf("keep a converted picture: %w", err)
	}
	return nil
}
