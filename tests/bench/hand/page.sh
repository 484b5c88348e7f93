#!/bin/sh
# A page that does not move, for 10 s: one picture of it by headless Chromium.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=10
browser=${BROWSER:-/usr/lib/chromium/chromium-headless-shell}
shot=$(mktemp -d)
trap 'rm -rf "$shot"' EXIT
"$browser" --no-sandbox --hide-scrollbars --window-size=1920,1080 --screenshot="$shot/page.png" "file://$IN/page.html" >/dev/null 2>&1
film "[0:v]$opaque,trim=end_frame=300,setpts=N/30/TB,setsar=1[v]" 1:a -framerate 30 -i "$shot/page.png" $silence
