package result

import "path"

// types are the content types of prepared assets and of outputs. They are fixed here, so that they do not depend on the
// configuration of the host.
var types = map[string]string{
	".jpg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".bmp": "image/bmp",
	".tiff": "image/tiff",
	".mp4":  "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm", ".mkv": "video/x-matroska", ".avi": "video/x-msvideo",
	".ts": "video/mp2t", ".wmv": "video/x-ms-wmv", ".ogv": "video/ogg", ".wma": "audio/x-ms-wma", ".mka": "audio/x-matroska",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac", ".aac": "audio/aac", ".m4a": "audio/mp4",
	".m3u8": "application/vnd.apple.mpegurl", ".vtt": "text/vtt; charset=utf-8", ".zip": "application/zip",
}

// ContentType returns the content type of a prepared asset, a movie or an output, by the extension of its name.
func ContentType(name string) string {
	if contentType, ok := types[path.Ext(name)]; ok {
		return contentType
	}
	return "application/octet-stream"
}
