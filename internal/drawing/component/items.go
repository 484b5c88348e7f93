package component

import (
	"moviola/domain/css"
	"moviola/internal/drawing/canvas"
)

// The bounds of a table.
const (
	maxRows    = 100
	maxColumns = 20
)

// table is basic/125: a table whose rows appear one after the other.
func table(s *building) (*node, error) {
	root := s.root()
	root.color = Color{A: 255}
	outer := &node{style: s.style("table", &root, "font-size: 3vw; line-height: 1.3; width: 100%")}
	columns, rows := tableData(s.groups["data"])
	widths := s.columnWidths(max(len(columns), longest(rows)))
	outer.gap = outer.style.spacingY
	if len(columns) > 0 {
		style := func(int) style {
			return s.style("header", &outer.style, "font-weight: 700; padding: .6vw 1vw; border-bottom: 0.2vw solid")
		}
		if !style(0).hidden {
			n := s.tableRow(outer, columns, widths, style)
			n.motions = s.groups["header"].tuned(enter(0, 0.5, "easeOutCubic", from(0, 2*s.units.VH)))
			outer.children = append(outer.children, n)
		}
	}
	for i, cells := range rows {
		n := s.tableRow(outer, cells, widths, s.cellStyle(outer))
		n.motions = s.groups["cells"].tuned(enter(0.2+0.2*float64(min(i, 20)), 0.7, "easeOutExpo", from(4*s.units.VW, 0)))
		outer.children = append(outer.children, n)
	}
	return s.in(outer, "center", "center")
}

// cellStyle returns the style of a cell by its column. The first column has additional settings.
func (s *building) cellStyle(outer *node) func(column int) style {
	return func(column int) style {
		st := s.style("cells", &outer.style, "padding: .6vw 1vw")
		if column == 0 {
			st.apply(s.groups["first-column"].css())
		}
		return st
	}
}

// tableRow is a row of cells with the same height.
func (s *building) tableRow(outer *node, cells []string, widths []css.Length, of func(column int) style) *node {
	row := &node{style: outer.style.inherited(), row: true, gap: outer.style.spacingX}
	for i, cell := range cells {
		st := of(i)
		if i < len(widths) {
			st.width = widths[i]
		}
		st.width = css.Length{Px: st.width.Of(outer.style.width.Of(s.w, s.w), 0)}
		n := words(st, cell)
		n.stretch = true
		row.children = append(row.children, n)
	}
	return row
}

// columnWidths returns the widths given in the header; the other columns share the rest evenly.
func (s *building) columnWidths(n int) []css.Length {
	widths := make([]css.Length, min(n, maxColumns))
	given, _ := list(s.groups["header"]["column-widths"])
	left, open := 1.0, len(widths)
	for i := range widths {
		widths[i] = css.Length{Auto: true}
		if i < len(given) {
			if l, ok := s.units.Length(given[i]); ok && !l.Auto {
				widths[i] = l
				left -= l.Share + l.Px/max(s.w, 1)
				open--
			}
		}
	}
	for i := range widths {
		if widths[i].Auto {
			widths[i] = css.Length{Share: max(left, 0.05) / float64(max(open, 1))}
		}
	}
	return widths
}

func longest(rows [][]string) (n int) {
	for _, r := range rows {
		n = max(n, len(r))
	}
	return n
}

// tableData reads the names of the columns and the rows, each a list of cells.
func tableData(data group) (columns []string, rows [][]string) {
	columns, _ = list(data["columns"])
	columns = columns[:min(len(columns), maxColumns)]
	all, _ := data["rows"].([]any)
	for _, one := range all[:min(len(all), maxRows)] {
		if cells, ok := list(one); ok {
			rows = append(rows, cells[:min(len(cells), maxColumns)])
		}
	}
	return columns, rows
}

// place reads a frame from the settings left, top, width and height of the group g, whose names there begin with prefix.
// For a setting that is not given, or is no length, it uses the value in the parameter otherwise.
func (s *building) place(g group, prefix string, otherwise frame) frame {
	read := func(key string, whole, otherwise float64) float64 {
		value, _ := scalar(g[prefix+key])
		if l, ok := s.units.Length(value); ok {
			return l.Of(whole, otherwise)
		}
		return otherwise
	}
	return frame{
		x: read("left", s.w, otherwise.x), y: read("top", s.h, otherwise.y),
		w: read("width", s.w, otherwise.w), h: read("height", s.h, otherwise.h),
	}
}

// between interpolates between the boxes a and b: share is 0 for a, 1 for b. Easings may overshoot, but sizes never become
// negative.
func between(a, b frame, share float64) frame {
	mix := func(a, b float64) float64 { return a + (b-a)*share }
	return frame{x: mix(a.x, b.x), y: mix(a.y, b.y), w: max(mix(a.w, b.w), 0), h: max(mix(a.h, b.h), 0)}
}

// tween is the timing of a change.
type tween struct {
	delay, ends float64
	ease        canvas.Easing
}

// tween reads duration, delay (milliseconds) and easing of a group.
func (s *building) tween(g group, seconds float64, easing string) tween {
	t := tween{delay: g.number(0, 0, maxSeconds*1000, "delay") / 1000, ease: canvas.MustEase(easing)}
	t.ends = t.delay + g.number(seconds*1000, 0, maxSeconds*1000, "duration")/1000
	if e, ok := canvas.Ease(g.word("easing")); ok {
		t.ease = e
	}
	return t
}

// at is the completed fraction of the change at a time.
func (t tween) at(seconds float64) float64 {
	switch {
	case seconds >= t.ends:
		return 1
	case seconds <= t.delay:
		return 0
	}
	return t.ease((seconds - t.delay) / (t.ends - t.delay))
}
