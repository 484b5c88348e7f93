package render_test

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/domain"
	"moviola/internal/jail/jailtest"
)

// TestEngine_Render_busyIsNotDamaged: when a window failed, a source whose examination stands still is damaged. One that is still being
// read when the time for it is over is not: this machine is at fault, and the movie is tried again.
func TestEngine_Render_busyIsNotDamaged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1")
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	// Windows fail, and the examination takes its time.
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in\n*-filter_complex_script*) exit 1 ;;\n*' -f null '*) exec sleep 1000 ;;\nesac\nexec %s \"$@\"\n", real)
	tools, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: ffmpegtest.Program(t, script), Jail: jailtest.New(t), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		stall, limit time.Duration
		damaged      bool
	}{
		"it stands still": {300 * time.Millisecond, time.Hour, true},
		"it goes on":      {time.Hour, 300 * time.Millisecond, false},
	} {
		e := b.engine(tools, 2)
		e.SetDecodeTimes(tt.stall, tt.limit)
		_, err := e.Render(t.Context(), b.job(object{"width": 64, "height": 64, "scenes": []object{{"duration": 1, "elements": []object{
			{"type": "video", "src": "clip.mp4"}, {"type": "video", "src": "clip.mp4", "width": 32, "height": 32},
		}}}}))
		if err == nil || errors.As(err, new(*domain.Error)) != tt.damaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEngine_Render_fullDisk: ffmpeg ends with 0 when it could not write the end of a window. The video is not to blame.
func TestEngine_Render_fullDisk(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1")
	e := b.engine(ffmpegtest.Saying(t, "Error writing trailer of window.mp4: No space left on device", 0), 2)
	_, err := e.Render(t.Context(), b.job(object{"width": 64, "height": 64, "scenes": []object{{"duration": 1, "elements": []object{
		{"type": "video", "src": "clip.mp4"},
	}}}}))
	if !errors.Is(err, syscall.ENOSPC) || errors.As(err, new(*domain.Error)) {
		t.Errorf("error is %v", err)
	}
}

// TestEngine_Render_unknownStreams: an encoder whose streams cannot be lengthened encodes every frame, in the movies that are being
// made when that is found out and in those that come later.
func TestEngine_Render_unknownStreams(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	// Streams of x264 with another entropy coder than that of the service.
	script := fmt.Sprintf("#!/bin/bash\nargs=()\nfor arg; do\n[[ $arg != -profile:v ]] || args+=(-coder 0)\nargs+=(\"$arg\")\ndone\nexec %s \"${args[@]}\"\n", real)
	tools, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: ffmpegtest.Program(t, script), Jail: jailtest.New(t), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=0.4:r=25")
	e := b.engine(tools, 2)
	film := func(project string) error {
		job := b.job(object{"width": 64, "height": 64, "fps": 25, "scenes": []object{
			{"duration": 3, "comment": project, "elements": []object{{"type": "video", "src": "clip.mp4", "duration": 0.4}, {"type": "text", "text": project}}},
			{"duration": 3, "elements": []object{{"type": "text", "text": project}}},
		}})
		job.Project = domain.ProjectID(project)
		out, err := e.Render(t.Context(), job)
		if err == nil {
			out.Close()
		}
		return err
	}
	var group errgroup.Group
	for _, project := range []string{"one", "two", "three"} {
		group.Go(func() error { return film(project) })
	}
	if err := group.Wait(); err != nil {
		t.Errorf("at the same time: %v", err)
	}
	if err := film("later"); err != nil {
		t.Errorf("later: %v", err)
	}
}
