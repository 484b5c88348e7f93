#!/bin/sh
# Builds both targets of deploy/Dockerfile without a registry and says how large they are:  scripts/image.sh [folder]
#
# The base is made by mmdebstrap from its Debian mirror, or from MOVIOLA_MIRROR, Go is the one that runs here, the engine is buildah. The folder gets an
# archive of each image; without one they stay in buildah's store under localhost/moviola.
set -eu

for program in buildah mmdebstrap; do
	command -v "$program" >/dev/null 2>&1 || { echo "$program is missing: apt-get install buildah mmdebstrap" >&2; exit 1; }
done
archives=${1:-}
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
cd "$(dirname "$0")/.."
version=$(git describe --tags --always 2>/dev/null || echo dev)
options="--isolation chroot --storage-driver ${MOVIOLA_STORAGE_DRIVER:-vfs}"
store() { buildah --storage-driver "${MOVIOLA_STORAGE_DRIVER:-vfs}" "$@"; }

# Fonts and programs come by the Dockerfile. Without MOVIOLA_MIRROR, mmdebstrap takes its own mirror, updates and security included.
if [ -n "${MOVIOLA_MIRROR:-}" ]; then
	mmdebstrap --variant=minbase --include=ca-certificates bookworm "$scratch/base.tar" \
		"deb $MOVIOLA_MIRROR bookworm main" "deb $MOVIOLA_MIRROR bookworm-updates main" "deb ${MOVIOLA_MIRROR}-security bookworm-security main"
else
	mmdebstrap --variant=minbase --include=ca-certificates bookworm "$scratch/base.tar"
fi

base=$(store from scratch)
store add -q "$base" "$scratch/base.tar" / >/dev/null
store config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$base"
store commit -q --rm "$base" localhost/moviola-debian >/dev/null
with_go=$(store from localhost/moviola-debian)
store copy -q "$with_go" "$(go env GOROOT)" /usr/local/go >/dev/null
# A proxy for modules may have a certificate of an authority that only this machine knows.
store copy -q "$with_go" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
store config --env PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --env GOTOOLCHAIN=local \
	--env "GOPROXY=$(go env GOPROXY)" "$with_go"
store commit -q --rm "$with_go" localhost/moviola-go >/dev/null

for target in slim full; do
	# shellcheck disable=SC2086 # the options are words
	buildah bud $options --layers --network host --format docker --target "$target" --build-arg BASE_IMAGE=localhost/moviola-debian --build-arg GO_IMAGE=localhost/moviola-go \
		--build-arg "VERSION=$version" -f deploy/Dockerfile -t "localhost/moviola:$target" .
	file=${archives:-$scratch}/moviola-$target.tar
	store push -q "localhost/moviola:$target" "oci-archive:$file:moviola-$target"
	container=$(store from "localhost/moviola:$target")
	folder=$(store mount "$container")
	echo "$target: $(du -sm --apparent-size "$folder" | cut -f 1) MB unpacked, $(du -sm "$file" | cut -f 1) MB compressed"
	store umount "$container" >/dev/null
	store rm "$container" >/dev/null
done
