package examine

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"moviola/commands"
	"moviola/domain"
)

// family says which code reads a format.
type family int

const (
	pictures family = iota + 1
	media
	others // fonts and captions, which neither picture nor video decoders read
)

// format is an accepted kind of file.
type format struct {
	family family
	name   string // name of the format, such as jpeg; for video and sound, the name of ffmpeg's demuxer
}

// magic recognises a format by bytes at a fixed offset.
type magic struct {
	at     int
	bytes  string
	format format
}

var magics = []magic{
	{0, "\xff\xd8\xff", format{pictures, "jpeg"}},
	{0, "\x89PNG\r\n\x1a\n", format{pictures, "png"}},
	{0, "GIF87a", format{pictures, "gif"}},
	{0, "GIF89a", format{pictures, "gif"}},
	{8, "WEBP", format{pictures, "webp"}},
	{0, "\x00\x01\x00\x00", format{others, commands.FontFormat}},
	{0, "OTTO", format{others, commands.FontFormat}},
	{0, "true", format{others, commands.FontFormat}},
	{0, "ttcf", format{others, commands.FontFormat}},
	{0, "wOFF", format{others, commands.FontFormat}},
	{0, "wOF2", format{others, commands.FontFormat}},
	{0, "II*\x00", format{pictures, "tiff"}},
	{0, "MM\x00*", format{pictures, "tiff"}},
	{8, "AVI ", format{media, "avi"}},
	{8, "WAVE", format{media, "wav"}},
	{0, "\x1a\x45\xdf\xa3", format{media, "matroska"}},
	{0, "OggS", format{media, "ogg"}},
	{0, "fLaC", format{media, "flac"}},
	{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c", format{media, "asf"}},
	{4, "moov", format{media, "mov"}},
	{4, "mdat", format{media, "mov"}},
	{4, "wide", format{media, "mov"}},
	{4, "free", format{media, "mov"}},
	{4, "skip", format{media, "mov"}},
}

// stills are the brands of pictures in the container of MP4, HEIC and AVIF, which neither Go nor the video decoders read.
var stills = []string{"heic", "heix", "heim", "heis", "mif1", "msf1", "avif", "avis"}

// HeadBytes is the number of bytes at the start of a file by which its format is recognised.
const HeadBytes = 4 << 10

// Sniff recognises the format of a file by its first bytes, head, alone: file names and HTTP headers are ignored. For a
// format that movies cannot use it returns a *domain.Error, which names target and, unless the file is empty, says what to
// use instead.
func Sniff(head []byte, target *url.URL) (format, error) {
	for _, m := range magics {
		if m.begins(head) {
			return m.format, nil
		}
	}
	for _, s := range shapes {
		if s.has(head) {
			return s.format, nil
		}
	}
	if name := soundFrames(head); name != "" {
		return format{media, name}, nil
	}
	return format{}, unsupported(target, describe(head))
}

// begins reports whether a file has the bytes of a format at their place.
func (m magic) begins(head []byte) bool {
	if len(head) < m.at+len(m.bytes) || string(head[m.at:m.at+len(m.bytes)]) != m.bytes {
		return false
	}
	return m.at != 8 || bytes.HasPrefix(head, []byte("RIFF")) || bytes.HasPrefix(head, []byte("RF64"))
}

// shapes are formats that need more than bytes at one offset to be recognised. The first match is used.
var shapes = []struct {
	has    func(head []byte) bool
	format format
}{
	{isStill, format{pictures, heif}},
	{isMP4, format{media, "mov"}},
	{isBitmap, format{pictures, "bmp"}},
	{isTransportStream, format{media, "mpegts"}},
	{isDrawing, format{pictures, commands.DrawingFormat}},
	// captions are tested before MP3, because a UTF-16 text looks like a frame of sound
	{isCaptions, format{others, commands.CaptionsFormat}},
}

func isMP4(head []byte) bool   { return len(head) >= 12 && string(head[4:8]) == "ftyp" }
func isStill(head []byte) bool { return isMP4(head) && slices.Contains(stills, string(head[8:12])) }

func unsupported(target *url.URL, what string) error {
	return domain.Errorf(domain.Invalid, codeUnsupported, "The file at '%s' %s", Shown(target), what)
}

// isBitmap also checks the size of the second header: many texts begin with "BM".
func isBitmap(head []byte) bool {
	return len(head) >= 18 && string(head[:2]) == "BM" && bytes.IndexByte([]byte{12, 40, 52, 56, 64, 108, 124}, head[14]) >= 0 &&
		head[15] == 0 && head[16] == 0 && head[17] == 0
}

// isTransportStream requires three consecutive packets of 188 bytes, or of 192 with a timestamp before each.
func isTransportStream(head []byte) bool {
	const sync = 0x47
	for _, p := range []struct{ at, size int }{{0, 188}, {4, 192}} {
		last := p.at + 2*p.size
		if len(head) > last && head[p.at] == sync && head[p.at+p.size] == sync && head[last] == sync {
			return true
		}
	}
	return false
}

// soundFrames recognises sound without a container: MP3 and AAC, and FLAC after a tag.
func soundFrames(head []byte) string {
	tagged := false
	for len(head) >= 10 && string(head[:3]) == "ID3" {
		tagged = true
		size := 10 + (int(head[6]&0x7f)<<21 | int(head[7]&0x7f)<<14 | int(head[8]&0x7f)<<7 | int(head[9]&0x7f))
		if size >= len(head) {
			return "mp3" // the data after the tag is not in head; ffprobe will check it
		}
		head = head[size:]
	}
	switch {
	case len(head) < 4:
		return ""
	case tagged && string(head[:4]) == "fLaC":
		return "flac"
	case head[0] == 0xff && head[1]&0xf6 == 0xf0:
		return "aac"
	case head[0] == 0xff && head[1]&0xe0 == 0xe0 && head[1]&0x06 != 0 && head[1]&0x18 != 0x08 && head[2]&0xf0 != 0xf0:
		return "mp3"
	}
	return ""
}

// isCaptions recognises caption files by the beginnings that their formats require. In UTF-16 it ignores the zero bytes.
func isCaptions(head []byte) bool {
	narrow := bytes.ReplaceAll(head, []byte{0}, nil)
	for _, mark := range [][]byte{{0xef, 0xbb, 0xbf}, {0xff, 0xfe}, {0xfe, 0xff}} { // UTF-8, and UTF-16 in both byte orders
		narrow = bytes.TrimPrefix(narrow, mark)
	}
	text := strings.TrimLeft(string(narrow), " \t\r\n")
	switch {
	case strings.HasPrefix(text, "WEBVTT"), strings.HasPrefix(text, "[Script Info]"), strings.HasPrefix(text, "Dialogue:"):
		return true
	}
	// SRT: a line with an arrow between two times, usually after a line with a number.
	first, rest, _ := strings.Cut(text, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	arrow := func(line string) bool {
		return strings.Contains(line, "-->") && strings.ContainsAny(line[:1], "0123456789")
	}
	return arrow(first) || strings.Trim(first, "0123456789\r ") == "" && first != "" && arrow(second)
}

// describe says what a refused file is, and, unless the file is empty, what to use instead.
func describe(head []byte) string {
	text := strings.ToLower(strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n"))
	switch {
	case text == "":
		return "is empty"
	case strings.HasPrefix(text, "#extm3u"), strings.HasPrefix(text, "ffconcat"), strings.HasPrefix(text, "[playlist]"),
		strings.Contains(text, "<mpd"), strings.Contains(text, "#ext-x-"):
		return "is a playlist; use the address of the video or audio file itself"
	case strings.HasPrefix(text, "<!doctype html"), strings.HasPrefix(text, "<html"):
		return "is a web page; use the address of the image, video or audio file itself"
	}
	return "is of no known format; use JPEG, PNG, GIF, WebP, AVIF, HEIC, SVG, BMP or TIFF, MP4, MOV, MKV, WebM, AVI, WMV " +
		"or MPEG-TS, " +
		"MP3, WAV, OGG, FLAC, AAC or M4A"
}

// shownLength is the number of characters to which addresses in messages are cut.
const shownLength = 200

// Shown returns the address for messages: without user, query and fragment, which may be secret, and cut to shownLength.
func Shown(u *url.URL) string {
	text := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	if runes := []rune(text); len(runes) > shownLength {
		return string(runes[:shownLength]) + "…"
	}
	return text
}
