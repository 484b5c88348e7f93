//go:build !race

package render_test

import (
	"bytes"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"moviola/commands"
)

// container is a movie whose file others read.
type container struct {
	out    commands.Rendered
	sound  bool // something is heard
	frames int
	fps    float64
}

// containers are movies of every way to join windows: fades and rests, single frames, moving clips and transitions, captions.
func containers(t *testing.T) map[string]container {
	t.Helper()
	b := newBench(t)
	resting, briefly := restingMovie(b), func() object { doc, _ := briefMovie(b); return doc }()
	b.generate("clip30.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=12", "-f", "lavfi", "-i", "sine=f=300:d=12", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac")
	clips := object{"width": 320, "height": 180, "fps": 30, "scenes": []object{
		{"duration": 3, "elements": []object{{"type": "video", "src": "clip30.mp4"}}},
		{"duration": 3, "background-color": "#334455", "transition": object{"style": "wipeleft", "duration": 0.5}},
		{"duration": 5, "elements": []object{{"type": "video", "src": "clip30.mp4", "seek": 4}}},
	}}
	plain := object{}
	for name, value := range briefly {
		plain[name] = value
	}
	plain["held-pictures"] = false
	captioned := movieOf(6)
	captioned["elements"] = []object{{"type": "subtitles", "captions": "WEBVTT\n\n00:00.500 --> 00:02.000\none two\n\n00:03.000 --> 00:05.000\nthree four five"}}
	return map[string]container{
		"rests and fades, silent":       {b.mustRender(resting), false, 350, 25},
		"single frames, sound":          {b.mustRender(briefly), true, 186, 29.97},
		"single frames, nothing held":   {b.mustRender(plain), true, 186, 29.97},
		"clips, a transition and sound": {b.mustRender(clips), true, 315, 30},
		"captions":                      {newStage(t).mustRender(captioned), false, 60, 10},
	}
}

// Programs that share no code with the one that writes movies read their files, and find nothing amiss: mediainfo, a strict parser and
// GStreamer.
func TestEngine_Render_containers(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"mediainfo", "gst-launch-1.0"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is not installed: scripts/deps.sh test does that", program)
		}
	}
	parser := filepath.Join(t.TempDir(), "readmp4")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../../tools", "-o", parser, "./readmp4")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build readmp4: %v\n%s", err, said)
	}
	for name, c := range containers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.readStrictly(t, parser)
			c.examine(t)
			c.play(t)
		})
	}
	// What they find where something is amiss: the examination is none if they find nothing there either.
	t.Run("damaged", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		whole := mustRead(t, b.mustRender(movieOf(1)).Movie)
		path := filepath.Join(t.TempDir(), "movie.mp4")
		if err := os.WriteFile(path, whole[:len(whole)-50], 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.CommandContext(t.Context(), parser, path).CombinedOutput(); err == nil {
			t.Errorf("the parser takes a file that is cut off: %s", said)
		}
		if said := mediainfo(t, path); !amiss.Match(said) {
			t.Errorf("mediainfo takes a file that is cut off: %s", said)
		}
	})
}

// readStrictly has a library read the file that the service does not contain.
func (c container) readStrictly(t *testing.T, parser string) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), parser, c.out.Movie).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			said = exit.Stderr
		}
		t.Fatalf("%v: %s", err, said)
	}
	var file struct {
		FastStart bool
		Seconds   float64
		Tracks    []struct {
			Codec                  string
			Samples, Width, Height int
			Seconds                float64
			Even, Shown            bool
		}
	}
	if err := json.Unmarshal(said, &file); err != nil {
		t.Fatal(err)
	}
	length := float64(c.frames) / c.fps
	if !file.FastStart || math.Abs(file.Seconds-length) > 0.05 || len(file.Tracks) != 2 {
		t.Fatalf("the parser says %s", said)
	}
	v, a := file.Tracks[0], file.Tracks[1]
	if v.Codec != "avc1" || v.Samples != c.frames || v.Width != c.out.Plan.Width || v.Height != c.out.Plan.Height || !v.Even || !v.Shown ||
		math.Abs(v.Seconds-length) > 0.001 {
		t.Errorf("the parser says of the pictures %+v", v)
	}
	if a.Codec != "mp4a" || math.Abs(a.Seconds-length) > 0.05 {
		t.Errorf("the parser says of the sound %+v", a)
	}
}

// amiss is what mediainfo says of a file that is not as it should be.
var amiss = regexp.MustCompile(`(?i)conformance|truncated|"FrameRate_Mode": "VFR"|error`)

// mediainfo reads a file as a whole.
func mediainfo(t *testing.T, path string) []byte {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "mediainfo", "--ParseSpeed=1", "--Output=JSON", path).CombinedOutput()
	if err != nil {
		t.Fatalf("mediainfo: %v\n%s", err, said)
	}
	return said
}

// examine has mediainfo say what the file is.
func (c container) examine(t *testing.T) {
	t.Helper()
	said := mediainfo(t, c.out.Movie)
	if found := amiss.FindAll(said, -1); found != nil {
		t.Errorf("mediainfo finds %q in\n%s", found, said)
	}
	var info struct {
		Media struct {
			Track []map[string]any `json:"track"`
		} `json:"media"`
	}
	if err := json.Unmarshal(said, &info); err != nil {
		t.Fatal(err)
	}
	if len(info.Media.Track) != 3 {
		t.Fatalf("mediainfo says\n%s", said)
	}
	rate := strconv.FormatFloat(c.fps, 'f', 3, 64)
	for i, want := range []map[string]string{
		{"@type": "General", "Format": "MPEG-4", "IsStreamable": "Yes", "VideoCount": "1", "AudioCount": "1"},
		{"@type": "Video", "Format": "AVC", "Format_Profile": "High", "FrameRate_Mode": "CFR", "FrameRate": rate, "FrameCount": strconv.Itoa(c.frames),
			"ScanType": "Progressive", "colour_primaries": "BT.709", "transfer_characteristics": "BT.709", "matrix_coefficients": "BT.709",
			"colour_range": "Limited", "ChromaSubsampling": "4:2:0", "BitDepth": "8"},
		{"@type": "Audio", "Format": "AAC", "Format_AdditionalFeatures": "LC", "SamplingRate": "48000", "Channels": "2"},
	} {
		for name, value := range want {
			if got := info.Media.Track[i][name]; got != value {
				t.Errorf("mediainfo says of track %d %s %v, want %s", i, name, got, value)
			}
		}
	}
}

// play has GStreamer take the file apart and decode its tracks. Its pictures are those of ffmpeg.
func (c container) play(t *testing.T) {
	t.Helper()
	pixels, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-xerror", "-nostdin", "-i", c.out.Movie, "-map", "0:v", "-fps_mode", "passthrough",
		"-f", "rawvideo", "-pix_fmt", "yuv420p", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := c.out.Plan.Width * c.out.Plan.Height * 3 / 2 * c.frames; len(pixels) != n {
		t.Errorf("ffmpeg decodes %d bytes, want %d", len(pixels), n)
	}
	want := fmt.Sprintf("checksum=(string)%x;", md5.Sum(pixels))
	said := c.pipe(t, "d.video_0", "!", "queue", "!", "h264parse", "!", "avdec_h264", "!", "videocodectestsink",
		"d.audio_0", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "fakesink")
	if !bytes.Contains(said, []byte(want)) {
		t.Errorf("GStreamer decodes other pictures than %s", want)
	}
	c.pipe(t, "d.video_0", "!", "queue", "!", "h264parse", "!", "openh264dec", "!", "fakesink",
		"d.audio_0", "!", "queue", "!", "aacparse", "!", "faad", "!", "fakesink")
}

// complaint is a message of GStreamer's bus, or a line of its log, that says that something is amiss.
var complaint = regexp.MustCompile(`(?im)^.*\b(warn|warning|error)\b.*$`)

// pipe runs a pipeline behind the demuxer until the file ends; a warning or an error on its bus, or in its log, fails the test. (The log of the
// demuxer, which warns of every file without fragments, is asked for errors only.)
func (c container) pipe(t *testing.T, elements ...string) []byte {
	t.Helper()
	args := append([]string{"-m", "filesrc", "location=" + c.out.Movie, "!", "qtdemux", "name=d"}, elements...)
	cmd := exec.CommandContext(t.Context(), "gst-launch-1.0", args...)
	cmd.Env = append(os.Environ(), "GST_DEBUG=*:1,h264parse:2,openh264dec:2,aacparse:2", "GST_DEBUG_NO_COLOR=1")
	said, err := cmd.CombinedOutput()
	ended := bytes.Contains(said, []byte("Got EOS"))
	if found := complaint.FindAll(said, -1); err != nil || found != nil || !ended {
		t.Errorf("GStreamer: %v, ended: %v, it complains: %q", err, ended, found)
	}
	return said
}
