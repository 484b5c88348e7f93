#!/usr/bin/env bash
# Builds clients/typescript from the description that the program serves, and runs its example against it. A movie with a property that does not
# exist must not compile. Takes the program's path and an empty folder.
set -euo pipefail
moviola=$1 work=$2 server=
source=$(cd "$(dirname "$0")/../../clients/typescript" && pwd)
finish() {
	status=$?
	[ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
	[ "$status" -eq 0 ] || tail -n 40 "$work/server.log" 2>/dev/null || true
}
trap finish EXIT

cp "$source"/*.json "$source"/*.ts "$work/"
cd "$work"
npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=5 --loglevel=error
# Below the ports that outgoing connections get, so that none takes it before the server does.
port=$(node -e '
const net = require("net");
(function pick() {
  const port = 10000 + Math.floor(6000 * Math.random());
  const s = net.createServer().on("error", pick).listen(port, "127.0.0.1", () => { console.log(port); s.close(); });
})()')
export MOVIOLA_URL=http://127.0.0.1:$port MOVIOLA_ADMIN_TOKEN=clients-test-token-0123456789
env -u MOVIOLA_URL "$moviola" serve --data data --disk-reserve off --listen "127.0.0.1:$port" --ops-listen "" --library=false >server.log 2>&1 &
server=$!
until curl -fs -o openapi.json "$MOVIOLA_URL/v2/openapi.json"; do
	kill -0 "$server" && [ "$SECONDS" -lt 600 ] || exit 1
	sleep 0.1
done
npm run build --silent
sed 's/duration: 1/duraton: 1/' "$source/example.ts" >wrong.ts
if node_modules/.bin/tsc --noEmit --target ES2022 --module NodeNext --lib ES2022,DOM --types node --strict wrong.ts >wrong.log; then
	echo "a movie with the property 'duraton' compiles"
	exit 1
fi
grep -q duraton wrong.log || { cat wrong.log; exit 1; }
MOVIOLA_API_KEY=$(curl -fsS -X POST -H "x-admin-token: $MOVIOLA_ADMIN_TOKEN" -d '{"name":"clients","plan":"paid"}' "$MOVIOLA_URL/admin/accounts" |
	node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).key')
export MOVIOLA_API_KEY
timeout 600 node dist/example.js | tee example.log
grep -q '^done http.*\.mp4$' example.log
echo "clients/typescript: the example has its movie"
