package render

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// Composed composes every frame of a movie, and returns the sums of the frames, before they are encoded, and which of them are called changed.
func Composed(ctx context.Context, e *Engine, job commands.RenderJob) ([]string, []bool, error) {
	doc, err := document.Parse(job.Document)
	if err != nil {
		return nil, nil, err
	}
	r, err := e.begin(job)
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	if doc, err = r.fetchSources(ctx, doc); err != nil {
		return nil, nil, err
	}
	if r.plan, err = timeline.Lay(doc, r.facts()); err != nil {
		return nil, nil, err
	}
	if _, err := r.caption(ctx); err != nil {
		return nil, nil, err
	}
	if err := r.openStills(); err != nil {
		return nil, nil, err
	}
	var sums []string
	var called []bool
	for i, w := range windowsOf(r.plan) {
		c, err := r.changesOf(ctx, w)
		if err != nil {
			return nil, nil, err
		}
		if c == nil {
			c = make(changed, w.Frames)
			c.mark(0, w.Frames, altered)
		}
		for _, how := range c {
			called = append(called, how != same)
		}
		g, _, err := r.compose(ctx, w, everything(w.Frames))
		if err != nil {
			return nil, nil, err
		}
		dir := filepath.Join(r.dir, "composed"+strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, nil, err
		}
		last := g.finish(everything(w.Frames))
		if err := e.cfg.Tools.Run(ctx, ffmpeg.Command{Inputs: g.inputs, Graph: g.script(), Dir: dir, Read: []string{r.in},
			Output: []string{"-map", "[" + last + "]", "-f", "framemd5", "sums.txt"}}); err != nil {
			return nil, nil, err
		}
		text, err := os.ReadFile(filepath.Join(dir, "sums.txt"))
		if err != nil {
			return nil, nil, err
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") {
				sums = append(sums, line[strings.LastIndexByte(line, ',')+1:])
			}
		}
	}
	return sums, called, nil
}
