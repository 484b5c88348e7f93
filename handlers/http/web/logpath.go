package web

import "strings"

// The bounds of a path in the log.
const (
	// secretLength is the shortest run of letters and digits that is taken for a secret: ids are shorter (16 and 20), the
	// tokens of file addresses and API keys are longer.
	secretLength = 24
	maxLogPath   = 200
)

// LogPath is a request's path as the log may show it. Rendered files are protected by nothing but the unguessable part of
// their address, and people paste keys where they do not belong: long runs of letters and digits are left out.
func LogPath(path string) string {
	var shown strings.Builder
	for len(path) > 0 && shown.Len() < maxLogPath {
		run := 0
		for run < len(path) && isTokenByte(path[run]) {
			run++
		}
		switch {
		case run >= secretLength:
			shown.WriteString("***")
		case run > 0:
			shown.WriteString(path[:run])
		default:
			run = 1
			shown.WriteByte(path[0])
		}
		path = path[run:]
	}
	if path != "" {
		shown.WriteString("***")
	}
	return shown.String()
}

func isTokenByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
