#!/usr/bin/env bash
# Runs the official Node SDK, its files untouched, against the program: the SDK knows one address, so the name of that address leads here, as
# docs/migrate.md tells. That is done in a network and a file system of its own, so that nobody else's calls come here.
#
# Takes the program's path and a folder that holds node_modules and sdk.js. Leaves the interface's description in FOLDER/openapi.json.
set -euo pipefail

name=api.json2video.com
if [ "${3:-}" != inside ]; then
	as_root=
	[ "$(id -u)" = 0 ] || as_root=--map-root-user
	# shellcheck disable=SC2086 # nothing, or one word
	exec unshare $as_root --mount --net "$0" "$1" "$2" inside
fi
moviola=$1 work=$2 server=
finish() {
	status=$?
	[ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
	[ "$status" -eq 0 ] || tail -n 40 "$work/server.log" 2>/dev/null || true
}
trap finish EXIT
ip link set lo up

"$(dirname "$0")/../../deploy/migrate/authority.sh" "$name" "$work" 2>/dev/null
cd "$work"
printf '127.0.0.1 localhost %s\n' "$name" >hosts
mount --bind hosts /etc/hosts

export MOVIOLA_ADMIN_TOKEN=clients-test-token-0123456789
"$moviola" serve --data data --disk-reserve off --listen 127.0.0.1:443 --tls-cert server.pem --tls-key server.key --public-url "https://$name" \
	--ops-listen "" --library=false >server.log 2>&1 &
server=$!
until curl -fs --cacert ca.pem -o openapi.json "https://$name/v2/openapi.json"; do
	kill -0 "$server" && [ "$SECONDS" -lt 600 ] || exit 1
	sleep 0.1
done
CLIENT_KEY=$(curl -fsS --cacert ca.pem -X POST -H "x-admin-token: $MOVIOLA_ADMIN_TOKEN" -d '{"name":"clients","plan":"paid"}' "https://$name/admin/accounts" |
	node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).key')
export CLIENT_KEY NODE_EXTRA_CA_CERTS=$work/ca.pem
timeout 600 node sdk.js # the SDK waits for ever for a movie that fails
