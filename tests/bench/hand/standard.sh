#!/bin/sh
# 12 s: a photograph that comes nearer with a title, a clip with a lower third that fades, a card; music.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=12
film "[0:v]scale=3840:2160:out_color_matrix=bt709:out_range=tv,format=yuv420p,zoompan=z='1+0.15*on/119':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d=120:s=1920x1080:fps=30,setsar=1[z];
[1:v]$still,trim=end_frame=120[t];[z][t]overlay=x=444:y=400:format=yuv420,setsar=1[a];
[2:v]fps=30,trim=end_frame=120,setpts=N/30/TB,setsar=1[c];
[3:v]$still,trim=end_frame=90,setpts=N/30/TB,fade=t=in:st=0:d=0.5:alpha=1,fade=t=out:st=2.5:d=0.5:alpha=1,setpts=PTS+0.5/TB[l];
[c][l]overlay=x=100:y=800:format=yuv420:eof_action=pass[b];
color=c=0x1e3a8a:s=1920x1080:r=30,trim=end_frame=1,format=rgb24,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p[k];
[4:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[w];[k][w]overlay=x=444:y=346:format=yuv420,setsar=1,loop=loop=-1:size=1:start=0,trim=end_frame=120,setpts=N/30/TB[d];
[a][b][d]concat=n=3:v=1:a=0[v]" 5:a $(picture photo.png) $(picture title.png) -i "$IN/clip.mp4" $(picture third.png) $(picture card.png) -i "$IN/music.wav"
