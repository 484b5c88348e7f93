package examine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // registers the GIF decoder with package image
	_ "image/jpeg" // registers the JPEG decoder with package image
	_ "image/png"  // registers the PNG decoder with package image
	"io"
	"math"
	"net/url"
	"os"

	"github.com/sirupsen/logrus"
	_ "golang.org/x/image/bmp"  // registers the BMP decoder with package image
	_ "golang.org/x/image/tiff" // registers the TIFF decoder with package image
	_ "golang.org/x/image/webp" // registers the WebP decoder with package image

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
)

// The largest pictures, video frames and numbers of streams that are accepted. Design §8: images 50 megapixels, video 36
// megapixels a frame. The frames of an animated picture count as those of a video.
const (
	maxImagePixels = 50_000_000
	maxVideoPixels = 36_000_000
	maxStreams     = 100
)

// The codes of the errors for refused files.
const (
	codeUnreadable  = "asset_unreadable"
	codeUnsupported = "asset_not_supported"
	CodeTooLarge    = "asset_too_large"
)

// Prober describes a video or audio file, read by the named demuxer. It returns commands.ErrNotMedia when the file cannot be
// read in that format.
type Prober interface {
	Probe(ctx context.Context, path, format string) (commands.Media, error)
}

// Converter converts pictures that Go cannot decode, or only with too much memory, to ones that it can.
type Converter interface {
	// ToPNG writes the picture in the file at path, read by the named demuxer of ffmpeg or as "heif", to a PNG file. The
	// PNG file has eight bits a channel, or possibly more if format is "heif". It returns commands.ErrNotMedia when the
	// picture cannot be read, and a *domain.Error when a program for it is missing.
	ToPNG(ctx context.Context, path, format, to string) error
}

// Examiner examines files. Prober and Log must be set.
type Examiner struct {
	Prober   Prober
	Pictures Converter // nil: pictures that need a Converter are refused, such as AVIF and HEIC
	Log      logrus.FieldLogger
}

// Examine determines type and properties of a new file, and converts a picture that Go cannot decode, or only with too much
// memory. The converted file is stored next to it. A file that it finds unusable is a *domain.Error, which usually names
// target, the address that the file came from.
func (e *Examiner) Examine(ctx context.Context, path, hash string, target *url.URL) (commands.Asset, error) {
	head, err := readHead(path)
	if err != nil {
		return commands.Asset{}, fmt.Errorf("read asset %s: %w", hash, err)
	}
	f, err := Sniff(head, target)
	if err != nil {
		return commands.Asset{}, err
	}
	asset := commands.Asset{Path: path, Hash: hash, Format: f.name}
	switch f.family {
	case pictures:
		err = e.asPicture(ctx, &asset, target)
	case media:
		err = e.asMedia(ctx, &asset, target)
	case others:
		err = asText(asset, target)
	}
	if err != nil {
		return commands.Asset{}, err
	}
	return asset, nil
}

func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, HeadBytes))
}

// asPicture examines a still or animated picture, and has it converted if Go cannot decode it, or only with too much memory.
func (e *Examiner) asPicture(ctx context.Context, asset *commands.Asset, target *url.URL) error {
	var err error
	switch asset.Format {
	case commands.DrawingFormat:
		return asDrawing(asset, target)
	case "tiff":
		err = e.readableTIFF(ctx, asset, target)
	case heif:
		err = e.readableHEIF(ctx, asset, target)
	}
	if err != nil {
		return err
	}
	deep, err := measure(asset, target)
	if err != nil || !deep {
		return err
	}
	if asset.Format == "png" || asset.Format == "tiff" {
		if err := e.makeShallow(ctx, asset, target); !errors.Is(err, errOtherPicture) {
			return err
		}
	}
	if e.Pictures == nil {
		return unsupported(target, "has 16 bits a channel and too many pixels for them; save it with 8")
	}
	return e.convert(ctx, asset, asset.Format+"_pipe", target)
}

// measure reads size, orientation and animation of a picture, and refuses one that is too large. deep reports whether
// decoding the picture takes too much memory.
func measure(asset *commands.Asset, target *url.URL) (deep bool, err error) {
	f, err := os.Open(asset.Path)
	if err != nil {
		return false, fmt.Errorf("open asset %s: %w", asset.Hash, err)
	}
	defer f.Close()
	config, err := sizeOf(asset, f)
	switch {
	case errors.Is(err, errLongAnimation):
		return false, unsupported(target, fmt.Sprintf("is an animation of more than %d frames or %d minutes; use a video",
			maxPictureFrames, maxPictureSeconds/60))
	case err != nil || config.Width <= 0 || config.Height <= 0:
		return false, unreadable(target, "image")
	}
	if err := boundPixels(config.Width, config.Height, target); err != nil {
		return false, err
	}
	if asset.Animated() && int64(config.Width)*int64(config.Height) > maxVideoPixels {
		return false, domain.Errorf(domain.Invalid, CodeTooLarge,
			"The image at '%s' has %d × %d pixels: at most %d megapixels can be used for an animation", Shown(target),
			config.Width, config.Height, maxVideoPixels/1_000_000)
	}
	if asset.Orientation == 0 {
		asset.Orientation = upright
	}
	if asset.Format == "jpeg" {
		if err := checkScans(f, target); err != nil {
			return false, err
		}
		if asset.Orientation, err = jpegOrientation(f); err != nil {
			return false, fmt.Errorf("read asset %s: %w", asset.Hash, err)
		}
	}
	asset.Facts.Width, asset.Facts.Height = config.Width, config.Height
	if asset.Orientation >= 5 {
		asset.Facts.Width, asset.Facts.Height = config.Height, config.Width
	}
	return isDeep(config), nil
}

// boundPixels refuses a picture that is too large.
func boundPixels(w, h int, target *url.URL) error {
	if int64(w)*int64(h) <= maxImagePixels {
		return nil
	}
	return domain.Errorf(domain.Invalid, CodeTooLarge,
		"The image at '%s' has %d × %d pixels: at most %d megapixels can be used", Shown(target), w, h, maxImagePixels/1_000_000)
}

// sizeOf reads the size of a picture, and its animation.
func sizeOf(asset *commands.Asset, f *os.File) (image.Config, error) {
	var m moves
	var err error
	config := image.Config{}
	switch asset.Format {
	case "gif":
		m, err = gifMoves(f)
	case "webp":
		m, config.Width, config.Height, err = webpMoves(f)
	}
	if err != nil {
		return image.Config{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return image.Config{}, err
	}
	if m.still() || asset.Format == "gif" {
		if config, _, err = image.DecodeConfig(bufio.NewReader(f)); err != nil {
			return image.Config{}, err
		}
	}
	if !m.still() {
		asset.Media = &commands.Media{Format: asset.Format, Duration: m.seconds, VideoStreams: 1, Video: &commands.VideoStream{
			Codec: asset.Format, PixelFormat: "bgra", Width: config.Width, Height: config.Height, AspectNum: 1, AspectDen: 1,
			FrameRate: float64(m.frames) / m.seconds, Frames: int64(m.frames), Duration: m.seconds,
		}}
		asset.Facts.Duration, asset.Facts.HasVideo = m.seconds, true
	}
	return config, nil
}

// maxTextBytes is the largest size of a font or caption file in bytes.
const maxTextBytes = 64 << 20

// asText checks the size of a font or caption file.
func asText(asset commands.Asset, target *url.URL) error {
	info, err := os.Stat(asset.Path)
	if err != nil {
		return fmt.Errorf("read asset %s: %w", asset.Hash, err)
	}
	if info.Size() > maxTextBytes {
		return domain.Errorf(domain.Invalid, CodeTooLarge, "The file at '%s' is too large: a font can have at most %d MB",
			Shown(target), maxTextBytes>>20)
	}
	return nil
}

func unreadable(target *url.URL, what string) error {
	return domain.Errorf(domain.Invalid, codeUnreadable, "The %s at '%s' cannot be read: it is damaged or not complete", what,
		Shown(target))
}

// asMedia has the prober read a video or sound.
func (e *Examiner) asMedia(ctx context.Context, asset *commands.Asset, target *url.URL) error {
	if err := checkEdits(asset, target); err != nil {
		return err
	}
	m, err := e.Prober.Probe(ctx, asset.Path, asset.Format)
	switch {
	case errors.Is(err, commands.ErrNotMedia):
		e.Log.WithError(err).WithField("asset", asset.Hash).Info("asset cannot be decoded; what needs it fails")
		return unreadable(target, "file")
	case err != nil:
		return fmt.Errorf("probe asset %s: %w", asset.Hash, err)
	case m.Video == nil && m.Audio == nil:
		return unsupported(target, "has neither picture nor sound")
	case m.VideoStreams+m.AudioStreams > maxStreams:
		return unsupported(target, fmt.Sprintf("has more than %d streams", maxStreams))
	}
	if v := m.Video; v != nil {
		if v.Width <= 0 || v.Height <= 0 {
			return unreadable(target, "video")
		}
		if int64(v.Width)*int64(v.Height) > maxVideoPixels {
			return domain.Errorf(domain.Invalid, CodeTooLarge,
				"The video at '%s' has %d × %d pixels: at most 36 megapixels can be used", Shown(target), v.Width, v.Height)
		}
	}
	asset.Media = &m
	asset.Facts = mediaFacts(m)
	return nil
}

// mediaFacts returns what the timeline has to know about a video or sound: whether it has pictures and sound, its duration, and
// the size at which a video is displayed.
func mediaFacts(m commands.Media) timeline.Facts {
	facts := timeline.Facts{HasVideo: m.Video != nil, HasAudio: m.Audio != nil, Duration: m.Duration}
	switch {
	case m.Video != nil:
		facts.Width, facts.Height = seenSize(*m.Video)
		facts.Duration = firstPositive(m.Video.Duration, m.Duration)
	case m.Audio != nil:
		facts.Duration = firstPositive(m.Audio.Duration, m.Duration)
	}
	return facts
}

func firstPositive(values ...float64) float64 {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

// seenSize is the displayed size of a video: in square pixels, upright.
func seenSize(v commands.VideoStream) (w, h int) {
	w, h = v.Width, v.Height
	if v.AspectNum != v.AspectDen {
		w = max(1, int(math.Round(float64(w)*float64(v.AspectNum)/float64(v.AspectDen))))
	}
	if v.Rotation%180 != 0 {
		w, h = h, w
	}
	return w, h
}
