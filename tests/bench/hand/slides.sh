#!/bin/sh
# Four slides of 4 s: a text before a colour.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=16
graph="" all=""
for i in 0 1 2 3; do
	graph="$graph color=c=0x1e3a8a:s=1920x1080:r=30,trim=end_frame=1,format=rgb24,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p[k$i];
[$i:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[t$i];
[k$i][t$i]overlay=x=444:y=400:format=yuv420,setsar=1,loop=loop=-1:size=1:start=0,trim=end_frame=120,setpts=N/30/TB[s$i];"
	all="$all[s$i]"
done
film "$graph ${all}concat=n=4:v=1:a=0[v]" 4:a $(picture slide1.png) $(picture slide2.png) $(picture slide3.png) $(picture slide4.png) $silence
