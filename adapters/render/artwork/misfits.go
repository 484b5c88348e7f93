package artwork

import (
	"moviola/commands"
	"moviola/domain/caption"
	"moviola/domain/document"
	"moviola/domain/timeline"
	drawn "moviola/internal/drawing/captions"
	"moviola/internal/drawing/component"
	"moviola/internal/drawing/text"
)

// Misfits returns notes on those texts of the layer l that do not fit into their boxes. It returns none if words is not a
// *text.Engine.
func Misfits(words TextDrawer, l timeline.Layer) ([]document.Note, error) {
	engine, ok := words.(*text.Engine)
	if !ok {
		return nil, nil
	}
	if l.Component != nil {
		return component.New(engine, nil).Notes(l.Ref, *l.Component, l.Box.W, l.Box.H)
	}
	block, err := engine.Lay(*l.Text, text.Options{}, l.Box.W, l.Box.H)
	if err != nil {
		return nil, err
	}
	if n, overflows := text.Overflow(l.Ref, block, l.Box); overflows {
		return []document.Note{n}, nil
	}
	return nil, nil
}

// CaptionMisfits returns notes on the captions in track that do not fit into a frame of the movie, whose timeline is
// plan: on the longest line, and on the caption that extends furthest beyond the frame. It calls more before it examines
// a caption, and examines no further caption once more has returned false. It returns no notes if words is not a
// *text.Engine.
func CaptionMisfits(words TextDrawer, plan *timeline.Timeline, track caption.Track, more func() bool) ([]document.Note, error) {
	engine, ok := words.(*text.Engine)
	if !ok {
		return nil, nil
	}
	notes, _, err := drawn.Overflow(engine, plan.Subtitles, track, plan.Width, plan.Height, more)
	return notes, err
}

// WithFonts returns the text engine words with further fonts added: the movie's own, and the fetched fonts faces. paths
// maps the address of each of the movie's own fonts to the path of its file. If words is not a *text.Engine, WithFonts
// returns it unchanged.
func WithFonts(words TextDrawer, paths map[string]string, faces []commands.FontFace) (TextDrawer, error) {
	engine, ok := words.(*text.Engine)
	if !ok {
		return words, nil
	}
	return engine.WithFonts(paths, faces...)
}
