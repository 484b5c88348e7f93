// Package component draws the components of movies, such as cards, lower thirds, counters and shapes. Each is a small tree
// of nodes, most of them boxes and texts, whose looks and movements its settings change. Movie-schema §4.5;
// docs/components.md lists them.
//
// The builder of a component (catalogue.go) makes nodes with styles from CSS-like properties (css.go, style.go); the nodes are
// laid out once (node.go) and drawn at a time (draw.go, motion.go).
package component

import (
	"image"

	"moviola/domain"
	"moviola/domain/css"
	"moviola/domain/document"
	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// Loader returns the image at an address in a component's settings; nil without an error: the image is skipped. Each call
// of Open calls it at most once for an address.
type Loader func(address string) (image.Image, error)

// Drawer draws components. The text engine and the loader may serve a single movie. A Drawer is safe for concurrent use if its
// loader is.
type Drawer struct {
	words *text.Engine
	load  Loader
}

// New returns a Drawer. Without a loader images are skipped.
func New(words *text.Engine, load Loader) *Drawer { return &Drawer{words: words, load: load} }

// Open prepares a component in a box of w × h pixels; nothing is drawn outside of the box, and vw and vh are hundredths of
// it. A component that is unknown, or that Open finds too large to draw, is a *domain.Error; errors of the loader are
// returned unchanged.
func (d *Drawer) Open(c document.Component, w, h int) (text.Animated, error) {
	root, s, err := d.compose(c, w, h, false)
	if err != nil {
		return nil, err
	}
	return &scene{root: root, size: image.Rect(0, 0, int(s.w), int(s.h)), warnings: s.warnings, settled: root.settles()}, nil
}

// compose builds a component and lays it out; dry leaves out pictures.
func (d *Drawer) compose(c document.Component, w, h int, dry bool) (*node, *building, error) {
	build := catalogue[c.ID]
	if name := former[c.ID]; name != "" && document.Look() == document.FirstLook {
		build = catalogue[name]
	}
	if build == nil {
		return nil, nil, domain.Errorf(domain.Invalid, "component_unknown", "The component '%.60s' does not exist", c.ID)
	}
	if w > maxSide || h > maxSide || w*h > maxPixels {
		return nil, nil, errTooLarge()
	}
	w, h = max(w, 1), max(h, 1)
	s := &building{
		drawer: d, dry: dry, w: float64(w), h: float64(h),
		units:  css.Units{VW: float64(w) / 100, VH: float64(h) / 100, Em: float64(w) / 25},
		groups: groups(c.Settings), pictures: make(map[string]image.Image),
	}
	root, err := build(s)
	return root, s, err
}

// builder builds the nodes of a component and lays them out.
type builder func(*building) (*node, error)

// in lays a node out in the box of the component, at the position that its style says. vertical and horizontal are the defaults.
func (s *building) in(n *node, vertical, horizontal string) (*node, error) {
	if err := s.layout(n, 0, 0, s.w); err != nil {
		return nil, err
	}
	m := resolve(n.style.margin, s.w)
	if n.style.vertical != "" {
		vertical = n.style.vertical
	}
	if n.style.horizontal != "" {
		horizontal = n.style.horizontal
	}
	dy := s.h - n.box.h - m[top] - m[bottom]
	dx := s.w - n.box.w - m[left] - m[right]
	switch vertical {
	case "top", "start":
		dy = 0
	case "center", "middle":
		dy /= 2
	}
	switch horizontal {
	case "left", "start":
		dx = 0
	case "center", "middle":
		dx /= 2
	}
	n.move(canvas.Round(dx), canvas.Round(dy))
	return n, nil
}

// paragraphs returns a node for each text of a group. When the settings have no text for the group, or only an empty one,
// there is no node: it shows no text that the author did not write (Decision 53).
func (s *building) paragraphs(name string, st style) []*node {
	texts, _ := list(s.groups[name]["text"])
	var all []*node
	for _, t := range texts {
		n := words(st, t)
		if n.text.empty() && len(texts) == 1 {
			continue
		}
		if n.text.empty() { // an empty paragraph is a gap
			n.style.height = css.Length{Px: st.size}
		}
		all = append(all, n)
	}
	return all
}
