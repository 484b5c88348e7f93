#!/bin/sh
# Runs go test on packages:  scripts/test.sh "packages" [flags of go test]
#
# Tests here start real servers, encoders and browsers, and a shared machine can hold any of them up for longer than a test waits. So up
# to three tests that fail are run once more, alone. What fails again fails; what passes then is named at the end as unsteady, and is a
# bug to be mended. After a data race nothing is run again.
set -eu

packages=$1
shift
report=$(mktemp)
trap 'rm -f "$report"' EXIT

status=0
go tool -modfile=tools/go.mod gotestsum --format standard-quiet --hide-summary skipped \
	--rerun-fails=1 --rerun-fails-max-failures=3 --rerun-fails-run-root-test --rerun-fails-abort-on-data-race --rerun-fails-report="$report" \
	--packages "$packages" -- "$@" || status=$?
if [ "$status" = 0 ] && [ -s "$report" ]; then
	echo "Unsteady, passed only when run again:"
	cat "$report"
fi
exit $status
