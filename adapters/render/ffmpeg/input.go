package ffmpeg

import (
	"context"
	"io"
	"strconv"
	"strings"

	"moviola/domain/timeline"
)

// MaxPixels is the largest number of pixels of a video frame that is decoded. Design §8: 36 megapixels.
const MaxPixels = 36_000_000

// decoders are the only decoders that ffmpeg may use for videos and sounds. The method guards allows other decoders when a
// file is only probed, or is a single picture.
var decoders = strings.Join([]string{
	"h264", "hevc", "mpeg4", "mpeg2video", "mpeg1video", "msmpeg4v3", "msmpeg4v2", "h263", "flv", "vc1", "wmv3", "wmv2", "wmv1",
	"vp8", "vp9", "libvpx", "libvpx-vp9", "av1", "libdav1d", "libaom-av1", "theora",
	"prores", "dnxhd", "mjpeg", "ffv1", "qtrle", "png", "gif", "rawvideo",
	"aac", "mp3float", "mp3", "mp2float", "mp2", "vorbis", "opus", "libopus", "libvorbis", "flac", "alac", "ac3", "eac3",
	"pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_s32be", "pcm_f32le", "pcm_f32be", "pcm_f64le",
	"dca", "truehd", "wmapro", "wmav2", "wmav1", "pcm_u8", "pcm_s8", "pcm_mulaw", "pcm_alaw", "adpcm_ms", "adpcm_ima_wav",
	"adpcm_ima_qt",
}, ",")

// described are the decoders that ffprobe may use to describe a file: those in decoders, and further ones. Streams for
// the further ones cannot be shown or played: captions and covers. A file that contains them can still be described.
var described = strings.Join([]string{
	decoders, "ssa", "ass", "subrip", "srt", "webvtt", "mov_text", "text", "pgssub", "dvdsub", "dvbsub", "bmp", "tiff", "webp",
}, ",")

// Input is one file that ffmpeg reads.
type Input struct {
	Path string
	// Temporary says that the file was made for one run only. Run does not remove it: the caller does.
	Temporary bool
	// name of the required demuxer: "mov", "matroska", …; "rawvideo" with Raw
	Format string
	Seek   float64 // seconds to skip at the start of the file
	Length float64 // seconds to read; 0: to the end of the file
	// Early includes the frames from the last key frame before Seek, with times before 0. With Early, Length must be 0.
	Early   bool
	Decoder string // decoder of its video, if the default one does not work
	Raw     *Raw   // size, rate and pixel format of the frames, with Format "rawvideo"
	// Steady keeps the filters when the size of the video's frames changes: the first filter that does more than select frames
	// must be a scale. Otherwise ffmpeg would restart the filters, and count their frames from 0 again.
	Steady bool
	// Feed writes the frames of an input without Path, of Format "rawvideo", into a pipe. It is called once for each run,
	// in its own goroutine, and must end soon after ctx has ended. A write fails once ffmpeg reads no more frames. Feed
	// may return this error: it does not make the run fail.
	Feed func(ctx context.Context, to io.Writer) error

	pipe   int  // file descriptor of the pipe from Feed
	probed bool // the input is only described, not decoded
}

// Raw describes frames without a header.
type Raw struct {
	PixelFormat   string
	Width, Height int
	Rate          timeline.Rate
}

// args returns the options of the input and its -i. Every input of a Command is built here, because an input without the
// lists of formats and decoders could open other files (reliability §5 M1).
func (in Input) args() []string {
	args := in.guards()
	if in.Raw != nil {
		args = append(args,
			"-pixel_format", in.Raw.PixelFormat,
			"-video_size", strconv.Itoa(in.Raw.Width)+"x"+strconv.Itoa(in.Raw.Height),
			"-framerate", FormatRate(in.Raw.Rate))
	}
	if in.Decoder != "" {
		args = append(args, "-c:v", in.Decoder)
	}
	if in.Steady {
		args = append(args, "-reinit_filter", "0")
	}
	if in.Early {
		args = append(args, "-noaccurate_seek")
	}
	if in.Seek > 0 {
		args = append(args, "-ss", FormatSeconds(in.Seek))
	}
	if in.Length > 0 {
		args = append(args, "-t", FormatSeconds(in.Length))
	}
	if in.pipe > 0 {
		// Frames are large: a short queue is enough for ffmpeg and the writer to work at the same time.
		return append(args, "-thread_queue_size", "2", "-i", "pipe:"+strconv.Itoa(in.pipe))
	}
	return append(args, "-i", "file:"+in.Path)
}

// guards returns the options that restrict an input to its demuxer and to the allowed decoders.
func (in Input) guards() []string {
	protocol, codecs := "file", decoders
	if in.probed {
		codecs = described
	}
	if in.pipe > 0 {
		protocol = "pipe"
	}
	most := MaxPixels
	switch in.Format {
	case "tiff_pipe", "png_pipe": // formats that ffmpeg reads as a single picture
		codecs, most = strings.TrimSuffix(in.Format, "_pipe"), maxStillPixels
	}
	return []string{
		"-protocol_whitelist", protocol,
		"-format_whitelist", in.Format,
		"-codec_whitelist", codecs,
		"-max_pixels", strconv.Itoa(most),
		"-f", in.Format,
	}
}

// FormatSeconds formats a time for ffmpeg, with microseconds.
func FormatSeconds(s float64) string { return strconv.FormatFloat(s, 'f', 6, 64) }

// FormatRate formats frames per second as an exact fraction.
func FormatRate(r timeline.Rate) string {
	return strconv.FormatInt(r.Num, 10) + "/" + strconv.FormatInt(r.Den, 10)
}
