#!/bin/sh
# Three photographs in 5 s, with two transitions of half a second: a wipe and a fade.
set -eu
. "$(dirname "$0")/common.sh"
LENGTH=5
film "[0:v]$photo,trim=end_frame=60,setpts=N/30/TB,fps=30[a];[1:v]$photo,trim=end_frame=60,setpts=N/30/TB,fps=30[b];[2:v]$photo,trim=end_frame=60,setpts=N/30/TB,fps=30[c];
[a][b]xfade=transition=wipeleft:duration=0.5:offset=1.5[d];[d][c]xfade=transition=fade:duration=0.5:offset=3,setsar=1[v]" 3:a \
	$(picture photo0.jpg) $(picture photo1.jpg) $(picture photo2.jpg) $silence
