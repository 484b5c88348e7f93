#!/usr/bin/env bash
# n8n, as npm has it, against the program built from this tree: imports the workflows of deploy/migrate/n8n, starts n8n and a
# service on loopback, runs both workflows by their webhooks and looks at the MP4 that each has fetched. Installs 1.6 GB below the
# user's cache folder and removes them at the end. MOVIOLA_TEST_N8N_HOME=FOLDER installs there instead, keeps it, and takes what an
# earlier run has installed there.
# Needs node 20, npm, python3, a C++ compiler, curl, ffmpeg and 3 GB of free disk.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ -n "${MOVIOLA_TEST_N8N_HOME:-}" ]; then
	mkdir -p "$MOVIOLA_TEST_N8N_HOME"
	home=$(cd "$MOVIOLA_TEST_N8N_HOME" && pwd)
	remove=
else
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/moviola-tests
	mkdir -p "$cache"
	home=$(mktemp -d "$cache/n8n.XXXXXX")
	remove=$home
fi
work=$(mktemp -d)
processes=
# The end may come while the output goes to a log: what is said of it goes to where the script's own errors go.
exec 3>&2
fail() {
	echo "n8n: $*" >&3
	exit 1
}
finish() {
	status=$?
	for process in $processes; do
		kill "$process" 2>/dev/null || true
		wait "$process" 2>/dev/null || true
	done
	if [ "$status" -ne 0 ]; then
		for log in "$work"/*.log; do
			[ ! -s "$log" ] || { printf '\n== the end of %s\n' "${log##*/}" && tail -n 40 "$log"; } >&3
		done
	fi
	rm -rf "$work" ${remove:+"$remove"}
}
trap finish EXIT
trap 'exit 130' INT TERM

if ! cmp -s "$here/package.json" "$home/installed"; then
	# A run that was ended leaves this script's package.json, and is taken up.
	[ -z "$(ls -A "$home")" ] || cmp -s "$here/package.json" "$home/package.json" ||
		fail "$home has other files: name an empty folder with MOVIOLA_TEST_N8N_HOME"
	free=$(df -Pk "$home" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge 3072 ] ||
		fail "installing takes 3 GB, and $home has $free MB: make room, or name another folder with MOVIOLA_TEST_N8N_HOME"
	cp "$here/package.json" "$home/package.json"
	echo "n8n: installing, which takes minutes"
	(
		cd "$home"
		npm install --ignore-scripts --no-audit --no-fund --fetch-retries=5 --loglevel=error
		# The headers of the node that is here, where they are: node-gyp would download them otherwise.
		headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
		[ ! -e "$headers/include/node/node.h" ] || export npm_config_nodedir=$headers
		npm rebuild sqlite3 --ignore-scripts=false --build-from-source --loglevel=error
	) >"$work/install.log" 2>&1
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
deadline=$((SECONDS + 900))
# running PROCESS WHAT ends the script when the process has ended or the time is up.
running() {
	kill -0 "$1" 2>/dev/null || fail "a process has ended while the script waited for $2"
	[ "$SECONDS" -lt "$deadline" ] || fail "15 minutes are over, and the script still waits for $2"
}
# reached PROCESS ADDRESS waits until the address answers.
reached() {
	until curl -fs -o "$work/answer" "$2"; do
		running "$1" "$2"
		sleep 0.2
	done
}
service=$(port) n8n=$(port)

export MOVIOLA_ADMIN_TOKEN=n8n-test-token-0123456789012 MOVIOLA_URL="http://127.0.0.1:$service"
"$work/moviola" serve --data "$work/data" --disk-reserve off --listen "127.0.0.1:$service" --ops-listen "" --library=false \
	--allow-host "127.0.0.1:$n8n" --public-url "$MOVIOLA_URL" >"$work/service.log" 2>&1 &
service_process=$!
processes=$service_process
reached "$service_process" "$MOVIOLA_URL/v2/openapi.json"
key=$(curl -fsS -X POST -H "x-admin-token: $MOVIOLA_ADMIN_TOKEN" -d '{"name":"n8n","plan":"paid"}' "$MOVIOLA_URL/admin/accounts" |
	node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).key')

mkdir "$work/n8n" "$work/movies"
export MOVIOLA_FOLDER="$work/movies" N8N_ADDRESS="http://127.0.0.1:$n8n"
export TMPDIR="$work" N8N_USER_FOLDER="$work/n8n" N8N_HOST=127.0.0.1 N8N_LISTEN_ADDRESS=127.0.0.1 N8N_PORT="$n8n" \
	N8N_RUNNERS_ENABLED=false N8N_SECURE_COOKIE=false N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS=true DB_TYPE=sqlite \
	N8N_BLOCK_ENV_ACCESS_IN_NODE=false N8N_RESTRICT_FILE_ACCESS_TO="$work/movies" EXECUTIONS_DATA_SAVE_ON_SUCCESS=all
# Nothing is told to or fetched from n8n's makers.
export N8N_DIAGNOSTICS_ENABLED=false N8N_VERSION_NOTIFICATIONS_ENABLED=false N8N_TEMPLATES_ENABLED=false \
	N8N_COMMUNITY_PACKAGES_ENABLED=false N8N_DYNAMIC_BANNERS_ENABLED=false NO_UPDATE_NOTIFIER=1
run_n8n=$home/node_modules/.bin/n8n
printf '[{"id":"moviola","name":"Moviola","type":"httpHeaderAuth","data":{"name":"x-api-key","value":"%s"}}]' "$key" \
	>"$work/credentials.json"
{
	"$run_n8n" import:credentials --input="$work/credentials.json"
	for workflow in wait webhook; do
		"$run_n8n" import:workflow --input="$root/deploy/migrate/n8n/$workflow.json"
	done
} >"$work/import.log" 2>&1
"$run_n8n" start >"$work/n8n.log" 2>&1 &
n8n_process=$!
processes="$n8n_process $processes"
reached "$n8n_process" "$N8N_ADDRESS/healthz/readiness"

# ask METHOD PATH BODY sends JSON to n8n, once it serves the path.
ask() {
	local address=$N8N_ADDRESS$2 status
	while :; do
		status=$(curl -sS --max-time 600 -X "$1" -H "Content-Type: application/json" -d "$3" -b "$work/cookies" -c "$work/cookies" \
			-o "$work/answer.log" -w '%{http_code}' "$address") || fail "no answer from $address"
		case $status in
		200) return ;;
		404) running "$n8n_process" "$address" ;;
		*) fail "$address has answered $status" ;;
		esac
		sleep 0.5
	done
}
# An owner signs in, saves what was imported and activates it. This n8n starts a workflow from its history of saved versions, and
# neither import:workflow nor update:workflow writes there.
ask POST /rest/owner/setup '{"email":"owner@example.com","firstName":"An","lastName":"Owner","password":"Password-of-a-test-1"}'
for workflow in wait webhook; do
	ask PATCH "/rest/workflows/moviola-$workflow" "$(node -p '
const { name, versionId } = JSON.parse(require("fs").readFileSync(0, "utf8"));
JSON.stringify({ name, versionId, active: true })' <"$root/deploy/migrate/n8n/$workflow.json")"
done

# look FILE prints what ffprobe says of a video file.
look() {
	ffprobe -v error -select_streams v -show_entries stream=codec_name,width,height:format=duration -of csv=p=0 "$1" \
		2>"$work/ffprobe.log" </dev/null | paste -sd,
}
# fetched NAME waits for the MP4 that a workflow has fetched, and looks at it.
fetched() {
	local file=$work/movies/$1.mp4 seen
	until seen=$(look "$file") && [ "$seen" = h264,640,360,1.000000 ]; do
		running "$n8n_process" "the MP4 of $1, of which ffprobe says: ${seen:-nothing}"
		sleep 0.2
	done
	echo "n8n: the workflow $1 has fetched an MP4 (h264, 640 x 360, one second, $(stat -c %s "$file") bytes)"
}
movie='{"resolution":"sd","scenes":[{"duration":1,"background-color":"#2050a0","elements":[{"type":"text","text":"n8n"}]}]}'
ask POST /webhook/moviola-wait "$movie"
fetched moviola-wait
ask POST /webhook/moviola-submit "$movie"
fetched moviola-webhook
