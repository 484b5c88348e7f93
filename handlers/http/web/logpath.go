package web

import "strings"

// The limits that LogPath applies to the path of a request, before the path is written to a log message.
const (
	// secretLength is the minimum length of a run of letters, digits, _ and - that is treated as a secret: ids are shorter
	// (16 and 20 characters); the tokens of file addresses and API keys are longer.
	secretLength = 24
	maxLogPath   = 200
)

// LogPath returns a request's path for the log. It leaves out the end of a long path, and long runs of letters, digits, _
// and -, because the secret part of a rendered file's address is the file's only protection, and people paste API keys into
// wrong places.
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
