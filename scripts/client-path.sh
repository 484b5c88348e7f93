#!/bin/sh
# Gives the Go client another import path: scripts/client-path.sh example.com/someone/moviola/client. client/go.mod has the path; what names
# it follows.
set -eu
cd "$(dirname "$0")/.."
new=${1:?usage: scripts/client-path.sh IMPORT-PATH}
old=$(sed -n 's/^module //p' client/go.mod)
git grep -lF "$old" -- ':!CHANGELOG.md' | xargs sed -i "s|$(printf %s "$old" | sed 's/[.]/\\./g')|$new|g"
gofmt -w $(git grep -lF "$new" -- '*.go')
echo "$old is $new now"
