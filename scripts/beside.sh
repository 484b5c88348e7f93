#!/bin/sh
# Runs commands of the shell beside each other:  scripts/beside.sh 'first' 'second'…
#
# What the first says is seen at once, what the others say stands at the end, each with its command. All are waited for; one that fails
# fails the run. They are given to tests that wait for much of their time.
set -eu

first=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
pids=
for other; do
	sh -euc "$other" >"$dir/$(echo $pids | wc -w)" 2>&1 &
	pids="$pids $!"
done
status=0
sh -euc "$first" || status=$?
n=0
for pid in $pids; do
	failed=0
	wait "$pid" || failed=$?
	echo "$1"
	cat "$dir/$n"
	[ "$failed" = 0 ] || status=$failed
	n=$((n + 1))
	shift
done
exit $status
