# What all commands share. IN is the folder of inputs.sh, OUT the file to write. With FRAMES set the frames are written without an encoder, for the floor.
: "${IN:?}" "${OUT:?}"

encoder="-c:v libx264 -preset veryfast -crf 23 -profile:v high -pix_fmt yuv420p -g 120 -flags +cgop
-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv
-chroma_sample_location left -fps_mode cfr -r 30/1
-map_metadata -1 -fflags +bitexact -f mp4"

# A picture, converted once and repeated.
still="scale=out_color_matrix=bt709:out_range=tv,format=yuva420p,loop=loop=-1:size=1:start=0"
opaque="scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,loop=loop=-1:size=1:start=0"
# The same of a JPEG, which fills the canvas and is cut.
photo="scale=1920:1280:in_color_matrix=bt601:in_range=pc:out_color_matrix=bt709:out_range=tv,crop=1920:1080,format=yuv420p,setsar=1,loop=loop=-1:size=1:start=0"

# film GRAPH SOUND INPUT… makes the movie: [v] of the graph with the sound of a map such as 5:a, for LENGTH seconds.
film() {
	graph=$1 sound=$2
	shift 2
	if [ -n "${FRAMES:-}" ]; then
		ffmpeg -v error -nostdin -y "$@" -filter_complex "$graph" -map "[v]" -t "$LENGTH" -fps_mode cfr -r 30/1 -pix_fmt yuv420p -f yuv4mpegpipe "$OUT" </dev/null
		return
	fi
	# shellcheck disable=SC2086 # the arguments are words
	ffmpeg -v error -nostdin -y "$@" -filter_complex "$graph" -map "[v]" -map "$sound" -t "$LENGTH" -c:a aac -b:a 192k -ar 48000 -ac 2 -movflags +faststart \
		$encoder "$OUT" </dev/null
}

# One picture of the movie's rate.
picture() { echo "-framerate 30 -i $IN/$1"; }
# The sound of movies that have none, as the service gives it to them.
silence="-f lavfi -i anullsrc=r=48000:cl=stereo"
