package outputs

import (
	"context"
	"fmt"
	"math"
	"slices"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/document"
)

// The largest files that outputs may have, in bytes.
const (
	videoBytes  = 4 << 30
	soundBytes  = 1 << 30
	gifBytes    = 64 << 20
	stillBytes  = 128 << 20
	framesBytes = 2 << 30
)

// The bounds of a GIF, which grows with each pixel of each frame.
const (
	gifSide   = 640 // largest number of pixels of the longer side of a GIF
	gifFPS    = 15
	gifLength = 60 // largest length of a GIF in seconds
)

// recipes are the functions that make outputs, by format.
var recipes = map[string]func(ctx context.Context, w *work) error{
	document.OutputWebM: webm,
	document.OutputHEVC: func(ctx context.Context, w *work) error {
		return w.encode(ctx, "libx265", "movie-hevc.mp4", "-c:v", "libx265", "-preset", "veryfast", "-crf", "24", "-tag:v", "hvc1",
			"-x265-params", "log-level=error", "-c:a", "copy", "-movflags", "+faststart", "-f", "mp4")
	},
	document.OutputAV1: func(ctx context.Context, w *work) error {
		return w.encode(ctx, "libsvtav1", "movie-av1.mp4", "-c:v", "libsvtav1", "-preset", "11", "-crf", "34", "-pix_fmt", "yuv420p",
			"-c:a", "copy", "-movflags", "+faststart", "-f", "mp4")
	},
	document.OutputGIF: gif,
	document.OutputPNG: func(ctx context.Context, w *work) error {
		if w.job.Matte != "" {
			return w.still(ctx, "still.png", "", "-c:v", "png")
		}
		return w.still(ctx, "still.png", "[0:v]format=rgb24[out]", "-c:v", "png")
	},
	document.OutputJPG: func(ctx context.Context, w *work) error {
		return w.still(ctx, "still.jpg", "[0:v]scale=in_color_matrix=bt709:in_range=tv:out_color_matrix=bt601:out_range=pc,"+
			"format=yuvj420p[out]", "-c:v", "mjpeg", "-q:v", "2")
	},
	document.OutputMP3: func(ctx context.Context, w *work) error {
		return w.sound(ctx, "libmp3lame", "sound.mp3", "-c:a", "libmp3lame", "-q:a", "2", "-f", "mp3")
	},
	document.OutputWAV: func(ctx context.Context, w *work) error {
		return w.sound(ctx, "pcm_s16le", "sound.wav", "-c:a", "pcm_s16le", "-f", "wav")
	},
	document.OutputM4A: func(ctx context.Context, w *work) error {
		return w.sound(ctx, "", "sound.m4a", "-c:a", "copy", "-movflags", "+faststart", "-f", "ipod")
	},
	document.OutputHLS:         hls,
	document.OutputPNGSequence: frames,
	document.OutputStoryboard:  storyboard,
}

// rgb returns the filters that convert the movie's colours to RGB, the colours of pictures, at a size.
func rgb(width, height int) string {
	return fmt.Sprintf("scale=w=%d:h=%d:flags=lanczos+accurate_rnd:in_color_matrix=bt709:in_range=tv", width, height)
}

// webm makes a WebM, with an alpha channel if the movie is transparent.
func webm(ctx context.Context, w *work) error {
	args := []string{"-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-row-mt", "1", "-deadline", "good", "-cpu-used", "5"}
	sound := []string{"-c:a", "libopus", "-b:a", "128k", "-f", "webm"}
	const name, encoder = "movie.webm", "libvpx-vp9"
	if w.job.Matte == "" {
		return w.encode(ctx, encoder, name, slices.Concat(args, []string{"-pix_fmt", "yuv420p"}, sound)...)
	}
	// The encoder makes a second video for the transparency. The option switches off frames that are never shown: they would shift
	// one of the two videos against the other.
	args = slices.Concat(args, []string{"-auto-alt-ref", "0"}, sound)
	return w.encodeGraph(ctx, encoder, name, w.cutOut(out709+",format=yuva420p"), args...)
}

// out709 converts pictures to the colours of movies.
const out709 = "scale=flags=bicubic+accurate_rnd+full_chroma_int:out_color_matrix=bt709:out_range=tv"

// cutOut returns the filter graph that makes the matte the movie's alpha channel, followed by further filters. Where the movie is
// transparent it was drawn over black; that black part is removed from its colours.
func (w *work) cutOut(filters string) string {
	return "[0:v]scale=flags=bicubic+accurate_rnd+full_chroma_int:in_color_matrix=bt709:in_range=tv,format=gbrp[picture];" +
		"[1:v]format=yuv420p,extractplanes=y,lut=c0=clip((val-16)*255/219\\,0\\,255),split[alpha][matte];" +
		"[alpha]format=gbrp[factor];[picture][factor]unpremultiply[color];[color][matte]alphamerge," + filters + "[out]"
}

// canEncode returns an error if ffmpeg has no encoder of a name.
func (w *work) canEncode(ctx context.Context, encoder string) error {
	has, err := w.tools.Encodes(ctx, encoder)
	if err == nil && !has {
		return refuse(noEncoder, encoder)
	}
	return err
}

// encode makes another video from the movie.
func (w *work) encode(ctx context.Context, encoder, name string, args ...string) error {
	return w.encodeGraph(ctx, encoder, name, "", args...)
}

// encodeGraph makes another video from the result of a filter graph. With an empty graph it uses the movie's own pictures.
func (w *work) encodeGraph(ctx context.Context, encoder, name, graph string, args ...string) error {
	if err := w.canEncode(ctx, encoder); err != nil {
		return err
	}
	inputs, pictures := []ffmpeg.Input{w.input(0)}, "0:v:0"
	if graph != "" {
		inputs, pictures = w.inputs(0), "[out]"
	}
	output := append([]string{"-map", pictures, "-map", "0:a?", "-threads", fmt.Sprint(threads), "-map_metadata", "-1"}, args...)
	if err := w.run(ctx, videoBytes, graph, inputs, append(output, name)...); err != nil {
		return err
	}
	w.shown(w.job.Plan.Width, w.job.Plan.Height)
	return w.made(name)
}

// sound makes a sound file from the movie's sound. With an empty encoder the sound is copied.
func (w *work) sound(ctx context.Context, encoder, name string, args ...string) error {
	if !w.job.Sound {
		return refuse(noSound)
	}
	if encoder != "" {
		if err := w.canEncode(ctx, encoder); err != nil {
			return err
		}
	}
	output := append([]string{"-map", "0:a:0", "-vn", "-map_metadata", "-1"}, args...)
	if err := w.run(ctx, soundBytes, "", []ffmpeg.Input{w.input(0)}, append(output, name)...); err != nil {
		return err
	}
	w.shown(0, 0)
	return w.made(name)
}

// still makes a picture of the thumbnail's frame, at full size. With an empty graph transparency is kept.
func (w *work) still(ctx context.Context, name, graph string, args ...string) error {
	plan := w.job.Plan
	// The seek time is half a frame early: the first frame after it is the wanted one.
	seek := math.Max(0, (float64(w.job.Still)-0.5)*float64(plan.FPSDen)/float64(plan.FPSNum))
	output := append([]string{"-map", "[out]", "-frames:v", "1", "-map_metadata", "-1"}, args...)
	inputs := []ffmpeg.Input{w.input(seek)}
	if graph == "" {
		graph, inputs = w.cutOut("format=rgba"), w.inputs(seek)
	}
	err := w.run(ctx, stillBytes, graph, inputs, append(output, "-f", "image2", "-update", "1", name)...)
	if err != nil {
		return err
	}
	w.out.Width, w.out.Height = plan.Width, plan.Height
	return w.made(name)
}

// gif makes a GIF with a palette of its own, in two runs: in a single run all frames would be kept in memory until the
// palette is known. The palette counts the pixels of all frames: counting only those that change would neglect the
// colours that stay.
func gif(ctx context.Context, w *work) error {
	plan := w.job.Plan
	if plan.Frames*plan.FPSDen > gifLength*plan.FPSNum {
		return refuse(gifTooLong, "60 s")
	}
	width, height := fit(plan.Width, plan.Height, gifSide)
	moving := rgb(width, height)
	if plan.FPSNum > gifFPS*plan.FPSDen {
		moving = fmt.Sprintf("fps=%d,", gifFPS) + moving
	}
	const palette = "palette.png"
	err := w.run(ctx, stillBytes, "[0:v]"+moving+",palettegen=stats_mode=full[out]", []ffmpeg.Input{w.input(0)}, "-map", "[out]",
		"-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1", palette)
	if err != nil {
		return err
	}
	const name = "movie.gif"
	err = w.run(ctx, gifBytes, "[0:v]"+moving+"[small];[small][1:v]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle[out]",
		[]ffmpeg.Input{w.input(0), {Path: w.path(palette), Format: "png_pipe"}}, "-map", "[out]", "-loop", "0", "-f", "gif", name)
	if err != nil {
		return err
	}
	w.shown(width, height)
	return w.made(name)
}

// hls makes an HLS folder: a playlist, and one file whose parts the playlist names by byte ranges. Nothing is encoded again.
func hls(ctx context.Context, w *work) error {
	const playlist, segments = "index.m3u8", "video.ts"
	err := w.run(ctx, videoBytes, "", []ffmpeg.Input{w.input(0)}, "-map", "0:v:0", "-map", "0:a?", "-c", "copy", "-map_metadata",
		"-1",
		"-f", "hls", "-hls_time", "6", "-hls_playlist_type", "vod", "-hls_flags", "single_file", "-hls_segment_filename", segments,
		playlist)
	if err != nil {
		return err
	}
	w.shown(w.job.Plan.Width, w.job.Plan.Height)
	if err := w.made(playlist); err != nil {
		return err
	}
	return w.made(segments)
}

// fit returns the size w × h scaled down so that the longer side is at most limit and both sides are even. A size whose
// longer side is at most limit is returned unchanged.
func fit(w, h, limit int) (width, height int) {
	long := max(w, h)
	if long <= limit {
		return w, h
	}
	side := func(n int) int { return max(2, n*limit/long&^1) }
	return side(w), side(h)
}
