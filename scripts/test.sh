#!/bin/sh
# Runs go test on packages:  scripts/test.sh "packages" [flags of go test]
#
# A test that fails fails the run, and is not tried again: one that is not steady is a bug to be mended.
#
# A race that the detector finds, in a test or in a program that a test starts, fails the run, and its text stands at the end of the
# output. known-races.txt lists those that are not ours.
set -eu

packages=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$dir/binaries"
export MOVIOLA_TEST_BINARIES="${MOVIOLA_TEST_BINARIES:-$dir/binaries}" # what packages of tests build, they build once
starter=$MOVIOLA_TEST_BINARIES/starter
CGO_ENABLED=0 go build -trimpath -o "$starter.$$" ./internal/jail/starter # with it programs start faster than with a test program
mv -f "$starter.$$" "$starter"
export GORACE="suppressions='$here/known-races.txt' log_path='$dir/race' ${GORACE:-}"

# Built without cgo whatever the tests are built with, so once; go vet is a part of make check. Without DWARF the linker needs a quarter less;
# traces and the race detector name functions and lines all the same.
runner=$(CGO_ENABLED=0 go tool -modfile=tools/go.mod -n gotestsum)
status=0
"$runner" --format standard-quiet --hide-summary skipped --packages "$packages" -- -vet=off -ldflags=-w "$@" || status=$?
for race in "$dir"/race.*; do
	[ -s "$race" ] || continue
	echo "The race detector reported, in process ${race##*.}:"
	cat "$race"
	[ "$status" != 0 ] || status=1
done
exit $status
