package render

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/mp4file"
	"moviola/domain/movie"
	"moviola/domain/timeline"
)

// join joins windows and sound into one file, without encoding, and returns the facts about the file.
func (r *run) join(windows []rendered, sound string) (string, movie.File, error) {
	dir, err := os.MkdirTemp(r.dir, "join-")
	if err != nil {
		return "", movie.File{}, fmt.Errorf("make folder of the movie: %w", err)
	}
	paths := make([]string, len(windows))
	for i, w := range windows {
		if w.piece.Setup != windows[0].piece.Setup {
			return "", movie.File{}, fmt.Errorf("windows at frames %d and %d cannot be joined: their encoder set-up differs",
				windows[0].window.Start, w.window.Start)
		}
		paths[i] = w.path
	}
	path := filepath.Join(dir, "movie.mp4")
	if err := mp4file.Assemble(paths, sound, path); err != nil {
		return "", movie.File{}, fmt.Errorf("join windows: %w", err)
	}
	m, err := mp4file.Inspect(path)
	if err == nil {
		err = m.Follows(r.plan, keyframes(r.plan.FPS))
	}
	if err != nil {
		return "", movie.File{}, err
	}
	return path, m.Facts(), nil
}

// thumbnailWidth is the largest length in pixels of a thumbnail's longer side.
const thumbnailWidth = 640

// takeThumbnail extracts the thumbnail's frame from the movie.
func (r *run) takeThumbnail(ctx context.Context, from string) (string, error) {
	dir, err := os.MkdirTemp(r.dir, "thumbnail-")
	if err != nil {
		return "", err
	}
	// The seek time is half a frame early: the first frame after it is the wanted one.
	seek := math.Max(0, (float64(r.plan.ThumbnailFrame)-0.5)*float64(r.plan.FPS.Den)/float64(r.plan.FPS.Num))
	g := &graph{}
	small := g.thumbnail("0:v", 0, r.plan)
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: from, Format: "mov", Seek: seek}}, Graph: g.script(),
		Dir: dir, Read: []string{filepath.Dir(from)}, Output: append([]string{"-frames:v", "1"}, thumbnailOutput(small, "")...),
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, thumbnailFile)
	_, err = os.Stat(path)
	return path, err
}

// fork duplicates a stream.
func (g *graph) fork(from string) (one, other string) {
	one, other = g.label(), g.label()
	g.chain(from, []string{"split"}, one+"]["+other)
	return one, other
}

// thumbnail takes a frame out of a stream as a small picture. It also takes frame 0 of the stream, because ffmpeg reports no
// progress until every output has begun.
func (g *graph) thumbnail(from string, frame int64, plan *timeline.Timeline) string {
	width, height := artwork.Fit(plan.Width, plan.Height, thumbnailWidth)
	to := g.label()
	taken := fmt.Sprintf("select='eq(n,0)+eq(n,%d)'", frame)
	// The timestamps of frame 0 and of the thumbnail's frame are set a second apart. The encoder could give the same time to closer
	// frames, and would then refuse them.
	g.chain(from, []string{taken, "settb=1", number(0), fmt.Sprintf("scale=w=%d:h=%d:flags=bicubic+accurate_rnd:"+
		"in_color_matrix=bt709:in_range=tv:out_color_matrix=bt601:out_range=pc", width, height), "format=yuvj420p"}, to)
	return to
}

// thumbnailFile is the file name under which ffmpeg writes a thumbnail into the folder of its run.
const thumbnailFile = "thumbnail.jpg"

// thumbnailOutput returns ffmpeg's arguments for writing the thumbnail from a stream into a folder.
func thumbnailOutput(from, folder string) []string {
	return []string{"-map", "[" + from + "]", "-fps_mode", "passthrough", "-c:v", "mjpeg", "-threads", "1", "-q:v", "4",
		"-f", "image2", "-update", "1", filepath.Join(folder, thumbnailFile)}
}
