package commands

import (
	"context"
	"errors"

	"moviola/domain"
	"moviola/domain/timeline"
)

// ErrNotMedia is a file that cannot be read as the video or sound it should be.
var ErrNotMedia = errors.New("not a media file of this format")

// Assets brings the sources of movies to the local disk.
type Assets interface {
	// Fetch downloads the file at address (or takes it from the account's cache) and probes it. An error of type *domain.Error
	// says what is wrong with the asset, without naming the element that uses it: "Failed to download '…' (404)". Any
	// other error is this machine's own and may pass. It is safe for concurrent use.
	Fetch(ctx context.Context, account domain.AccountID, address string) (Asset, error)
}

// Asset is a source on the local disk, verified by its content.
type Asset struct {
	Path string // never a name that a client chose
	Hash string // hex SHA-256 of the content
	// Format is of a picture jpeg, png, gif, webp, bmp, tiff or DrawingFormat; of a font or captions FontFormat or
	// CaptionsFormat; otherwise the name of ffmpeg's demuxer.
	Format string
	Facts  timeline.Facts
	// Orientation is the EXIF orientation of a still picture, 1 to 8: how it must be turned to be seen upright.
	Orientation int
	// Media is set for video, audio and pictures that move; nil of still pictures, fonts and captions.
	Media *Media
	// Converted says that the file at Path was made of what was fetched, whose Hash is kept.
	Converted bool `json:",omitempty"`
}

// DrawingFormat is that of an SVG drawing, which has no pixels before a browser draws it. Its Facts say how large it is of its
// own.
const DrawingFormat = "svg"

// The formats of files that are neither seen nor heard.
const (
	FontFormat     = "font"     // TrueType or OpenType, also packed as WOFF
	CaptionsFormat = "captions" // SRT, VTT or ASS
)

// Animated says that the asset is a picture that moves: an animated GIF or WebP.
func (a Asset) Animated() bool {
	return a.Media != nil && a.Media.Video != nil && (a.Format == "gif" || a.Format == "webp")
}

// Media is what probing says of a video or audio file.
type Media struct {
	Format       string       // the demuxer's short name
	Duration     float64      // seconds
	SizeBytes    int64        //
	VideoStreams int          // attached cover pictures are not counted
	AudioStreams int          //
	Video        *VideoStream // the one that is shown, nil without
	Audio        *AudioStream // the one that is heard, nil without
}

// VideoStream describes a video stream as ffprobe names things; what is unknown is empty.
type VideoStream struct {
	Index          int    // of the stream in its file
	Codec          string // h264
	PixelFormat    string // yuv420p
	Width, Height  int    // pixels as coded, before rotation
	Rotation       int    // degrees to turn it clockwise for viewing: 0, 90, 180 or 270
	AspectNum      int64  // of one pixel, width to height; 1
	AspectDen      int64  // 1
	FrameRate      float64
	Frames         int64 // 0 when the container does not say
	Duration       float64
	ColorSpace     string // bt709
	ColorRange     string // tv
	ColorTransfer  string // bt709
	ColorPrimaries string // bt709
	Alpha          bool   // it carries transparency beside its pixel format, as WebM does
}

// AudioStream describes an audio stream.
type AudioStream struct {
	Index      int
	Codec      string // aac
	SampleRate int    // per second
	Channels   int
	Duration   float64
}
