package render

import (
	"io"
	"os"
	"slices"
	"strings"

	"moviola/commands"
)

// fileKind is the extension and MIME type of a format.
type fileKind struct{ extension, contentType string }

// fileKinds are the kinds of those formats that have only one kind.
var fileKinds = map[string]fileKind{
	"jpeg": {".jpg", "image/jpeg"}, "png": {".png", "image/png"}, "gif": {".gif", "image/gif"}, "webp": {".webp", "image/webp"},
	commands.DrawingFormat: {".svg", "image/svg+xml"},
	"bmp":                  {".bmp", "image/bmp"}, "tiff": {".tiff", "image/tiff"}, "avi": {".avi", "video/x-msvideo"},
	"mpegts": {".ts", "video/mp2t"},
	"mp3":    {".mp3", "audio/mpeg"}, "wav": {".wav", "audio/wav"}, "flac": {".flac", "audio/flac"}, "aac": {".aac", "audio/aac"},
}

// kindOf returns the extension and the MIME type of an asset, by its container and content.
func kindOf(a commands.Asset) (extension, contentType string) {
	if k, ok := fileKinds[a.Format]; ok {
		return k.extension, k.contentType
	}
	seen, webm := contentsOf(a)
	film, sound := fileKind{".mp4", "video/mp4"}, fileKind{".m4a", "audio/mp4"}
	switch {
	case a.Format == "ogg":
		film, sound = fileKind{".ogv", "video/ogg"}, fileKind{".ogg", "audio/ogg"}
	case a.Format == "asf":
		film, sound = fileKind{".wmv", "video/x-ms-wmv"}, fileKind{".wma", "audio/x-ms-wma"}
	case a.Format == "matroska" && webm:
		film, sound = fileKind{".webm", "video/webm"}, fileKind{".webm", "audio/webm"}
	case a.Format == "matroska":
		film, sound = fileKind{".mkv", "video/x-matroska"}, fileKind{".mka", "audio/x-matroska"}
	case isQuickTime(a.Path):
		return ".mov", "video/quicktime"
	}
	if seen {
		return film.extension, film.contentType
	}
	return sound.extension, sound.contentType
}

// contentsOf reports whether an asset has pictures, and whether WebM allows all its streams.
func contentsOf(a commands.Asset) (seen, webm bool) {
	if a.Media == nil {
		return false, true
	}
	webm = true
	if v := a.Media.Video; v != nil {
		seen, webm = true, slices.Contains(webmVideo, v.Codec)
	}
	if s := a.Media.Audio; s != nil && s.Codec != "" {
		webm = webm && slices.Contains(webmAudio, s.Codec)
	}
	return seen, webm
}

// isQuickTime reports whether a file of the MP4 family is a QuickTime file: its brand says so, or it has no brand.
func isQuickTime(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // an unreadable file is left to later steps, which report the error
	}
	defer func() { _ = f.Close() }()
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	return string(head[4:8]) != "ftyp" || string(head[8:12]) == "qt  "
}

// The codecs that browsers decode, by container.
var (
	mp4Video  = []string{"h264", "av1", "vp9"}
	mp4Audio  = []string{"aac", "mp3", "opus", "flac"}
	webmVideo = []string{"vp8", "vp9", "av1"}
	webmAudio = []string{"vorbis", "opus"}
	alone     = map[string][]string{ // codecs of files that contain sound and no video, by the format of the file
		"mp3": {"mp3"}, "aac": {"aac"}, "flac": {"flac"}, "ogg": {"vorbis", "opus", "flac"},
		"wav": {"pcm_s16le", "pcm_u8", "pcm_s24le", "pcm_f32le"},
	}
)

// browserPlays reports whether browsers can play a film or sound as it is.
func browserPlays(m commands.Media) bool {
	audio := func(allowed []string) bool { return m.Audio == nil || slices.Contains(allowed, m.Audio.Codec) }
	if m.Video == nil {
		if allowed, ok := alone[m.Format]; ok {
			return audio(allowed)
		}
	}
	switch m.Format {
	case "mov":
		return audio(mp4Audio) && (m.Video == nil || slices.Contains(mp4Video, m.Video.Codec) && plainPixels(m.Video.PixelFormat))
	case "matroska":
		return audio(webmAudio) && (m.Video == nil || slices.Contains(webmVideo, m.Video.Codec))
	}
	return false
}

// plainPixels reports whether every browser decodes the pixel format: 8 bits, with chroma at half size.
func plainPixels(format string) bool { return format == "yuv420p" || format == "yuvj420p" }

// hasAlpha reports whether a pixel format has transparency.
func hasAlpha(format string) bool {
	for _, prefix := range []string{"yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya8", "ya16", "pal8"} {
		if strings.HasPrefix(format, prefix) {
			return true
		}
	}
	return false
}
