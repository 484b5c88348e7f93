#!/bin/sh
# Builds a release of the tag that is checked out: an archive for each architecture with the static binary, man pages, completions and
# licence, an SBOM of each binary (CycloneDX, made of what the linker wrote into it), and the checksums of all. Building the same tag
# with the same Go again gives the same archives.
#   scripts/release.sh FOLDER [ARCHITECTURE...]
set -eu
[ $# -ge 1 ] || { echo "name the folder to write into: scripts/release.sh dist" >&2; exit 1; }
out=$1; shift
[ $# -gt 0 ] || set -- amd64 arm64
cd "$(dirname "$0")/.."
version=$(git describe --tags --exact-match 2>/dev/null) ||
    { echo "the commit that is checked out has no tag: a release is made of one, such as git tag v2.1.0" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] ||
    { echo "files differ from $version: commit, or remove them; a release is what its tag says" >&2; exit 1; }
[ ! -e "$out" ] || { echo "$out is there already: remove it, or name another folder" >&2; exit 1; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
day=$(TZ=UTC git log -1 --date=format-local:%Y-%m-%d --format=%cd)
stamp=$(git log -1 --format=%ct)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go run ./internal/cli/manual -version "$version" -date "$day" -to "$work/manual"
for arch in "$@"; do
    name=moviola-$version-linux-$arch
    mkdir "$work/$name"
    GOOS=linux GOARCH=$arch scripts/build.sh "$work/$name/moviola" -buildvcs=false \
        -ldflags "-s -w -X moviola/internal/config.Version=$version"
    cp -R "$work/manual/man" "$work/manual/completions" LICENSE "$work/$name/"
    go tool -modfile=tools/go.mod cyclonedx-gomod bin -json -std -noserial -version "$version" -output "$out/$name.cdx.json" "$work/$name/moviola"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w --mtime="@$stamp" -cf - "$name" |
        gzip -n -9 >"$out/$name.tar.gz"
done
(cd "$out" && sha256sum -- *.tar.gz *.cdx.json >SHA256SUMS)
echo "$version is in $out"
