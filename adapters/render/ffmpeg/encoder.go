package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"moviola/internal/jail"
)

// Choice is the value of the flag --encoder.
type Choice string

// The values of the flag --encoder. Auto takes the first hardware encoder that works, and X264 if none does. Decision 87.
const (
	X264  Choice = "x264"
	Auto  Choice = "auto"
	NVENC Choice = "nvenc"
	VAAPI Choice = "vaapi"
	QSV   Choice = "qsv"
)

// Choices returns all values of the flag --encoder.
func Choices() []string {
	return []string{string(X264), string(Auto), string(NVENC), string(VAAPI), string(QSV)}
}

// String implements the interface of flag values.
func (c *Choice) String() string { return string(*c) }

// Type is the name of the value in the flag's help.
func (c *Choice) Type() string { return "encoder" }

// Set parses the flag's value.
func (c *Choice) Set(text string) error {
	if text := strings.TrimSpace(text); slices.Contains(Choices(), text) {
		*c = Choice(text)
		return nil
	}
	return fmt.Errorf("%q is none of x264, auto, nvenc, vaapi and qsv", text)
}

// Encoder encodes the windows of movies. The zero value is x264 of an unknown version.
type Encoder struct {
	kind    kind
	version string
	devices []string // device nodes that runs with this encoder open; none for x264
}

// kind describes a hardware encoder of ffmpeg: its name, its device nodes, and the arguments that select it.
type kind struct {
	name   Choice
	coder  string // name of the encoder in ffmpeg
	nodes  []string
	each   bool // a run of ffmpeg opens only one of the device nodes, so each node is tried by itself
	device func(node string) []string
	upload []string // filters that come before the encoder
	coding func(quality string) []string
	spoken *regexp.Regexp // matches the encoder's version in the messages of ffmpeg
	driver string         // file that holds the version of the driver
}

// hardware are the hardware encoders in the order in which Auto tries them. All of them are configured alike: frames are
// coded in display order (-bf 0), no frame refers to one before the last key frame, and the quality is a constant
// quantiser, a number on the scale of x264.
var hardware = []kind{
	{
		name: NVENC, coder: "h264_nvenc", nodes: []string{"nvidiactl", "nvidia-uvm", "nvidia[0-9]*"},
		coding: func(quality string) []string {
			return []string{"-preset", "p4", "-rc", "constqp", "-qp", quality, "-profile:v", "high", "-pix_fmt", "yuv420p",
				"-bf", "0", "-forced-idr", "1", "-strict_gop", "1"}
		},
		spoken: regexp.MustCompile(`Loaded Nvenc version ([0-9.]+)`), driver: "/sys/module/nvidia/version",
	},
	{
		name: QSV, coder: "h264_qsv", nodes: []string{"dri/renderD*"}, each: true,
		device: func(node string) []string {
			return []string{"-init_hw_device", "qsv=gpu:hw_any,child_device=" + node, "-filter_hw_device", "gpu"}
		},
		upload: []string{"format=nv12"},
		coding: func(quality string) []string {
			return []string{"-preset", "veryfast", "-q:v", quality, "-profile:v", "high", "-bf", "0", "-idr_interval", "0",
				"-forced_idr", "1", "-look_ahead", "0"}
		},
		spoken: regexp.MustCompile(`implementation version is ([0-9.]+)|VAAPI driver: ([^\n]+)`),
	},
	{
		name: VAAPI, coder: "h264_vaapi", nodes: []string{"dri/renderD*"}, each: true,
		device: func(node string) []string {
			return []string{"-init_hw_device", "vaapi=gpu:" + node, "-filter_hw_device", "gpu"}
		},
		upload: []string{"format=nv12", "hwupload"},
		coding: func(quality string) []string {
			return []string{"-rc_mode", "CQP", "-qp", quality, "-profile:v", "high", "-bf", "0", "-idr_interval", "0"}
		},
		spoken: regexp.MustCompile(`VAAPI driver: ([^\n]+)`),
	},
}

// Name is the name of the encoder as a value of the flag --encoder.
func (e Encoder) Name() string {
	if e.Hardware() {
		return string(e.kind.name)
	}
	return string(X264)
}

// Version is the version of the encoder and of its driver, as far as they are known; empty: neither is known.
func (e Encoder) Version() string { return e.version }

// Hardware reports whether the encoder is not x264.
func (e Encoder) Hardware() bool { return e.kind.coder != "" }

// Software returns x264, which also makes movies that a hardware encoder has failed to make.
func (t *Tools) Software() Encoder { return Encoder{version: t.x264} }

// Devices are the device nodes that a run with this encoder opens.
func (e Encoder) Devices() []string { return e.devices }

// device returns ffmpeg's arguments that open the device; they come before every input.
func (e Encoder) device() []string {
	if e.kind.device == nil {
		return nil
	}
	return e.kind.device(e.devices[0])
}

// Upload returns the filters between the composed picture and the encoder.
func (e Encoder) Upload() []string { return e.kind.upload }

// Coding returns ffmpeg's arguments for encoding pictures at a quality, given as a quantiser of x264: 0 to 51, less is better.
func (e Encoder) Coding(quality string) []string {
	if !e.Hardware() {
		return []string{"-c:v", "libx264", "-preset", "veryfast", "-crf", quality, "-profile:v", "high", "-pix_fmt", "yuv420p"}
	}
	return append([]string{"-c:v", e.kind.coder}, e.kind.coding(quality)...)
}

const (
	devFolder  = "/dev"
	trialLimit = time.Minute // for trying an encoder: with thirty busy processes, twenty seconds were too few
	trialBytes = 1 << 20
	// trialPicture has a size that every hardware encoder accepts.
	trialPicture = "color=c=gray:s=320x240:r=25:d=0.4"
	trialSound   = "anullsrc=d=0.1,alimiter,ebur128"
)

// FindEncoder tries the hardware encoders that the choice permits, in the jail if there is one, as renders use them, and
// returns the first one that works. If none works, it returns x264 and the reasons why those that were tried failed.
func (t *Tools) FindEncoder(ctx context.Context, choice Choice) (Encoder, error) {
	var why []error
	for _, k := range hardware {
		if choice != Auto && choice != k.name {
			continue
		}
		e, err := t.tryKind(ctx, k)
		if err == nil {
			return e, nil
		}
		why = append(why, err)
	}
	return t.Software(), errors.Join(why...)
}

// HardwareEncoders tries every hardware encoder and passes each result to the function each.
func (t *Tools) HardwareEncoders(ctx context.Context, each func(name string, e Encoder, err error)) {
	for _, k := range hardware {
		e, err := t.tryKind(ctx, k)
		each(string(k.name), e, err)
	}
}

func (t *Tools) tryKind(ctx context.Context, k kind) (Encoder, error) {
	if has, err := t.Encodes(ctx, k.coder); err != nil {
		return Encoder{}, fmt.Errorf("%s: %w", k.name, err)
	} else if !has {
		return Encoder{}, fmt.Errorf("%s: this ffmpeg was built without %s", k.name, k.coder)
	}
	nodes := t.nodesOf(k)
	if len(nodes) == 0 {
		return Encoder{}, fmt.Errorf("%s: there is no device node %s/%s", k.name, devFolder,
			strings.Join(k.nodes, " or "+devFolder+"/"))
	}
	sets := [][]string{nodes}
	if k.each {
		sets = slices.Collect(slices.Chunk(nodes, 1))
	}
	var why []error
	for _, devices := range sets {
		e := Encoder{kind: k, devices: devices}
		said, err := t.try(ctx, e)
		if err == nil {
			e.version = k.versionIn(said)
			return e, nil
		}
		why = append(why, fmt.Errorf("%s with %s: %w", k.name, strings.Join(devices, ", "), err))
	}
	return Encoder{}, errors.Join(why...)
}

// nodesOf returns those device nodes of an encoder that exist on this machine.
func (t *Tools) nodesOf(k kind) []string {
	var all []string
	for _, pattern := range k.nodes {
		// Glob fails for malformed patterns only, and these are constants.
		found, _ := filepath.Glob(filepath.Join(t.dev, pattern))
		for _, path := range found {
			path, err := filepath.EvalSymlinks(path)
			if err != nil {
				continue
			}
			if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				all = append(all, path)
			}
		}
	}
	return all
}

// try encodes ten pictures and returns what ffmpeg logged meanwhile. The last line is the version of x264, if it was the encoder.
func (t *Tools) try(ctx context.Context, e Encoder) (said string, err error) {
	return t.tryWith(ctx, e, nil)
}

// tryWith is try with a second input and with further filters for the pictures.
func (t *Tools) tryWith(ctx context.Context, e Encoder, input []string, further ...string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	filters := strings.Join(slices.Concat(further, []string{"format=yuv420p"}, e.Upload()), ",")
	args := slices.Concat([]string{"-nostdin", "-nostats", "-loglevel", "verbose"}, e.device(),
		[]string{"-f", "lavfi", "-i", trialPicture}, input, []string{"-vf", filters}, e.Coding("23"),
		[]string{"-g", "100", "-f", "h264", "pipe:1"})
	var out, log bytes.Buffer
	err = t.run(ctx, process{program: t.ffmpeg, args: args, stdout: &capped{to: &out, left: trialBytes},
		stderr: &capped{to: &log, left: trialBytes}, policy: encoding(decoding("ffmpeg", nil, "", trialLimit, 0), e)})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", fmt.Errorf("the trial did not end within %v", trialLimit)
	case err != nil:
		return "", fmt.Errorf("the trial failed: %s", lastLines(log.String(), err))
	case !bytes.HasPrefix(bytes.TrimLeft(out.Bytes(), "\x00"), []byte{1}):
		return "", errors.New("the trial wrote no H.264")
	}
	return log.String() + x264Line(out.Bytes()), nil
}

// lastLines returns the last lines of what a failed program has logged; if it has logged nothing, the text of err.
func lastLines(log string, err error) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if log == "" {
		return err.Error()
	}
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}

// versionIn returns the encoder's version from the messages of ffmpeg in log, and the driver's version from the driver's file.
func (k kind) versionIn(log string) string {
	var all []string
	for _, found := range k.spoken.FindAllStringSubmatch(log, -1) {
		all = append(all, strings.TrimRight(strings.TrimSpace(strings.Join(found[1:], "")), "."))
	}
	if driver, err := os.ReadFile(k.driver); k.driver != "" && err == nil {
		all = append(all, "driver "+strings.TrimSpace(string(driver)))
	}
	return strings.Join(slices.Compact(all), ", ")
}

var x264Version = regexp.MustCompile(`x264 - (core [^ ]+(?: r[^ ]+)?(?: [0-9a-f]{7,})?)`)

// x264Line returns the version of x264 that a stream names as its encoder; empty: it names none.
func x264Line(stream []byte) string {
	if found := x264Version.FindSubmatch(stream); found != nil {
		return string(found[1])
	}
	return ""
}

// encoding extends the policy of a run that also encodes: the run may open the encoder's device nodes.
func encoding(p jail.Policy, e Encoder) jail.Policy {
	if len(e.devices) == 0 {
		return p
	}
	p.Devices, p.Calls = e.devices, jail.EncoderCalls
	if e.kind.name == NVENC { // CUDA reserves far more addresses than it uses: its data are limited, not its addresses
		p.Limits.AddressSpace, p.Limits.Data = 0, maxAddressSpace
	}
	return p
}
