#!/usr/bin/env bash
# The tests that the authors of the official Go client run against EventStoreDB in containers, against this program's event store instead:
# without TLS and with it. Give the program's path. Needs go and openssl.
#
# Left out: what needs the authors' data set, system projections, client certificates, or a cluster. Two things are changed in their files, which
# fail on a busy machine whatever the server does: three tests count what comes before they have said how much is to come, and waits are short.
set -euo pipefail
moviola=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cp -R "$(cd "$here/../../.." && go list -m -f '{{.Dir}}' github.com/EventStore/EventStore-Client-Go/v4)" "$work/client"
chmod -R u+w "$work/client"
cp "$here/containers_test.go.txt" "$work/client/esdb/containers_test.go"
rm "$work/client/esdb/cluster_test.go"
cat >"$work/client/esdb/cluster_test.go" <<'GO'
package esdb_test

import "testing"

func ClusterTests(t *testing.T) { t.Skip("one node") }
GO

perl -0 -pi -e '
	1 while s/(var (\w+) sync\.WaitGroup\n)((?:(?!\nfunc ).)*?)\n\t\t\2\.Add\(([\d_]+)\)\n/$1\t\t$2.Add($4)\n$3\n/s;
	s/(waitWithTimeout\(&\w+, time\.Duration\()5\)/${1}120)/g;
' "$work/client/esdb/subscriptions_test.go" "$work/client/esdb/persistent_subscriptions_test.go"

certificate() { # folder, arguments that name the signer
	mkdir -p "$work/client/certs/$1"
}
make_ca() {
	certificate "$1"
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -keyout "$work/client/certs/$1/ca.key" -out "$work/client/certs/$1/ca.crt" 2>/dev/null
}
make_ca ca
make_ca untrusted-ca
certificate node
(
	cd "$work/client/certs"
	openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout node/node.key -out node/node.csr 2>/dev/null
	openssl x509 -req -in node/node.csr -CA ca/ca.crt -CAkey ca/ca.key -CAcreateserial -days 2 -out node/node.crt \
		-extfile <(echo "subjectAltName=DNS:localhost,IP:127.0.0.1") 2>/dev/null
	echo changeit | "$moviola" eventstore user add admin --users users >/dev/null
)

data='TestExpectations|TestStreams/ReadStreamTests/readStreamEvents(Forwards|Backwards)From|TestStreams/SubscriptionTests/allSubscriptionWithFilter'
export MOVIOLA="$moviola" GOFLAGS=-mod=mod
cd "$work/client"
for insecure in true false; do
	echo "the official Go client's tests, $([ "$insecure" = true ] && echo without || echo with) TLS:"
	EVENTSTORE_INSECURE=$insecure go test -count=1 -timeout 10m -v -run 'TestStreams|TestPersistentSubscriptions|TestMisc' -skip "$data" ./esdb >"$work/out" 2>&1 || {
		grep -E -- '--- FAIL|Error|panic|_test.go' "$work/out" | head -60
		exit 1
	}
	grep -cE '^ +--- PASS: Test[^/]+/[^/]+/' "$work/out" | sed 's/$/ passed/'
	grep -E -- '--- SKIP' "$work/out" || true
done
