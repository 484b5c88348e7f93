package render

import (
	"context"
	"errors"
	"strconv"

	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain/document"
)

// The names under which contents has what is no source of the movie. No address begins with a blank.
const (
	contentPictures = " pictures"
	contentSpan     = " span"
)

// equal asks for an equal movie. When there is one, equal keeps what the movie's elements generate, as a render does, and
// returns commands.ErrCached. Decisions 20, 47 and 102.
func (r *run) equal(ctx context.Context, doc *document.Movie) error {
	if r.job.Fetched == nil || len(r.fonts.Unreachable) > 0 {
		return nil
	}
	contents, err := r.contents()
	if err != nil {
		return err
	}
	err = r.job.Fetched(ctx, contents)
	if errors.Is(err, commands.ErrCached) {
		r.keepMade(ctx, doc)
	}
	return err
}

// contents returns what two movies with the same document must have in common to be equal: the content of each source by its
// key, all that goes into their pictures, and, where a page may change, the span of time in which they are made. A span is as
// long as the picture of a page is used.
func (r *run) contents() (map[string]string, error) {
	contents, specs := r.hashes(), []windowSpec{}
	for _, w := range r.plan.Windows {
		spec, err := r.windowSpec(w, false)
		if err != nil {
			return nil, err
		}
		// Processes with other encoders make movies that count as equal.
		spec.FFmpeg, spec.Encoder, spec.Coder, spec.Held = "", nil, [2]string{}, false
		specs = append(specs, spec)
		if !r.ages(w).IsZero() {
			span := r.clock().Unix() / int64(max(1, r.engine.cfg.PageTTL.Seconds()))
			contents[contentSpan] = strconv.FormatInt(span, 10)
		}
	}
	var err error
	contents[contentPictures], err = workspace.Key(specs)
	return contents, err
}
