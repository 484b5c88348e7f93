#!/bin/sh
# Runs the property tests with new cases each time:  scripts/random.sh 20000
#
# make test tries the same cases each time. A case that fails is printed with its seed: make it a test of its own with the correction.
set -eu

export MOVIOLA_TEST_RANDOM=1 CGO_ENABLED=0
status=0
for dir in $(grep -rl --include='*_test.go' 'rapid\.Check(' . | xargs -n 1 dirname | sort -u); do
	names=$(awk '/^func Test/{name = $2; sub(/\(.*/, "", name)} /rapid\.Check\(/{print name}' "$dir"/*_test.go | sort -u | paste -s -d '|' -)
	checks=$1
	# Each case of this one writes a log to disk.
	[ "$dir" != ./eventstore/embedded ] || checks=$((checks / 20))
	go test -vet=off -count=1 -timeout 0 "$dir" -run "^($names)\$" -rapid.checks="$checks" || status=1
done
exit $status
