#!/usr/bin/env bash
# n8n, as npm has it, against the program built from this tree: imports the workflows of deploy/migrate/n8n, starts n8n and a service on loopback, runs both
# workflows by their webhooks and looks at the MP4 that each has fetched. Installs 1.6 GB into the user's cache folder and removes them at the end, unless
# MOVIOLA_N8N_KEEP=1. Needs node 20, npm, python3, a C++ compiler, curl, ffmpeg and 3 GB of free disk.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
home=${MOVIOLA_N8N_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/moviola-tests/n8n}
work=$(mktemp -d)
processes=
finish() {
	status=$?
	for process in $processes; do
		kill "$process" 2>/dev/null || true
		wait "$process" 2>/dev/null || true
	done
	[ "$status" -eq 0 ] || tail -n 40 "$work"/*.log 2>/dev/null || true
	rm -rf "$work"
	[ "${MOVIOLA_N8N_KEEP:-}" = 1 ] || rm -rf "$home"
}
trap finish EXIT

mkdir -p "$home"
if ! cmp -s "$here/package.json" "$home/installed"; then
	free=$(df -Pk "$home" | awk 'NR == 2 { print int($4 / 1024) }')
	if [ "$free" -lt 3072 ]; then
		echo "n8n takes 3 GB while it is installed, and $home has $free MB: make room, or name another folder with MOVIOLA_N8N_HOME" >&2
		exit 1
	fi
	cp "$here/package.json" "$home/package.json"
	(
		cd "$home"
		npm install --ignore-scripts --no-audit --no-fund --fetch-retries=5 --loglevel=error
		# The headers of the node that is here, where they are: node-gyp would download them otherwise.
		headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
		[ ! -e "$headers/include/node/node.h" ] || export npm_config_nodedir=$headers
		npm rebuild sqlite3 --ignore-scripts=false --build-from-source --loglevel=error
	)
	cp "$here/package.json" "$home/installed"
fi
(cd "$root" && CGO_ENABLED=0 go build -o "$work/moviola" .)

# Below the ports that outgoing connections get.
port() {
	node -e '
const net = require("net");
(function pick() {
  const port = 10000 + Math.floor(6000 * Math.random());
  const s = net.createServer().on("error", pick).listen(port, "127.0.0.1", () => { console.log(port); s.close(); });
})()'
}
# reached PROCESS ADDRESS waits until the address answers.
reached() {
	until curl -fs -o "$work/answer" "$2"; do
		kill -0 "$1" && [ "$SECONDS" -lt "$deadline" ] || exit 1
		sleep 0.2
	done
}
service=$(port) n8n=$(port) broker=$(port)
deadline=$((SECONDS + 600))

export MOVIOLA_ADMIN_TOKEN=n8n-test-token-0123456789012
"$work/moviola" serve --data "$work/data" --disk-reserve off --listen "127.0.0.1:$service" --allow-host "127.0.0.1:$n8n" --ops-listen "" --library=false \
	--public-url "http://127.0.0.1:$service" >"$work/service.log" 2>&1 &
service_process=$!
processes=$service_process
reached "$service_process" "http://127.0.0.1:$service/v2/openapi.json"
key=$(curl -fsS -X POST -H "x-admin-token: $MOVIOLA_ADMIN_TOKEN" -d '{"name":"n8n","plan":"paid"}' "http://127.0.0.1:$service/admin/accounts" |
	node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).key')

mkdir "$work/n8n" "$work/movies"
export MOVIOLA_URL="http://127.0.0.1:$service" MOVIOLA_FOLDER="$work/movies" N8N_ADDRESS="http://127.0.0.1:$n8n"
export N8N_USER_FOLDER="$work/n8n" N8N_LISTEN_ADDRESS=127.0.0.1 N8N_PORT="$n8n" N8N_RUNNERS_BROKER_PORT="$broker" DB_TYPE=sqlite N8N_SECURE_COOKIE=false \
	N8N_DIAGNOSTICS_ENABLED=false N8N_VERSION_NOTIFICATIONS_ENABLED=false N8N_TEMPLATES_ENABLED=false N8N_BLOCK_ENV_ACCESS_IN_NODE=false \
	N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS=false N8N_COMMUNITY_PACKAGES_ENABLED=false EXECUTIONS_DATA_SAVE_ON_SUCCESS=all NO_UPDATE_NOTIFIER=1
run_n8n() { "$home/node_modules/.bin/n8n" "$@"; }
printf '[{"id":"moviola","name":"Moviola","type":"httpHeaderAuth","data":{"name":"x-api-key","value":"%s"}}]' "$key" >"$work/credentials.json"
{
	run_n8n import:credentials --input="$work/credentials.json"
	for workflow in wait webhook; do
		run_n8n import:workflow --input="$root/deploy/migrate/n8n/$workflow.json"
	done
	run_n8n update:workflow --all --active=true
} >"$work/import.log" 2>&1
run_n8n start >"$work/n8n.log" 2>&1 &
n8n_process=$!
processes="$n8n_process $processes"
reached "$n8n_process" "http://127.0.0.1:$n8n/healthz/readiness"

# call PATH posts a movie to a workflow, once its webhook is registered.
call() {
	local movie='{"resolution":"sd","scenes":[{"duration":1,"background-color":"#2050a0","elements":[{"type":"text","text":"n8n"}]}]}'
	until curl -fsS -X POST -H "Content-Type: application/json" -d "$movie" -o "$work/answer" "http://127.0.0.1:$n8n/webhook/$1" 2>"$work/call.log"; do
		kill -0 "$n8n_process" && [ "$SECONDS" -lt "$deadline" ] && grep -q 404 "$work/call.log" || exit 1
		sleep 0.5
	done
}
# fetched NAME waits for the MP4 that a workflow has fetched, and looks at it.
fetched() {
	local file=$work/movies/$1.mp4
	until [ "$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$file" 2>/dev/null)" = 1.000000 ]; do
		kill -0 "$n8n_process" && [ "$SECONDS" -lt "$deadline" ] || exit 1
		sleep 0.2
	done
	echo "n8n: the workflow $1 has fetched an MP4 of one second, $(stat -c %s "$file") bytes"
}
call moviola-wait
fetched moviola-wait
call moviola-submit
fetched moviola-webhook
