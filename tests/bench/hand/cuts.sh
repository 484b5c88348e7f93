#!/bin/sh
# A slideshow: ten photographs of 3 s, with hard cuts.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=30
graph="" all="" inputs=""
for i in 0 1 2 3 4 5 6 7 8 9; do
	graph="$graph[$i:v]$photo,trim=end_frame=90,setpts=N/30/TB[s$i];" all="$all[s$i]" inputs="$inputs $(picture photo$i.jpg)"
done
film "$graph${all}concat=n=10:v=1:a=0[v]" 10:a $inputs $silence
