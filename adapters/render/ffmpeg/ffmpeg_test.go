package ffmpeg_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/sirupsen/logrus"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/commands"
	"moviola/domain/timeline"
	"moviola/internal/jail/jailtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == parentArg {
		parentMain(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func open(t *testing.T, cfg ffmpeg.Config) *ffmpeg.Tools {
	t.Helper()
	log := logrus.New()
	log.SetLevel(logrus.PanicLevel)
	cfg.Log = log
	if cfg.Jail == nil {
		cfg.Jail = jailtest.New(t)
	}
	tools, err := ffmpeg.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("the tests need ffmpeg: %v", err)
	}
	return tools
}

func generate(t *testing.T, path string, args ...string) {
	t.Helper()
	args = append([]string{"-v", "error", "-nostdin", "-y"}, append(args, path)...)
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("generate %s: %v\n%s", path, err, out)
	}
}

// Reliability §5 M1: the lists are options of each input, and one input without them opens the hole.
func TestCommand_Args_everyInputIsGuarded(t *testing.T) {
	t.Parallel()
	rate := timeline.Rate{Num: 2997, Den: 100}
	inputs := []ffmpeg.Input{
		{Path: "/a/clip", Format: "mov", Seek: 1.5, Length: 2},
		{Path: "/a/alpha", Format: "matroska", Decoder: "libvpx-vp9"},
		{Path: "/a/base", Format: "rawvideo", Raw: &ffmpeg.Raw{PixelFormat: "yuv420p", Width: 4, Height: 2, Rate: rate}},
		{Path: "-y", Format: "wav"},
	}
	for n := range inputs {
		args := ffmpeg.Command{Inputs: inputs[:n+1], Output: []string{"out.mp4"}}.Args()
		start := 0
		for i := range n + 1 {
			end := start + slices.Index(args[start:], "-i")
			own := args[start:end]
			want := inputs[i].Format
			for option, value := range map[string]string{
				"-protocol_whitelist": "file", "-format_whitelist": want, "-f": want, "-max_pixels": "36000000",
			} {
				if at := slices.Index(own, option); at < 0 || own[at+1] != value {
					t.Errorf("input %d of %d lacks %s %s: %q", i, n+1, option, value, own)
				}
			}
			at := slices.Index(own, "-codec_whitelist")
			if at < 0 || strings.Contains(own[at+1], "librsvg") || !strings.HasPrefix(own[at+1], "h264,") {
				t.Errorf("input %d of %d has no list of decoders: %q", i, n+1, own)
			}
			if got := args[end+1]; got != "file:"+inputs[i].Path {
				t.Errorf("input %d is read from %q", i, got)
			}
			start = end + 2
		}
		if slices.Contains(args[start:], "-i") {
			t.Errorf("more inputs than files: %q", args)
		}
	}
}

func TestOpen_saysWhatToInstall(t *testing.T) {
	t.Parallel()
	_, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: "/nowhere/ffmpeg"})
	if err == nil || !strings.Contains(err.Error(), "apt-get install ffmpeg") {
		t.Errorf("error is %v", err)
	}
}

func TestTools_Probe(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	dir := t.TempDir()
	clip := filepath.Join(dir, "clip.mp4")
	generate(t, clip, "-f", "lavfi", "-i", "testsrc2=s=64x48:r=30000/1001:d=2", "-f", "lavfi", "-i", "sine=d=2",
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-c:a", "aac", "-shortest")
	turned := filepath.Join(dir, "turned.mp4")
	generate(t, turned, "-i", clip, "-c", "copy", "-metadata:s:v", "rotate=90")
	got, err := tools.Probe(t.Context(), clip, "mov")
	if err != nil {
		t.Fatal(err)
	}
	if got.SizeBytes == 0 || got.Duration < 1.9 || got.Video == nil || got.Audio == nil {
		t.Fatalf("probe says %+v", got)
	}
	want := commands.VideoStream{
		Codec: "h264", PixelFormat: "yuv420p", Width: 64, Height: 48, AspectNum: 1, AspectDen: 1, FrameRate: 30000.0 / 1001,
		Frames: got.Video.Frames, Duration: got.Video.Duration, ColorSpace: "bt709", ColorRange: "tv",
	}
	if diff := cmp.Diff(want, *got.Video); diff != "" {
		t.Errorf("video (-want +got):\n%s", diff)
	}
	if got.Audio.Channels != 1 || got.Audio.SampleRate != 44100 || got.Audio.Codec != "aac" || got.Audio.Index != 1 {
		t.Errorf("audio is %+v", got.Audio)
	}
	got, err = tools.Probe(t.Context(), turned, "mov")
	if err != nil {
		t.Fatal(err)
	}
	rotation := got.Video.Rotation
	if rotation != 90 && rotation != 270 {
		t.Errorf("rotation is %d", rotation)
	}
	// A video with other side data, which ffprobe lists after the rotation, is turned all the same.
	stereo, both := filepath.Join(dir, "stereo.mkv"), filepath.Join(dir, "both.mp4")
	generate(t, stereo, "-i", clip, "-c", "copy", "-an", "-metadata:s:v", "stereo_mode=left_right")
	generate(t, both, "-i", stereo, "-c", "copy", "-strict", "unofficial", "-metadata:s:v", "rotate=90")
	if got, err = tools.Probe(t.Context(), both, "mov"); err != nil || got.Video.Rotation != rotation {
		t.Errorf("with other side data rotation is %+v, %v", got.Video, err)
	}
}

// TestTools_Run_playsWhatItDescribes: a sound that a movie is told of can be decoded, also in the formats of cinema.
func TestTools_Run_playsWhatItDescribes(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	for encoder, codec := range map[string]string{"dca": "dts", "truehd": "truehd", "eac3": "eac3"} {
		film := filepath.Join(t.TempDir(), "film.mkv")
		generate(t, film, "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.5", "-f", "lavfi", "-i", "sine=d=0.5:r=48000", "-c:v", "libx264",
			"-strict", "-2", "-c:a", encoder, "-ac", "2")
		got, err := tools.Probe(t.Context(), film, "matroska")
		if err != nil || got.Audio == nil || got.Audio.Codec != codec {
			t.Errorf("%s is described as %+v, %v", encoder, got.Audio, err)
		}
		err = tools.Run(t.Context(), ffmpeg.Command{
			Inputs: []ffmpeg.Input{{Path: film, Format: "matroska"}}, Read: []string{film}, Limit: time.Minute,
			Output: []string{"-map", "0:v", "-map", "0:a", "-f", "null", "-"},
		})
		if err != nil {
			t.Errorf("%s is not decoded: %v", encoder, err)
		}
	}
}

// Reliability §5 M1: files that name other files, disguised as videos.
func TestTools_Probe_refusesPlaylists(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.ts")
	generate(t, secret, "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v", "mpeg2video")
	lists := map[string]string{
		"hls":      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://" + secret + "\n#EXT-X-ENDLIST\n",
		"ffconcat": "ffconcat version 1.0\nfile secret.ts\n",
		"svg":      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>`,
	}
	for name, content := range lists {
		path := filepath.Join(dir, name+".mp4")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"mov", "mpegts", "matroska", "mp3"} {
			if got, err := tools.Probe(t.Context(), path, format); err == nil && got.Video != nil {
				t.Errorf("%s as %s shows %+v", name, format, got.Video)
			}
		}
	}
}

// shellInJail are programs of which a shell stands for ffprobe: it runs the script that is to be probed.
func shellInJail(t *testing.T) *ffmpeg.Tools {
	t.Helper()
	const script = "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\nfor file; do :; done\n. \"${file#file:}\"\n"
	return open(t, ffmpeg.Config{FFprobe: ffmpegtest.Program(t, script)})
}

func TestTools_jail(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	outside := filepath.Join(t.TempDir(), "outside")
	ok := `echo '{"format":{},"streams":[]}'`
	tools := shellInJail(t)
	tests := []struct {
		name, script string
		passes       bool
		level        int // of Landlock, without which the kernel cannot refuse it
	}{
		{"says something", ok, true, 0},
		{"reads its libraries", "ls /usr/lib >/dev/null || exit 1; " + ok, true, 0},
		{"reads other files", "cat /etc/passwd >/dev/null || exit 1; " + ok, false, 1},
		{"looks around", "ls / >/dev/null || exit 1; " + ok, false, 1},
		{"writes elsewhere", "echo x >" + outside + " || exit 1; " + ok, false, 1},
		{"connects", "bash -c 'echo >/dev/tcp/127.0.0.1/" + port + "' || exit 1; " + ok, false, 4},
		{"signals its parent", "kill -0 $PPID || exit 1; " + ok, false, 6},
		{"talks without end", "yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false, 0},
		{"has a low priority", "[ \"$(nice)\" -ge 10 ] || exit 1; " + ok, true, 0},
		{"cannot dump its memory", "[ \"$(ulimit -c)\" = 0 ] || exit 1; " + ok, true, 0},
	}
	level, err := landlock.LandlockGetABIVersion()
	if err != nil {
		level = 0
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if level < tt.level {
				t.Skipf("this kernel has Landlock %d; refusing this needs %d", level, tt.level)
			}
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, []byte(tt.script), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := tools.Probe(t.Context(), file, "mov")
			if (err == nil) != tt.passes {
				t.Errorf("passes %v, error %v", tt.passes, err)
			}
			if err != nil && !errors.Is(err, commands.ErrNotMedia) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestTools_Run_stopsWhatStalls(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	dir := t.TempDir()
	// Reading a pipe that nobody writes stalls for ever.
	fifo := filepath.Join(dir, "fifo")
	if out, err := exec.CommandContext(t.Context(), "mkfifo", fifo).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v %s", err, out)
	}
	err := tools.Run(t.Context(), ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: fifo, Format: "wav"}}, Dir: t.TempDir(), Read: []string{dir},
		Output: []string{"-f", "null", "-"}, Stall: 300 * time.Millisecond,
	})
	if !errors.Is(err, ffmpeg.ErrStalled) {
		t.Errorf("error is %v", err)
	}
}

// A machine that has no time for a probe is not the file's fault.
func TestTools_Probe_stalls(t *testing.T) {
	t.Parallel()
	tools := open(t, ffmpeg.Config{ProbeLimit: time.Second})
	fifo := filepath.Join(t.TempDir(), "fifo")
	if out, err := exec.CommandContext(t.Context(), "mkfifo", fifo).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v %s", err, out)
	}
	_, err := tools.Probe(t.Context(), fifo, "mov")
	if !errors.Is(err, ffmpeg.ErrStalled) || errors.Is(err, commands.ErrNotMedia) {
		t.Errorf("error is %v", err)
	}
}

func TestTools_Run_reportsTheEndOfWhatFFmpegSaid(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "noise")
	if err := os.WriteFile(path, []byte(strings.Repeat("noise", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	err := tools.Run(t.Context(), ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: path, Format: "mov"}}, Dir: t.TempDir(), Read: []string{dir}, Output: []string{"-f", "null", "-"},
	})
	var exit *ffmpeg.ExitError
	if !errors.As(err, &exit) || exit.Code != 1 || !strings.Contains(exit.Tail, "Invalid data") || len(exit.Tail) > 4096 {
		t.Errorf("error is %v", err)
	}
}

// A full disk is this machine's fault, whatever the exit code: ffmpeg ends with 0 when it could not write the end of a file, and
// heif-convert always does.
func TestTools_Run_fullDisk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said string // what a script in the place of ffmpeg says
		code int
	}{
		"frame":   {"av_interleaved_write_frame(): No space left on device", 1},
		"trailer": {"Error writing trailer of window.mp4: No space left on device", 0},
		"quota":   {"Error writing trailer of window.mp4: Disk quota exceeded", 0},
		"picture": {"libpng error: Write Error", 0},
	} {
		err := ffmpegtest.Saying(t, tt.said, tt.code).Run(t.Context(), ffmpeg.Command{
			Inputs: []ffmpeg.Input{{Path: "clip.mp4", Format: "mov"}}, Dir: t.TempDir(), Output: []string{"-f", "mp4", "window.mp4"},
		})
		if !errors.Is(err, syscall.ENOSPC) || errors.As(err, new(*ffmpeg.ExitError)) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestTools_Run_endsWithItsContext(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := tools.Run(ctx, ffmpeg.Command{Dir: t.TempDir(), Output: []string{"-f", "null", "-"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// A run that is over before its program has started says why, like one that is stopped later.
func TestTools_Run_saysWhyItWasNotStarted(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("a frame that cannot be drawn")
	cancel(why)
	err := tools.Run(ctx, ffmpeg.Command{Dir: t.TempDir(), Output: []string{"-f", "null", "-"}})
	if !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
}

// Open names what a build of ffmpeg lacks: here each in turn, for a script in front of the real one.
func TestOpen_lacks(t *testing.T) {
	t.Parallel()
	installed, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	for _, lacking := range []string{"libx264", "zscale", "alimiter", "ebur128"} {
		script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n*-version*) exec %[1]s -version;;\n*-encoders*|*-filters*) %[1]s \"$@\" | grep -v ' %[2]s ';;\n"+
			"*%[2]s*) exit 1;;\n*) exec %[1]s \"$@\";;\nesac\n", installed, lacking)
		_, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: ffmpegtest.Program(t, script)})
		if err == nil || !strings.Contains(err.Error(), "was built without "+lacking+"; install a full build") {
			t.Errorf("without %s: %v", lacking, err)
		}
	}
}
