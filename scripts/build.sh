#!/bin/sh
# Builds moviola, a static binary with the program that starts others in a sandbox inside:  scripts/build.sh output [flags of go build]
set -eu

to=$1
shift
export CGO_ENABLED=0
cd "$(dirname "$0")/.."
starter=internal/jail/starter/starter
go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$starter.$$" ./internal/jail/starter
mv -f "$starter.$$" "$starter" # at once: another build may be reading it
go build -trimpath -tags moviola_starter -o "$to" "$@" .
