package render_test

import (
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/internal/jail/jailtest"
)

// Where the kernel offers Landlock, no run of ffmpeg or ffprobe of a render reads or writes what is not its own: both are replaced by
// scripts that try before they become what they stand for.
func TestEngine_Render_everyRunIsJailed(t *testing.T) {
	t.Parallel()
	if level, err := landlock.LandlockGetABIVersion(); err != nil || level < 1 {
		t.Skipf("this kernel offers no Landlock (%d, %v): programs run with resource limits only", level, err)
	}
	b := newBench(t)
	b.paint("red.png", 40, 30, color.NRGBA{200, 30, 60, 255})
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1", "-f", "lavfi", "-i", "sine=d=1")
	outside := t.TempDir()
	secret, loot := filepath.Join(outside, "secret"), filepath.Join(outside, "loot")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{}
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		// What is read is brought out by the program's complaints if it cannot be written, and then the render fails.
		script := fmt.Sprintf("#!/bin/sh\necho %s >>%s\ncat %s && exit 1\nexec %s \"$@\"\n", name, loot, secret, real)
		scripts[name] = ffmpegtest.Program(t, script)
	}
	tools, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: scripts["ffmpeg"], FFprobe: scripts["ffprobe"], Jail: jailtest.New(t), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	b.media.tools = tools
	b.Engine = b.engine(tools, 2)
	out := b.mustRender(object{"width": 64, "height": 64, "scenes": []object{
		{"duration": 1, "elements": []object{{"type": "image", "src": "red.png", "zoom": 2}, {"type": "video", "src": "clip.mp4", "width": 32, "height": 32}}},
		{"duration": 1, "transition": object{"style": "circleopen", "duration": 0.5}},
	}})
	if out.Plan.Frames == 0 {
		t.Error("nothing was rendered")
	}
	if raw, err := os.ReadFile(loot); err == nil {
		t.Errorf("these wrote where they must not: %q", raw)
	}
}
