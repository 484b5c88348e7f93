#!/bin/bash
# Fails when the program has functions that only tests reach, but for those that tools/deadcode.txt names with a reason.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 LC_ALL=C
found=$(go tool -modfile=tools/go.mod deadcode -f '{{range .Funcs}}{{$.Path}}.{{.Name}}{{println}}{{end}}' . | sed '/^$/d' | sort)
if ! diff -u --label tools/deadcode.txt --label program <(sed '/^#/d' tools/deadcode.txt | sort) <(echo "$found"); then
	echo "move the functions with + to tests, or name them with a reason in tools/deadcode.txt; take those with - out of it"
	exit 1
fi
