package ffmpegtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"moviola/adapters/render/ffmpeg"
)

// Driver is the version of the driver that the simulated card reports.
const Driver = "Played driver 1.0"

// script replaces the arguments that need a card by ones that the real ffmpeg can execute without it. It starts no program but
// ffmpeg. The simulated card encodes in the profile main; x264 uses the profile high.
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

// Card writes the wrapper of ffmpeg and the device nodes, and returns a configuration that uses both. broken is a line of bash
// that the wrapper executes before it encodes with the card, to make it fail; empty: the card works.
func Card(t testing.TB, broken string) ffmpeg.Config {
	t.Helper()
	real := installed(t)
	dev := t.TempDir()
	// A node of the system that every user may open stands for the card.
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
	return ffmpeg.Config{FFmpeg: Program(t, fmt.Sprintf(script, real, node, broken)), Dev: dev}
}
