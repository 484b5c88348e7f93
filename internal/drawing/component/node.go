package component

import (
	"image"
	"image/draw"
	"math"
	"strings"

	"moviola/domain"
	"moviola/domain/css"
	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/picture"
	"moviola/internal/drawing/text"
)

// node is a box with its content. Its children are stacked, or side by side in a row.
type node struct {
	style    style
	text     *rich
	tabular  bool // digits of the text have equal widths
	inline   bool // the box is as wide as its content
	row      bool
	stretch  bool // the box is as high as the row that contains it
	clips    bool // the content of the box is clipped at the edges of the box
	gap      float64
	children []*node
	motions  []motion
	// paint draws into the content box at a time; nil: nothing. The list is in the coordinates of the component.
	paint func(l *canvas.List, at canvas.Matrix, box frame, seconds float64)
	// ends is the time after which paint does not change.
	ends float64

	// Results of the layout: the border box, and the content box.
	box, content frame
	block        *text.Block
	drawn        text.Drawing
	picture      *image.NRGBA
	pictureScale canvas.Point // scale of the picture in the box; 0, 0: not scaled
}

// frame is a rectangle in pixels.
type frame struct{ x, y, w, h float64 }

// building holds the state while a component is built.
type building struct {
	drawer   *Drawer
	w, h     float64
	units    css.Units
	groups   map[string]group
	pictures map[string]image.Image
	warnings []string
	dry      bool    // texts are measured but not drawn
	set      []*node // nodes with a text that was laid out; collected only if the field dry is true
	pixels   int     // number of pixels of the pictures that are kept in memory
	nodes    int
	// textBytes is the length of the texts that were laid out, in bytes.
	textBytes int
}

// The limits of a component: for the length of a side in pixels, for its own pixels and for those of its pictures and
// drawn texts together, for the number of its boxes, and for the length of its texts in bytes.
const (
	maxSide      = 16_384
	maxPixels    = 64 << 20
	maxNodes     = 2000
	maxTextBytes = 50_000
)

func errTooLarge() error {
	return domain.Errorf(domain.Invalid, "component_too_large", "The component is too large to draw. Make its box, texts or "+
		"images smaller")
}

// keep counts pixels that are kept in memory.
func (s *building) keep(r image.Rectangle) error {
	if r.Dx() > maxPixels || r.Dy() > maxPixels { // their product could overflow
		return errTooLarge()
	}
	if s.pixels += r.Dx() * r.Dy(); s.pixels > maxPixels {
		return errTooLarge()
	}
	return nil
}

// style returns the style of a group: values inherited from the container, then the defaults of the component, then the settings.
func (s *building) style(name string, parent *style, defaults string) style {
	st := parent.inherited()
	st.group = name
	given := s.groups[name].css()
	all := css.Declarations(defaults)
	for _, d := range given {
		// A background in the settings replaces all of the default background, not only the property of the same name.
		if d.Name == "background" || d.Name == "background-color" || d.Name == "background-image" {
			all = append(all, css.Declaration{Name: "background", Value: "none"})
			break
		}
	}
	st.apply(append(all, given...))
	return st
}

// root is the style of the component itself.
func (s *building) root() style {
	st := style{units: s.units, family: "Inter", size: s.units.VW * 4, weight: 400,
		color: Color{R: 255, G: 255, B: 255, A: 255}, align: "left", opacity: 1}
	st.units.Em = st.size
	return st
}

// words returns a node with a text.
func words(st style, source string) *node {
	r := readRich(source, &st)
	return &node{style: st, text: &r}
}

// layout computes the sizes of a node in a container of the given width, and places it.
func (s *building) layout(n *node, x, y, width float64) error {
	if s.nodes++; s.nodes > maxNodes {
		return errTooLarge()
	}
	st := &n.style
	margin, padding, border := resolve(st.margin, width), resolve(st.padding, width), resolve(st.border, width)
	for i := range padding {
		padding[i], border[i] = max(padding[i], 0), max(border[i], 0)
	}
	room := max(width-margin[left]-margin[right], 0)
	fixed := !st.width.Auto
	outer := st.width.Of(width, room)
	if !st.maxWidth.Auto {
		outer = min(outer, st.maxWidth.Of(width, outer))
	}
	outer = canvas.Round(min(max(outer, 0), maxSide))
	inset := padding[left] + padding[right] + border[left] + border[right]
	n.box = frame{x: canvas.Round(x + margin[left]), y: canvas.Round(y + margin[top]), w: outer}
	n.content = frame{x: n.box.x + canvas.Round(border[left]+padding[left]),
		y: n.box.y + canvas.Round(border[top]+padding[top]), w: max(outer-inset, 0)}
	if err := s.fill(n); err != nil {
		return err
	}
	if n.inline && !fixed {
		wanted := canvas.Round(math.Ceil(n.natural() + inset))
		if wanted < n.box.w {
			n.box.w, n.content.w = wanted, max(wanted-inset, 0)
			n.shrink()
		}
	}
	n.box.h = canvas.Round(math.Ceil(n.content.h + padding[top] + padding[bottom] + border[top] + border[bottom]))
	if !st.height.Auto {
		n.box.h = canvas.Round(min(max(st.height.Of(s.h, n.box.h), 0), maxSide))
		n.content.h = max(n.box.h-padding[top]-padding[bottom]-border[top]-border[bottom], 0)
	}
	n.align()
	return s.load(n)
}

// resolve converts four lengths to pixels. Percentages are of the container's width.
func resolve(s sides, width float64) (px [4]float64) {
	for i, l := range s {
		px[i] = min(max(l.Of(width, 0), -maxSide), maxSide)
	}
	return px
}

// fill lays out the content of a node. The caller has set the position and the largest width of the node's content box.
func (s *building) fill(n *node) error {
	if n.text != nil && !n.text.empty() {
		return s.setText(n)
	}
	x, y := n.content.x, n.content.y
	for _, child := range n.children {
		if child.style.hidden {
			continue
		}
		if err := s.layout(child, x, y, max(n.content.x+n.content.w-x, 0)); err != nil {
			return err
		}
		m := resolve(child.style.margin, n.content.w)
		if n.row {
			x = child.box.x + child.box.w + m[right] + n.gap
			n.content.h = max(n.content.h, child.box.y+child.box.h+m[bottom]-n.content.y)
		} else {
			y = child.box.y + child.box.h + m[bottom] + n.gap
			n.content.h = max(y-n.gap-n.content.y, 0)
		}
	}
	return nil
}

// natural is the width of a node's content, without parts that fill the available width.
func (n *node) natural() float64 {
	if n.block != nil {
		w, _ := n.block.Size()
		return w
	}
	wide := 0.0
	for _, child := range n.children {
		if n.row || !child.fills() {
			wide = max(wide, child.box.x+child.box.w-n.content.x)
		}
	}
	return wide
}

// fills reports whether a node takes the available width.
func (n *node) fills() bool { return !n.inline && n.style.width.Auto && n.text == nil }

// shrink reduces the width of children that fill a node which has become narrower.
func (n *node) shrink() {
	for _, child := range n.children {
		if !n.row && child.fills() {
			child.box.w = max(min(child.box.w, n.content.x+n.content.w-child.box.x), 0)
		}
	}
}

// align positions the children: by text-align in a column, in the vertical middle in a row.
func (n *node) align() {
	for _, child := range n.children {
		room := n.content.w - (child.box.x - n.content.x) - child.box.w
		switch {
		case n.row && child.stretch:
			child.box.h = n.content.h
		case n.row:
			child.move(0, canvas.Round((n.content.h-child.box.h)/2))
		case room <= 0:
		case n.style.align == "center":
			child.move(canvas.Round(room/2), 0)
		case n.style.align == "right" || n.style.align == "end":
			child.move(canvas.Round(room), 0)
		}
	}
}

// move shifts a node with its content.
func (n *node) move(dx, dy float64) {
	n.box.x, n.box.y, n.content.x, n.content.y = n.box.x+dx, n.box.y+dy, n.content.x+dx, n.content.y+dy
	for _, child := range n.children {
		child.move(dx, dy)
	}
}

// setText shapes the text of a node.
func (s *building) setText(n *node) error {
	if s.textBytes += len(n.text.text); s.textBytes > maxTextBytes {
		return errTooLarge()
	}
	width := int(min(max(n.content.w, 1), maxSide))
	if n.style.autoSize {
		if err := s.fitSize(n); err != nil {
			return err
		}
	}
	block, err := s.lay(n, width)
	if err != nil {
		return err
	}
	n.block = block
	_, n.content.h = block.Size()
	if s.dry {
		s.set = append(s.set, n)
		return nil
	}
	if n.drawn, err = block.Draw(); err != nil {
		return err
	}
	return s.keep(n.drawn.Image.Rect)
}

func (s *building) lay(n *node, width int) (*text.Block, error) {
	t := timeline.Text{Text: n.text.text, Settings: n.style.text()}
	block, err := s.drawer.words.Lay(t, text.Options{Spans: n.text.spans, Tabular: n.tabular}, width, int(max(s.h, 1))*2)
	if err != nil {
		return nil, err
	}
	for _, w := range block.Warnings {
		if len(s.warnings) < 5 {
			s.warnings = append(s.warnings, w)
		}
	}
	return block, nil
}

// fitSize sets a text of automatic size to about the largest size in which it fits without being broken into lines. The
// size is at most that of the style, and at least half of it and 1 pixel; a text that is too long even then is broken into
// lines.
func (s *building) fitSize(n *node) error {
	least := max(n.style.size/2, smallest)
	const tries = 4 // the width of fonts is not exactly proportional to their size
	for range tries {
		block, err := s.lay(n, maxSide)
		if err != nil {
			return err
		}
		w, _ := block.Size()
		if w <= n.content.w || w <= 0 || n.style.size <= least {
			break
		}
		n.style.size = max(math.Floor(n.style.size*n.content.w/w*9.8)/10, least)
	}
	return nil
}

// load fetches and scales a node's background image.
func (s *building) load(n *node) error {
	if n.style.image == "" || n.box.w < 1 || n.box.h < 1 {
		return nil
	}
	source, err := s.source(n.style.image)
	if err != nil || source == nil {
		return err
	}
	size := image.Rect(0, 0, int(n.box.w), int(n.box.h))
	if err := s.keep(size); err != nil {
		return err
	}
	n.picture = image.NewNRGBA(size)
	at := n.style.pictureBox(source.Bounds(), n.box.w, n.box.h)
	if seen := at.Intersect(size); !seen.Empty() {
		draw.Draw(n.picture, seen, picture.Scale(source, at, seen), seen.Min, draw.Src)
	}
	outline := n.outline(frame{w: n.box.w, h: n.box.h}, 0)
	canvas.Mask(n.picture, canvas.Cover(outline, canvas.Identity, size), 1)
	return nil
}

// source returns the image at an address; each is loaded once.
func (s *building) source(address string) (image.Image, error) {
	if s.drawer.load == nil {
		return nil, nil
	}
	if p, ok := s.pictures[address]; ok {
		return p, nil
	}
	p, err := s.drawer.load(address)
	if err != nil {
		return nil, err
	}
	if p != nil && p.Bounds().Empty() {
		p = nil
	}
	s.pictures[address] = p
	return p, nil
}

// pictureBox is the rectangle of an image in a box: it covers the box unless background-size says otherwise.
func (s *style) pictureBox(source image.Rectangle, w, h float64) image.Rectangle {
	sw, sh := float64(source.Dx()), float64(source.Dy())
	factor := max(w/sw, h/sh)
	width, height := sw*factor, sh*factor
	parts := strings.Fields(s.imageSize)
	switch {
	case s.imageSize == "contain":
		factor = min(w/sw, h/sh)
		width, height = sw*factor, sh*factor
	case len(parts) > 0 && s.imageSize != "cover":
		if l, ok := s.units.Length(parts[0]); ok {
			width = l.Of(w, sw)
			height = width * sh / sw
		}
		if len(parts) > 1 {
			if l, ok := s.units.Length(parts[1]); ok && !l.Auto {
				height = l.Of(h, height)
			}
		}
	}
	width, height = min(max(width, 1), maxSide), min(max(height, 1), maxSide)
	x, y := s.picturePlace(w-width, h-height)
	return image.Rect(int(math.Floor(x)), int(math.Floor(y)), int(math.Ceil(x+width)), int(math.Ceil(y+height)))
}

// picturePlace returns the position of an image in a box, in pixels from the top left corner of the box. spareX and spareY
// are by how much the box is wider and higher than the image; they may be negative. The image is in the middle of the box
// unless background-position says otherwise. That property has words such as left and top, and lengths: a length that
// comes first is the horizontal one, a second value that is a length is the vertical one.
func (s *style) picturePlace(spareX, spareY float64) (x, y float64) {
	x, y = spareX/2, spareY/2
	words := strings.Fields(s.imagePlace)
	for i, word := range words {
		l, isLength := s.units.Length(word)
		switch {
		case word == "left":
			x = 0
		case word == "right":
			x = spareX
		case word == "top":
			y = 0
		case word == "bottom":
			y = spareY
		case !isLength || len(words) > 2: // center, or lengths from other edges, which are not supported
		case i == 0:
			x = min(max(l.Of(spareX, x), -maxSide), maxSide)
		default:
			y = min(max(l.Of(spareY, y), -maxSide), maxSide)
		}
	}
	return x, y
}
