#!/bin/sh
# Makes the inputs of the movies in a folder: inputs.sh FOLDER. Needs ffmpeg with drawtext, and fontconfig.
set -eu
mkdir -p "$1"
cd "$1"
ff() { ffmpeg -v error -nostdin -y "$@" </dev/null; }

ff -f lavfi -i mandelbrot=s=2208x1242:r=1:start_scale=0.4 -frames:v 1 photo.png
ff -f lavfi -i sine=f=220:d=60:r=48000,volume=0.3 music.wav
ff -f lavfi -i sine=f=180:d=600:r=48000,tremolo=f=3:d=0.8,volume=0.3 -c:a aac -b:a 128k voice.m4a
# Ten photographs: soft shapes, and grain as a camera leaves it.
i=0
while [ $i -lt 10 ]; do
	ff -f lavfi -i "mandelbrot=s=1920x1280:r=1:start_scale=0.0$((i + 2)):start_x=-0.74364$i:start_y=-0.13182:maxiter=300" -frames:v 1 \
		-vf "gblur=sigma=1.5,hue=h=$((i * 36)),noise=alls=6:all_seed=$i" -q:v 3 photo$i.jpg
	i=$((i + 1))
done
# A clip without noise: things move before a photograph that is panned.
clip() {
	ff -loop 1 -framerate 30 -i photo0.jpg -f lavfi -i "testsrc2=s=640x360:r=30:d=$2" -f lavfi -i "sine=f=220:d=$2:r=48000,volume=0.3" -filter_complex \
		"[0:v]scale=2400:1600,gblur=sigma=1,crop=1920:1080:x='200+100*sin(t)':y='200+80*cos(t/2)',trim=duration=$2[a];[a][1:v]overlay=x='600+300*sin(t/3)':y=360,format=yuv420p[v]" \
		-map '[v]' -map 2:a -t "$2" -c:v libx264 -preset veryfast -crf 20 -g 120 -colorspace bt709 -color_range tv -color_primaries bt709 -color_trc bt709 -c:a aac "$1"
}
clip clip.mp4 5
clip clip30.mp4 30

# text FILE SIZE TEXT draws a title on a half transparent box.
text() {
	printf '%s' "$3" >text.txt
	ff -f lavfi -i "color=black@0.5:s=$2,format=rgba" -vf "drawtext=font=Inter:textfile=text.txt:fontsize=80:fontcolor=white:x=(w-tw)/2:y=(h-th)/2" -frames:v 1 "$1"
}
text title.png 1032x280 'The standard movie'
text third.png 1032x200 'A lower third'
text card.png 1032x388 'A card'
i=1
while [ $i -le 4 ]; do
	text slide$i.png 1032x280 "Text slide $i"
	i=$((i + 1))
done

# Captions: five lines of five words. line0.png … are lines, word00.png … the same with one word in another colour.
set -- "the first line is here" "and there comes the second" "what is said is written" "one word after the other" "until the movie is over"
n=0
for line; do
	printf '%s' "$line" >text.txt
	base="drawtext=font=DejaVu Sans Mono:textfile=text.txt:fontsize=60:fontcolor=white:x=60:y=30"
	ff -f lavfi -i "color=black@0.0:s=1280x120,format=rgba" -vf "$base" -frames:v 1 line$n.png
	at=0 k=0
	for word in $line; do
		ff -f lavfi -i "color=black@0.0:s=1280x120,format=rgba" -vf \
			"$base,drawtext=font=DejaVu Sans Mono:text=$word:fontsize=60:fontcolor=yellow:x=60+36.12*$at:y=30" -frames:v 1 "$(printf 'word%02d.png' $((n * 5 + k)))"
		at=$((at + ${#word} + 1)) k=$((k + 1))
	done
	n=$((n + 1))
done

# The same captions as files, for as long as the longest movie lasts.
stamp() { printf '%02d:%02d:%02d,000' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)); }
i=0
while [ $i -lt 300 ]; do
	eval "line=\${$((i % 5 + 1))}"
	printf '%d\n%s --> %s\n%s\n\n' $((i + 1)) "$(stamp $((2 * i)))" "$(stamp $((2 * i + 2)))" "$line"
	i=$((i + 1))
done >captions.srt

cat >page.html <<'PAGE'
<!doctype html><html><head><meta charset="utf-8"><style>
body{margin:0;background:linear-gradient(120deg,#1e3a8a,#0f766e);font:64px Inter,sans-serif;color:#fff}
main{padding:120px}h1{font-size:120px;margin:0 0 40px}li{margin:24px 0}
</style></head><body><main><h1>A page at rest</h1><ul><li>It has a few lines</li><li>and a background that changes</li><li>from blue to green</li></ul></main></body></html>
PAGE
sed -e 's/A page at rest/A page in motion/' -e 's/<\/style>/li{animation:in 1s}@keyframes in{from{transform:translateX(600px);opacity:0}}<\/style>/' page.html >moving.html
rm text.txt
