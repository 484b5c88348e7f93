#!/bin/sh
# Twelve pieces of half a second out of one clip, out of order: the clip is decoded once.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=6
graph="[0:v]split=12" pick="" all=""
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
	from=$((i * 5 % 12 * 12))
	graph="$graph[c$i]" pick="$pick[c$i]trim=start_frame=$from:end_frame=$((from + 15)),setpts=N/30/TB,setsar=1[s$i];" all="$all[s$i]"
done
film "$graph;$pick${all}concat=n=12:v=1:a=0[v]" 1:a -i "$IN/clip.mp4" $silence
