package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/sirupsen/logrus"
)

// LogLevels and LogFormats are the values of --log-level and --log-format.
var (
	LogLevels  = []string{"trace", "debug", "info", "warn", "error"}
	LogFormats = []string{"text", "json"}
)

// NewLog returns the program's logger, which writes to w.
func NewLog(w io.Writer, level, format string) (*logrus.Logger, error) {
	log := logrus.New()
	log.SetOutput(w)
	parsed, err := logrus.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("--log-level: %q is none of %s", level, strings.Join(LogLevels, ", "))
	}
	log.SetLevel(parsed)
	switch format {
	case "json":
		log.SetFormatter(&logrus.JSONFormatter{TimestampFormat: "2006-01-02T15:04:05.000Z07:00"})
	case "text":
		log.SetFormatter(&logrus.TextFormatter{FullTimestamp: true, TimestampFormat: "15:04:05.000"})
	default:
		return nil, fmt.Errorf("--log-format: %q is neither text nor json", format)
	}
	return log, nil
}
