#!/bin/sh
# Runs go test on packages:  scripts/test.sh "packages" [flags of go test]
#
# Tests here start real servers, encoders and browsers, and a shared machine can hold any of them up for longer than a test waits. So up
# to three tests that fail are run once more, alone. What fails again fails; what passes then is named at the end as unsteady, and is a
# bug to be mended.
#
# A race that the detector finds, in a test or in a program that a test starts, fails the run, and its text stands at the end of the
# output. known-races.txt lists those that are not ours.
set -eu

packages=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
export GORACE="suppressions='$here/known-races.txt' log_path='$dir/race' ${GORACE:-}"

status=0
go tool -modfile=tools/go.mod gotestsum --format standard-quiet --hide-summary skipped \
	--rerun-fails=1 --rerun-fails-max-failures=3 --rerun-fails-run-root-test --rerun-fails-report="$dir/report" \
	--packages "$packages" -- "$@" || status=$?
if [ "$status" = 0 ] && [ -s "$dir/report" ]; then
	echo "Unsteady, passed only when run again:"
	cat "$dir/report"
fi
for race in "$dir"/race.*; do
	[ -s "$race" ] || continue
	echo "The race detector reported, in process ${race##*.}:"
	cat "$race"
	[ "$status" != 0 ] || status=1
done
exit $status
