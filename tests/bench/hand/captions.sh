#!/bin/sh
# A clip of 30 s whose captions change their spoken word 2.5 times a second.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=30
film "[1:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[c];[0:v][c]overlay=x=320:y=900:format=yuv420,setsar=1[v]" 0:a \
	-i "$IN/clip30.mp4" -stream_loop -1 -framerate 2.5 -i "$IN/word%02d.png"
