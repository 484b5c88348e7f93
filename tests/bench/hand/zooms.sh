#!/bin/sh
# The slideshow: each photograph comes nearer by 15 %.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=30
graph="" all="" inputs=""
for i in 0 1 2 3 4 5 6 7 8 9; do
	graph="$graph[$i:v]scale=3840:2560:in_color_matrix=bt601:in_range=pc:out_color_matrix=bt709:out_range=tv,crop=3840:2160,format=yuv420p,
zoompan=z='1+0.15*on/89':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d=90:s=1920x1080:fps=30,setsar=1[s$i];"
	all="$all[s$i]" inputs="$inputs $(picture photo$i.jpg)"
done
film "$graph${all}concat=n=10:v=1:a=0[v]" 10:a $inputs $silence
