package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"moviola/commands"
	"moviola/domain"
)

// Bounds of the conversion of one picture: time, bytes of the PNG file, and pixels.
const (
	stillLimit = 3 * time.Minute
	stillBytes = 512 << 20

	maxStillPixels = 50_000_000
)

// HEIF is passed to ToPNG in place of a demuxer's name, for HEIC and AVIF pictures, which heif-convert reads.
const HEIF = "heif"

// ToPNG converts a picture file to a PNG file at to, whose folder must exist. Of a file with several pictures it converts
// the first. format names the demuxer that reads the file, or is HEIF. Channels of more than eight bits are reduced to
// eight, but not those of HEIC and AVIF pictures. It returns commands.ErrNotMedia when the program fails, usually because
// the file has no readable picture, a *domain.Error when heif-convert is missing, and ErrStalled when the machine was too
// busy.
func (t *Tools) ToPNG(ctx context.Context, path, format, to string) error {
	dir, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return fmt.Errorf("make a folder for a picture: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what cannot be removed now is removed by a later sweep
	if format == HEIF {
		err = t.convertHEIF(ctx, path, dir)
	} else {
		err = t.Run(ctx, Command{
			Inputs: []Input{{Path: path, Format: format}}, Read: []string{path}, Dir: dir,
			Output: []string{
				"-frames:v", "1", "-c:v", "png", "-compression_level", "1", "-pix_fmt", "rgba", "-map_metadata", "-1", "-f",
				"image2", "-update", "1", stillName + ".png",
			},
			Limit: stillLimit, Stall: stillLimit, FileBytes: stillBytes, // a run for one picture reports no progress until it has ended
		})
	}
	var exit *ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %w", commands.ErrNotMedia, err)
	}
	if err != nil {
		return fmt.Errorf("convert a picture: %w", err)
	}
	made := filepath.Join(dir, stillName+".png")
	if _, err := os.Stat(made); errors.Is(err, os.ErrNotExist) {
		made = filepath.Join(dir, stillName+"-1.png") // heif-convert numbers the pictures of a file with several: this is the first
	}
	if err := os.Rename(made, to); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: it holds no picture", commands.ErrNotMedia)
	} else if err != nil {
		return fmt.Errorf("keep a converted picture: %w", err)
	}
	return nil
}

const (
	stillName   = "picture"
	heifProgram = "heif-convert"
)

// convertHEIF converts a HEIC or AVIF picture into a folder.
func (t *Tools) convertHEIF(ctx context.Context, path, dir string) error {
	program, err := exec.LookPath(heifProgram)
	if err != nil {
		return domain.Errorf(domain.Internal, "heif_missing", "HEIC and AVIF pictures cannot be read on this server: the "+
			"program heif-convert is not "+
			"installed. Install the package libheif-examples, or use a JPEG, PNG or WebP of it")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stillLimit, ErrStalled)
	defer cancel()
	return t.run(ctx, process{program: program, args: []string{path, filepath.Join(dir, stillName+".png")},
		policy: heifPolicy(path, dir)})
}
