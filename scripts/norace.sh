#!/bin/sh
# Runs without the race detector what make test does not run under it:  scripts/norace.sh "packages" [flags of go test]
#
# That are the packages that are named, and of those that are tested under it the files that say //go:build !race. Both run beside each other,
# for much of their time they wait; what the second ones said stands at the end.
set -eu

packages=$1
shift
export CGO_ENABLED=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

files=$(grep -rlx '//go:build !race' --include='*_test.go' adapters commands eventstore handlers internal projections |
	xargs grep -lE '^func (Test|Example|Fuzz)')
# shellcheck disable=SC2086
names=$(sed -nE 's/^func ((Test|Example|Fuzz)[A-Za-z0-9_]*)\(.*/\1/p' $files | sort -u | paste -s -d '|' -)
# shellcheck disable=SC2086
mixed=$(dirname $files | sort -u | sed 's|^|./|' | tr '\n' ' ')

scripts/test.sh "$mixed" -run "^($names)\$" "$@" -p 1 >"$log" 2>&1 &
other=$!
status=0
scripts/test.sh "$packages" "$@" || status=$?
wait "$other" || status=$?
cat "$log"
exit $status
