#!/bin/sh
# Installs what Moviola needs from the system and is not there yet: the programs it runs and the fonts it draws with.
#
#   scripts/deps.sh run    what the service needs
#   scripts/deps.sh slim   the same without Chromium and speech
#   scripts/deps.sh test   the same, a C compiler for the race detector, servers of FTP and SSH, promtool, strace, GStreamer and mediainfo
#
# Nothing is touched when everything is present. Where it cannot install, it says exactly what to install.
set -eu

need=""

# want PROGRAM-OR-FILE PACKAGE
want() {
	if [ -e "$1" ] || command -v "$1" >/dev/null 2>&1; then return; fi
	need="$need $2"
}

want ffmpeg ffmpeg
want ffprobe ffmpeg
want heif-convert libheif-examples
if [ "${1:-run}" != slim ]; then
	want /usr/lib/chromium/chromium-headless-shell chromium-headless-shell
	want espeak-ng espeak-ng
fi
want /usr/share/fonts/truetype/noto/NotoSans-Regular.ttf fonts-noto-core
want /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc fonts-noto-cjk
want /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf fonts-noto-color-emoji
want /usr/share/doc/fonts-inter fonts-inter
want /usr/share/doc/fonts-roboto fonts-roboto
want /usr/share/doc/fonts-open-sans fonts-open-sans
want /usr/share/doc/fonts-lato fonts-lato
want /usr/share/doc/fonts-bebas-neue fonts-bebas-neue
want /usr/share/doc/fonts-ebgaramond fonts-ebgaramond
# Google's families that Debian has too, with more scripts and weights than those that come with the program.
want /usr/share/doc/fonts-roboto-slab fonts-roboto-slab
want /usr/share/doc/fonts-dancingscript fonts-dancingscript
want /usr/share/doc/fonts-kaushanscript fonts-kaushanscript
want /usr/share/doc/fonts-lobster fonts-lobster
want /usr/share/doc/fonts-comfortaa fonts-comfortaa
want /usr/share/doc/fonts-quicksand fonts-quicksand
want /usr/share/doc/fonts-karla fonts-karla
want /usr/share/doc/fonts-jetbrains-mono fonts-jetbrains-mono
want /usr/share/doc/fonts-firacode fonts-firacode
want /usr/share/doc/fonts-courier-prime fonts-courier-prime
if [ "${1:-run}" = test ]; then
	want gcc "gcc libc6-dev"
	# Servers that deliveries are tested against. They are started by the tests, on loopback, and not by the system.
	want /usr/sbin/proftpd proftpd-core
	want /usr/lib/proftpd/mod_tls.so proftpd-mod-crypto
	want /usr/sbin/sshd openssh-server
	want openssl openssl
	want ip iproute2 # a network of its own for a client
	want promtool prometheus # tests the rules of alerts
	want strace strace # lets system calls of the event store fail
	# Other readers and decoders of movies than ffmpeg.
	want mediainfo mediainfo
	want gst-launch-1.0 gstreamer1.0-tools
	want /usr/share/doc/gstreamer1.0-plugins-bad gstreamer1.0-plugins-bad # h264parse, openh264dec, faad
	want /usr/share/doc/gstreamer1.0-plugins-good gstreamer1.0-plugins-good # qtdemux, aacparse
	want /usr/share/doc/gstreamer1.0-libav gstreamer1.0-libav
fi

[ -n "$need" ] || exit 0
need=$(printf '%s\n' $need | sort -u | tr '\n' ' ')

cannot() {
	echo "Moviola needs these packages, which this script cannot install here ($1):" >&2
	echo "" >&2
	echo "    $need" >&2
	echo "" >&2
	echo "On Debian or Ubuntu: sudo apt-get install $need" >&2
	echo "Elsewhere: install ffmpeg 5.1 or newer with ffprobe, headless Chromium (headless_shell), heif-convert, espeak-ng," >&2
	echo "and the Noto, Inter, Roboto, Open Sans, Lato, Bebas Neue and EB Garamond fonts; for the tests also gcc, ip, strace, promtool, GStreamer with openh264 and libav, mediainfo, ProFTPD, OpenSSH and OpenSSL." >&2
	exit 1
}

command -v apt-get >/dev/null 2>&1 || cannot "no apt-get on this system"
sudo=""
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || cannot "neither root nor sudo"
	sudo="sudo"
fi

# Packages of servers start them when they are installed, on every address: here they are wanted as programs only.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
	printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
	$sudo chmod 755 "$policy"
	# shellcheck disable=SC2064 # what they are now
	trap "$sudo rm -f $policy" EXIT
fi

echo "Installing: $need" >&2
export DEBIAN_FRONTEND=noninteractive
install="$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends"
# shellcheck disable=SC2086 # the package names are words
if ! $install $need; then
	$sudo apt-get update -q && $install $need || cannot "apt-get failed, see above"
fi
