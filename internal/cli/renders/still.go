package renders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"

	"moviola/commands/previews"
	"moviola/internal/cli/progress"
)

// stillFlag is the flag of `moviola render` that draws one moment as a picture.
const stillFlag = "still"

// stillSide is the maximum of the longer side of a still in pixels, that of the largest movie. stillQuality is the quality
// of a JPEG, 1 to 100.
const (
	stillSide    = 3840
	stillQuality = 92
)

// outStandard is the name of standard output.
const outStandard = "-"

// drawStill draws one moment of a document into a picture.
func (m *maker) drawStill(ctx context.Context, source []byte) (report, error) {
	drawn, err := progress.During(ctx, m.stderr, "drawing the still", func() (previews.Drawn, error) {
		return m.engine.Stills(ctx, previews.Job{
			Account: "local", Document: source, Moments: []float64{m.moment}, Fetch: true, MaxSide: stillSide, Now: time.Now(),
		})
	})
	if err != nil {
		return report{}, err
	}
	picture := drawn.Pictures[0]
	encoded, err := encodeStill(picture.Image, strings.ToLower(filepath.Ext(m.out)))
	switch {
	case err != nil:
	case m.out == outStandard:
		_, err = m.stdout.Write(encoded)
	default:
		err = os.WriteFile(m.out, encoded, 0o644)
	}
	if err != nil {
		return report{}, fmt.Errorf("write %s: %w", m.out, err)
	}
	size := picture.Image.Bounds()
	return report{
		Output: m.out, Width: size.Dx(), Height: size.Dy(), Frame: int64(picture.Frame) + 1, Frames: int64(drawn.Frames),
		Warnings: append(append([]string{}, drawn.Warnings...), drawn.Missing...),
	}, nil
}

func encodeStill(picture image.Image, extension string) ([]byte, error) {
	var out bytes.Buffer
	var err error
	if extension == ".jpg" || extension == ".jpeg" {
		err = jpeg.Encode(&out, picture, &jpeg.Options{Quality: stillQuality})
	} else {
		err = png.Encode(&out, picture)
	}
	return out.Bytes(), err
}

// checkOutput refuses a file name whose extension does not match the kind of file that is written.
func (m *maker) checkOutput() error {
	extension := strings.ToLower(filepath.Ext(m.out))
	switch {
	case m.still && !(m.moment >= 0):
		return errors.New("--still: the moment must not be negative")
	case m.out == outStandard:
		return nil
	case m.still && extension != ".png" && extension != ".jpg" && extension != ".jpeg":
		return fmt.Errorf("--output %s: a still is a .png or a .jpg", m.out)
	case !m.still && extension != ".mp4":
		return fmt.Errorf("--output %s: a movie is an .mp4; for a picture of one moment, give --still SECONDS", m.out)
	}
	return nil
}
