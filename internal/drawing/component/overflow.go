package component

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"moviola/domain/css"
	"moviola/domain/document"
	"moviola/domain/jsontext"
	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// Overflow is a text of a component that does not fit.
type Overflow struct {
	Path         []string // path of the text in the settings
	W, H         float64  // size that the text needs, in pixels
	RoomW, RoomH float64  // size that is available for the text, in pixels
}

// Overflows lays a component out as Open does, without pictures, and returns the texts that do not fit, at most one for
// each group. A text does not fit if, at rest, it is clipped at the edge of the component or of a clipping box (see
// cutTexts), or if it is larger than its box, whose height is given. Less than a pixel is tolerated.
func (d *Drawer) Overflows(c document.Component, w, h int) ([]Overflow, error) {
	root, s, err := New(d.words, nil).compose(c, w, h, true)
	if err != nil {
		return nil, err
	}
	found := map[string]Overflow{}
	for _, n := range s.set {
		if wide, high := n.block.Size(); n.bounded() && (wide >= n.content.w+1 || high-2*n.leading() >= n.content.h+1) {
			n.exceeds(found, wide, high, n.content.w, n.content.h)
		}
	}
	root.cutTexts(found, frame{w: s.w, h: s.h})
	var all []Overflow
	for _, group := range slices.Sorted(maps.Keys(found)) {
		o := found[group]
		o.Path = textPath(c.Settings, group)
		all = append(all, o)
	}
	return all, nil
}

// textPath returns the path in settings to the text of a group: the name of the group, then text or html, spelled as in
// settings. For the groups header and cells of a table, it returns the path to the setting data, which holds the texts of
// both.
func textPath(settings map[string]any, group string) []string {
	var path []string
	for _, name := range css.Spellings(settings) {
		switch p := css.PropertyName(name); {
		case p == "data" && (group == "cells" || group == "header"):
			return []string{name}
		case p != group:
			continue
		}
		path = []string{name}
		fields, _ := settings[name].(map[string]any)
		for _, field := range css.Spellings(fields) {
			if p := css.PropertyName(field); p == "text" || p == "html" {
				path = []string{name, field}
			}
		}
	}
	return path
}

// Notes returns notes on the texts of a component that do not fit.
func (d *Drawer) Notes(ref timeline.Ref, c document.Component, w, h int) ([]document.Note, error) {
	found, err := d.Overflows(c, w, h)
	var notes []document.Note
	for _, o := range found {
		what := "The text"
		if len(o.Path) > 0 {
			what += " of '" + o.Path[0] + "'"
		}
		notes = append(notes, document.Note{
			Ref: ref, Path: jsontext.Pointer("/settings", o.Path...), Code: text.TextOverflow,
			Remedy: "Make its 'font-size' smaller, the text shorter, or its box or the element larger",
			Text:   fmt.Sprintf("%s needs %.0f×%.0f pixels, and there is room for %.0f×%.0f", what, o.W, o.H, o.RoomW, o.RoomH),
		})
	}
	return notes, err
}

// bounded reports whether the node n is visible and its height is set, so that the height does not depend on the node's
// text.
func (n *node) bounded() bool { return !n.style.height.Auto && !n.style.hidden }

// exceeds records a text that does not fit, if it is the one of its group that needs the most space.
func (n *node) exceeds(found map[string]Overflow, w, h, roomW, roomH float64) {
	if o, ok := found[n.style.group]; !ok || w*h > o.W*o.H {
		found[n.style.group] = Overflow{W: w, H: h, RoomW: roomW, RoomH: roomH}
	}
}

// cutTexts adds to found the texts of n and its children that extend beyond seen, the visible part of the component. It
// looks at the places that the nodes have when nothing moves, and skips hidden and rotated nodes.
func (n *node) cutTexts(found map[string]Overflow, seen frame) {
	if n.style.hidden || n.style.turn != 0 {
		return
	}
	if n.clips && !n.style.overflows {
		seen = seen.and(n.box)
	}
	if n.block != nil {
		w, h := n.block.Size()
		above := n.leading()
		letters := frame{n.textLeft(), n.content.y + above, w, max(h-2*above, 0)}
		if inside := seen.and(letters); inside.w <= letters.w-1 || inside.h <= letters.h-1 {
			n.exceeds(found, w, h, canvas.Round(inside.w), canvas.Round(inside.h))
		}
	}
	for _, child := range n.children {
		child.cutTexts(found, seen)
	}
}

// leading is the space above and below the letters of a line: clipping it loses nothing.
func (n *node) leading() float64 {
	_, high := n.block.Size()
	return max(high/float64(max(n.block.Lines(), 1))-n.style.size, 0) / 2
}

// and, a method of frames, returns the rectangle in which f and other overlap. If they do not overlap, its width or height
// is 0.
func (f frame) and(other frame) frame {
	x, y := math.Max(f.x, other.x), math.Max(f.y, other.y)
	return frame{x, y, max(min(f.x+f.w, other.x+other.w)-x, 0), max(min(f.y+f.h, other.y+other.h)-y, 0)}
}
