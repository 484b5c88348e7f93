package render

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain/movie"
)

// join puts windows and sound into one file, by copy.
func (r *run) join(ctx context.Context, windows []rendered, sound string) (string, error) {
	dir, err := os.MkdirTemp(r.dir, "join-")
	if err != nil {
		return "", fmt.Errorf("make folder of the movie: %w", err)
	}
	// Names in the list are of our own making, and lie beside it: the list needs no escapes.
	list := strings.Builder{}
	list.WriteString("ffconcat version 1.0\n")
	for i, w := range windows {
		if w.piece.Setup != windows[0].piece.Setup {
			return "", fmt.Errorf("windows at frames %d and %d cannot be joined: their encoder set-up differs",
				windows[0].window.Start, w.window.Start)
		}
		name := "w" + strconv.Itoa(i) + ".mp4"
		if err := link(w.path, filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("link window: %w", err)
		}
		// Without its exact length a file's end is rounded to milliseconds, which bends the time at fps such as 29.97.
		seconds := float64(w.window.Frames) * float64(r.plan.FPS.Den) / float64(r.plan.FPS.Num)
		fmt.Fprintf(&list, "file %s\nduration %.6f\n", name, seconds)
	}
	if err := os.WriteFile(filepath.Join(dir, "list.txt"), []byte(list.String()), 0o600); err != nil {
		return "", fmt.Errorf("write list of windows: %w", err)
	}
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{
			{Path: filepath.Join(dir, "list.txt"), Format: "concat"},
			{Path: sound, Format: "mov"},
		},
		Dir: dir, Read: []string{r.parts},
		Output: []string{"-map", "0:v", "-map", "1:a", "-c", "copy", "-bsf:v", r.decodingTimes(), "-map_metadata", "-1", "-fflags", "+bitexact",
			"-movflags", "+faststart", "-f", "mp4", "movie.mp4"},
	})
	if err != nil {
		return "", fmt.Errorf("join windows: %w", err)
	}
	return filepath.Join(dir, "movie.mp4"), nil
}

// reordered is by how many frames x264 may show a frame after it was decoded, as it is set up for windows.
const reordered = 2

// decodingTimes is the filter that gives the frames their decoding times, one after the other in even steps. A window of one or two frames has
// none before its beginning, a longer one has two: side by side they would go backwards, and the file would seem shorter than it is.
func (r *run) decodingTimes() string {
	return fmt.Sprintf("setts=pts=PTS:dts=(N-%d)*%d/(%d*TB)", reordered, r.plan.FPS.Den, r.plan.FPS.Num)
}

// check probes the finished file against its plan and returns the facts of it. Design §5: a file that does not match within one
// frame is a failed render.
func (r *run) check(ctx context.Context, path string) (movie.File, error) {
	m, err := r.engine.cfg.Tools.Probe(ctx, path, "mov")
	if err != nil {
		return movie.File{}, fmt.Errorf("probe the movie: %w", err)
	}
	v, a := m.Video, m.Audio
	if v == nil || a == nil {
		return movie.File{}, fmt.Errorf("the movie has %d video and %d audio streams", m.VideoStreams, m.AudioStreams)
	}
	if v.Width != r.plan.Width || v.Height != r.plan.Height {
		return movie.File{}, fmt.Errorf("the movie is %d × %d instead of %d × %d", v.Width, v.Height, r.plan.Width, r.plan.Height)
	}
	frame := float64(r.plan.FPS.Den) / float64(r.plan.FPS.Num)
	planned := float64(r.plan.Frames) * frame
	if d := v.Frames - r.plan.Frames; d < -1 || d > 1 || math.Abs(m.Duration-planned) > frame+0.03 {
		return movie.File{}, fmt.Errorf("the movie has %d frames and %.3f s instead of %d and %.3f s", v.Frames, m.Duration, r.plan.Frames, planned)
	}
	return fileFacts(m), nil
}

// fileFacts are what the webhook says of the file. Spec: Events, Payload fields.
func fileFacts(m commands.Media) movie.File {
	v := m.Video
	return movie.File{
		Size: m.SizeBytes, Codec: v.Codec, CodecType: "video", PixelFormat: v.PixelFormat,
		VideoStreams: m.VideoStreams, AudioStreams: m.AudioStreams, FrameRate: v.FrameRate,
		ColorTransfer: v.ColorTransfer, ColorPrimaries: v.ColorPrimaries, ColorSpace: v.ColorSpace,
	}
}

// thumbnailWidth is the longer side of a thumbnail at most.
const thumbnailWidth = 640

// takeThumbnail takes the plan's frame out of the movie.
func (r *run) takeThumbnail(ctx context.Context, from string) (string, error) {
	dir, err := os.MkdirTemp(r.dir, "thumbnail-")
	if err != nil {
		return "", err
	}
	width, height := fit(r.plan.Width, r.plan.Height, thumbnailWidth)
	// Half a frame early: the wanted one is the first that follows.
	seek := math.Max(0, (float64(r.plan.ThumbnailFrame)-0.5)*float64(r.plan.FPS.Den)/float64(r.plan.FPS.Num))
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: from, Format: "mov", Seek: seek}},
		Graph: fmt.Sprintf("[0:v]scale=w=%d:h=%d:flags=bicubic+accurate_rnd:in_color_matrix=bt709:in_range=tv:"+
			"out_color_matrix=bt601:out_range=pc,format=yuvj420p[t]\n", width, height),
		Dir: dir, Read: []string{filepath.Dir(from)},
		Output: []string{"-map", "[t]", "-frames:v", "1", "-c:v", "mjpeg", "-q:v", "4", "-f", "image2", "-update", "1", "thumbnail.jpg"},
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "thumbnail.jpg")
	_, err = os.Stat(path)
	return path, err
}

// fit returns the size of a picture whose longer side is at most limit; both sides even.
func fit(w, h, limit int) (int, int) {
	long := max(w, h)
	if long <= limit {
		return w, h
	}
	side := func(n int) int { return max(2, n*limit/long&^1) }
	return side(w), side(h)
}
