package outputs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/movie"
)

// The form of a storyboard: small pictures in rows, from left to right.
const (
	boardMost    = 100 // largest number of pictures of a storyboard
	boardColumns = 10
	boardSide    = 160 // pixels of the longer side of a picture
)

// board is the layout of a storyboard. It shows the frame in the middle of each step. A last step that ends before its middle
// has no picture, unless it is the only one.
type board struct {
	step, first, count int64
	columns, rows      int64
	width, height      int // size in pixels of one picture of the storyboard
	plan               movie.Dimensions
}

// boardOf lays out a storyboard with at most one picture for each second.
func boardOf(plan movie.Dimensions) board {
	second := max(1, (plan.FPSNum+plan.FPSDen/2)/plan.FPSDen)
	b := board{plan: plan, step: max(second, (plan.Frames+boardMost-1)/boardMost)}
	b.first = min(b.step/2, plan.Frames-1)
	b.count = (plan.Frames-1-b.first)/b.step + 1
	b.columns = min(b.count, boardColumns)
	b.rows = (b.count + b.columns - 1) / b.columns
	b.width, b.height = fit(plan.Width, plan.Height, boardSide)
	return b
}

// storyboard makes one image with many small pictures of the movie, and a WebVTT file that tells players which of them to show at
// which time.
func storyboard(ctx context.Context, w *work) error {
	const sheet, cues = "storyboard.jpg", "storyboard.vtt"
	b := boardOf(w.job.Plan)
	graph := fmt.Sprintf("[0:v]select='eq(mod(n\\,%d)\\,%d)',%s,tile=layout=%dx%d,scale=out_color_matrix=bt601:out_range=pc,"+
		"format=yuvj420p[out]", b.step, b.first, rgb(b.width, b.height)+",format=rgb24", b.columns, b.rows)
	err := w.run(ctx, stillBytes, graph, []ffmpeg.Input{w.input(0)}, "-map", "[out]", "-frames:v", "1", "-c:v", "mjpeg", "-q:v", "4",
		"-f",
		"image2", "-update", "1", sheet)
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.path(cues), []byte(b.vtt(sheet)), 0o600); err != nil {
		return err
	}
	w.shown(b.width*int(b.columns), b.height*int(b.rows))
	if err := w.made(cues); err != nil {
		return err
	}
	return w.made(sheet)
}

// vtt returns the WebVTT file: for each stretch of the movie, the part of the image that shows it.
func (b board) vtt(sheet string) string {
	var text strings.Builder
	text.WriteString("WEBVTT\n")
	for i := range b.count {
		end := (i + 1) * b.step
		if i == b.count-1 {
			end = b.plan.Frames
		}
		x, y := i%b.columns*int64(b.width), i/b.columns*int64(b.height)
		fmt.Fprintf(&text, "\n%s --> %s\n%s#xywh=%d,%d,%d,%d\n", b.at(i*b.step), b.at(end), sheet, x, y, b.width, b.height)
	}
	return text.String()
}

// at formats the time of a frame.
func (b board) at(frame int64) string {
	seconds := float64(frame) * float64(b.plan.FPSDen) / float64(b.plan.FPSNum)
	d := time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
	return fmt.Sprintf("%02d:%02d:%02d.%03d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, d.Milliseconds()%1000)
}
