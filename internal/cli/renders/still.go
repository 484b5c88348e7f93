package renders

import (
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"moviola/adapters/render"
	"moviola/commands/previews"
)

// stillFlag is the flag of `moviola render` that draws one moment as a picture.
const stillFlag = "still"

// Bounds of a still on the command line: as large as the largest movie.
const (
	stillSide    = 3840
	stillQuality = 92
)

// drawStill draws one moment of a document and writes the picture.
func drawStill(
	ctx context.Context, engine *render.Engine, source []byte, moment float64, out string, stdout, stderr io.Writer,
) error {
	extension, err := checkStill(moment, out)
	if err != nil {
		return err
	}
	drawn, err := engine.Stills(ctx, previews.Job{
		Account: "local", Document: source, Moments: []float64{moment}, Fetch: true, MaxSide: stillSide, Now: time.Now(),
	})
	if err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	picture := drawn.Pictures[0]
	if extension == ".png" {
		err = png.Encode(file, picture.Image)
	} else {
		err = jpeg.Encode(file, picture.Image, &jpeg.Options{Quality: stillQuality})
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	for _, warning := range append(drawn.Warnings, drawn.Missing...) {
		_, _ = fmt.Fprintln(stderr, "warning:", warning)
	}
	_, err = fmt.Fprintf(stdout, "%s: %dx%d, frame %d of %d\n", out, picture.Image.Bounds().Dx(), picture.Image.Bounds().Dy(),
		picture.Frame+1, drawn.Frames)
	return err
}

// checkStill returns the file extension of the picture, or an error for an invalid moment or extension.
func checkStill(moment float64, out string) (extension string, err error) {
	extension = strings.ToLower(filepath.Ext(out))
	switch {
	case extension != ".png" && extension != ".jpg" && extension != ".jpeg":
		return "", fmt.Errorf("--output %s: a still is a .png or a .jpg", out)
	case !(moment >= 0):
		return "", errors.New("--still: the moment must not be negative")
	}
	return extension, nil
}
