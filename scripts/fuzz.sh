#!/bin/sh
# Runs the fuzz targets of packages next to each other, one worker each, and fails when one of them does.
#
#   scripts/fuzz.sh 25000x ./handlers/...      each for a number of cases
#
# A length of time is refused: before Go 1.27 a target whose time ends can fail with "context deadline exceeded" (golang/go#75804).
# An input that fails is written below the package's testdata/fuzz: commit it with the correction, it is a test from then on.
set -eu

cases=$1
shift
case $cases in
*[!0-9x]* | x* | *x*x | *[0-9]) echo "fuzz.sh: \"$cases\" is no number of cases: give one such as 25000x" >&2; exit 2 ;;
esac
logs=$(mktemp -d)
export CGO_ENABLED=0
trap 'rm -rf "$logs"' EXIT

running=""
for package in $(go list "$@"); do
	dir=$(go list -f '{{.Dir}}' "$package")
	targets=$(cat "$dir"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p')
	[ -n "$targets" ] || continue
	# Compiled once for all targets of the package.
	binary=$logs/$(echo "$package" | tr / _).test
	go test -vet=off -c -fuzz . -o "$binary" "$package"
	for target in $targets; do
		cache=$(go env GOCACHE)/fuzz/$package
		log=$binary.$target.log
		(cd "$dir" && exec "$binary" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$cases" -test.fuzzminimizetime 1x \
			-test.fuzzcachedir "$cache" -test.parallel 1 -test.timeout 0) >"$log" 2>&1 &
		running="$running $!:$package:$target:$log"
	done
done

status=0
for one in $running; do
	pid=${one%%:*} rest=${one#*:}
	package=${rest%%:*} rest=${rest#*:}
	target=${rest%%:*} log=${rest#*:}
	if wait "$pid"; then
		echo "ok   $package $target: $(grep '^fuzz: ' "$log" | tail -1 | cut -c7-)"
	else
		echo "FAIL $package $target"
		cat "$log"
		status=1
	fi
done
exit $status
