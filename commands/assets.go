package commands

import (
	"errors"

	"moviola/domain/timeline"
)

// ErrNotMedia says that a file cannot be read as video or sound of the format that was recognised.
var ErrNotMedia = errors.New("not a media file of this format")

// Asset is a source on the local disk whose format was determined from its content.
type Asset struct {
	Path string // never contains a name that a client chose
	Hash string // hex SHA-256 of the content
	// Format is jpeg, png, gif, webp, bmp, tiff or DrawingFormat for a picture; FontFormat or CaptionsFormat for a font or
	// captions; otherwise the name of ffmpeg's demuxer.
	Format string
	Facts  timeline.Facts
	// Orientation is the EXIF orientation of a picture, 1 to 8; 0 for everything else.
	Orientation int
	// Media is set for video, audio and animated pictures; nil for still pictures, fonts and captions.
	Media *Media
	// Converted says that the file at Path was converted from the fetched file. Hash is then the hash of the fetched file.
	Converted bool `json:",omitempty"`
}

// DrawingFormat is the format of an SVG drawing, which has no pixels until a browser draws it. The Facts of the asset have the
// intrinsic size of the drawing.
const DrawingFormat = "svg"

// The formats of files that are neither pictures nor sound.
const (
	FontFormat     = "font"     // TrueType or OpenType, also packed as WOFF
	CaptionsFormat = "captions" // SRT, VTT or ASS
)

// Animated reports whether the asset is an animated GIF or WebP.
func (a Asset) Animated() bool {
	return a.Media != nil && a.Media.Video != nil && (a.Format == "gif" || a.Format == "webp")
}

// Media describes a video, an audio file or an animated picture.
type Media struct {
	Format       string       // short name of ffmpeg's demuxer; gif or webp for an animated picture
	Duration     float64      // length in seconds
	SizeBytes    int64        //
	VideoStreams int          // number of video streams, without attached cover pictures
	AudioStreams int          //
	Video        *VideoStream // the stream that is shown; nil: none
	Audio        *AudioStream // the stream that is heard; nil: none
}

// VideoStream describes a video stream in the words of ffprobe; an unknown field is empty.
type VideoStream struct {
	Index          int    // index of the stream in its file
	Codec          string // name of the codec, such as h264
	PixelFormat    string // name of the pixel format, such as yuv420p
	Width, Height  int    // pixels as coded, before rotation
	Rotation       int    // degrees to turn it clockwise for viewing: 0, 90, 180 or 270
	AspectNum      int64  // pixel aspect ratio, width to height: AspectNum to AspectDen; 1 to 1 for square pixels
	AspectDen      int64  // second number of the pixel aspect ratio AspectNum to AspectDen
	FrameRate      float64
	Frames         int64 // number of frames; 0 when the container does not tell
	Duration       float64
	ColorSpace     string // name of the colour space, such as bt709
	ColorRange     string // name of the colour range, such as tv
	ColorTransfer  string // name of the transfer function, such as bt709
	ColorPrimaries string // name of the colour primaries, such as bt709
	Alpha          bool   // transparency is stored outside of the pixel format, as in WebM
}

// AudioStream describes an audio stream.
type AudioStream struct {
	Index      int
	Codec      string // name of the codec, such as aac
	SampleRate int    // samples per second
	Channels   int
	Duration   float64
}
