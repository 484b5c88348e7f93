#!/bin/sh
# The podcast with the spoken word in another colour, 2.5 times a second.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=${SECONDS_OF_PODCAST:-600}
film "[0:v]$photo[p];[1:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[c];[p][c]overlay=x=320:y=900:format=yuv420,setsar=1,trim=end_frame=$((LENGTH * 30))[v]" 2:a \
	$(picture photo3.jpg) -stream_loop -1 -framerate 2.5 -i "$IN/word%02d.png" -i "$IN/voice.m4a"
