#!/bin/bash
# Prints the processor time, in seconds, that x264 alone needs for the frames of a command: floor.sh COMMAND.sh. IN is the folder of inputs.sh.
set -eu
here=$(dirname "$0")
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
folder=$OUT
. "$here/common.sh"
mkfifo "$folder/frames"
FRAMES=1 IN=$IN OUT=$folder/frames sh "$1" &
TIMEFORMAT='%U %S'
# shellcheck disable=SC2086
{ time ffmpeg -v error -nostdin -y -f yuv4mpegpipe -i "$folder/frames" $encoder "$folder/floor.mp4" </dev/null; } 2>"$folder/time"
wait $!
awk '{ print $1 + $2 }' "$folder/time"
