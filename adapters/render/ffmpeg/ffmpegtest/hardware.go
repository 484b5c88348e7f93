// Package ffmpegtest plays a graphics card for tests: an ffmpeg in front of the real one that takes h264_vaapi for libx264, and
// device nodes.
package ffmpegtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"moviola/adapters/render/ffmpeg"
)

// Driver is the version of the driver that the card tells.
const Driver = "Played driver 1.0"

// script changes the arguments to what the real ffmpeg does without a card. It starts no program but ffmpeg. What the card
// that it plays encodes is of another profile than x264's: main, not high.
const script = `#!/bin/bash
args=(); card=
while (($#)); do
	case $1 in
	-init_hw_device)
		[[ $2 == vaapi=gpu:%[2]s ]] || { echo "no such card: $2" >&2; exit 1; }
		[[ -c %[2]s && -w %[2]s ]] || { echo "the device is not open" >&2; exit 1; }
		card=$2; shift ;;
	-filter_hw_device | -rc_mode | -idr_interval) shift ;;
	-qp) args+=(-crf "$2"); shift ;;
	h264_vaapi) [[ $card ]] || { echo "no card is open" >&2; exit 1; }
		%[3]s
		echo "VAAPI driver: ` + Driver + `." >&2; args+=(libx264) ;;
	-profile:v) args+=("$1" "${card:+main}"); [[ $card ]] || args[-1]=$2; shift ;;
	-filter_complex_script)
		IFS= read -r -d '' graph <"$2"
		[[ $graph != *hwupload* || $card ]] || { echo "nowhere to upload to" >&2; exit 1; }
		graph=${graph//,hwupload/}; printf '%%s' "$graph" >"$2"; args+=("$1" "$2"); shift ;;
	-vf) args+=("$1" "${2//,hwupload/}"); shift ;;
	*) args+=("$1") ;;
	esac
	shift
done
exec %[1]s "${args[@]}"
`

// Card writes an ffmpeg with a card, and returns the configuration that finds it. Broken is what the card's ffmpeg does before it
// encodes, as a line of bash.
func Card(t testing.TB, broken string) ffmpeg.Config {
	t.Helper()
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	dev, programs := t.TempDir(), t.TempDir()
	// A node of the system that anybody may open stands for the card.
	const node = "/dev/zero"
	if err := os.MkdirAll(filepath.Join(dev, "dri"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(node, filepath.Join(dev, "dri", "renderD128")); err != nil {
		t.Fatal(err)
	}
	if broken == "" {
		broken = ":"
	}
	path := filepath.Join(programs, "ffmpeg")
	syscall.ForkLock.RLock() // a process that is forked while the file is written keeps it open, and it cannot be run
	err = os.WriteFile(path, fmt.Appendf(nil, script, real, node, broken), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return ffmpeg.Config{FFmpeg: path, Dev: dev}
}
