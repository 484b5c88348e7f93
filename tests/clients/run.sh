#!/usr/bin/env bash
# Clients that nobody here wrote, and the typed client of clients/typescript, against the program built from this tree: the official Node SDK from npm, its files untouched; the types that
# openapi-typescript makes of the served description, against a program that names every property of the movie JSON; the official Node and Go
# clients of EventStoreDB against the event store. Needs node, npm, curl, ffmpeg, ip and openssl.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
events=
finish() {
	for process in $events; do
		kill "$process" 2>/dev/null || true
		wait "$process" 2>/dev/null || true
	done
	rm -rf "$work"
}
trap finish EXIT

cp "$here/package.json" "$here/package-lock.json" "$here/sdk.js" "$work/"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=5 --loglevel=error)
(cd "$here/../.." && CGO_ENABLED=0 go build -o "$work/moviola" .)

"$here/sdk.sh" "$work/moviola" "$work"

(cd "$here/../.." && go run ./tests/clients/names) >"$work/names.ts"
(cd "$work" && node_modules/.bin/openapi-typescript openapi.json -o api.d.ts && node_modules/.bin/tsc --strict --noUncheckedIndexedAccess --noEmit names.ts)
echo "types: names.ts compiles"

mkdir "$work/typescript"
"$here/typescript.sh" "$work/moviola" "$work/typescript"

# The event store, to the official clients of EventStoreDB.
# Below the ports that outgoing connections get, so that none takes it before the server does.
port=$(node -e '
const net = require("net");
(function pick() {
  const port = 10000 + Math.floor(6000 * Math.random());
  const s = net.createServer().on("error", pick).listen(port, "127.0.0.1", () => { console.log(port); s.close(); });
})()')
store=127.0.0.1:$port
"$work/moviola" eventstore serve --data "$work/events" --listen "$store" >"$work/store.log" 2>&1 &
events=$!
until grep -q listens "$work/store.log"; do
	kill -0 "$events" && [ "$SECONDS" -lt 600 ] || exit 1
	sleep 0.1
done
cp "$here/esdb/store.js" "$work/"
(cd "$work" && node store.js "$store")
"$here/esdb/run.sh" "$work/moviola"
