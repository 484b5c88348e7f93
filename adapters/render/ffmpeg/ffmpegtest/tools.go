// Package ffmpegtest gives tests the installed ffmpeg as it is, encoding almost without loss, or with a graphics card that it
// simulates: with device nodes, and with a wrapper that runs libx264 when h264_vaapi is requested.
package ffmpegtest

import (
	"context"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/adapters/render/ffmpeg"
	"moviola/internal/jail"
	"moviola/internal/jail/jailtest"
)

// Tools are the installed programs in a jail, the same for all tests of a program: to open them starts ffmpeg. Each is
// started by the program of jailtest.Self.
func Tools(t testing.TB) *ffmpeg.Tools {
	t.Helper()
	tools, err := opened()
	if err != nil {
		t.Fatalf("the tests need ffmpeg: %v", err)
	}
	return tools
}

var opened = sync.OnceValues(func() (*ffmpeg.Tools, error) {
	self, err := jailtest.Self()
	if err != nil {
		return nil, err
	}
	j, err := jail.New(jail.Config{Self: self})
	if err != nil {
		return nil, err
	}
	return ffmpeg.Open(context.Background(), ffmpeg.Config{Jail: j, Log: silent()})
})

func silent() *logrus.Logger {
	log := logrus.New()
	log.SetLevel(logrus.PanicLevel)
	return log
}
