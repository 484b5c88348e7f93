package examine

import (
	"bufio"
	"encoding/xml"
	"io"
	"math"
	"net/url"
	"regexp"
	"strings"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/css"
)

const (
	// maxDrawingBytes is the largest size of an SVG drawing in bytes; browsers get the drawing as a part of a page.
	maxDrawingBytes = 5 << 20
	// maxDrawingSide is the largest natural width and height of a drawing in pixels: the size of a larger drawing is scaled
	// down to it. A drawing can still be drawn larger than its natural size.
	maxDrawingSide = 3840
	// The size in pixels of a drawing without a size, as in browsers.
	drawingWidth, drawingHeight = 300, 150
)

// prolog is how an SVG drawing begins: with its first element, or with its document type, which may be long.
var prolog = regexp.MustCompile(`(?is)^\x{feff}?(\s+|<\?.*?\?>|<!--.*?-->)*(<!DOCTYPE\s+svg\b|<(\w+:)?svg[\s>/])`)

// isDrawing recognises an SVG drawing.
func isDrawing(head []byte) bool { return prolog.Match(head) }

// asDrawing reads the natural size of an SVG drawing.
func asDrawing(asset *commands.Asset, target *url.URL) error {
	f, size, err := opened(*asset)
	if err != nil {
		return err
	}
	defer f.Close()
	if size > maxDrawingBytes {
		return domain.Errorf(domain.Invalid, CodeTooLarge, "The drawing at '%s' is too large: an SVG can have at most %d MB",
			Shown(target), maxDrawingBytes>>20)
	}
	root, ok := rootOf(f)
	if !ok || root.Name.Local != "svg" {
		return unreadable(target, "drawing")
	}
	asset.Facts.Width, asset.Facts.Height = drawingSize(root)
	asset.Orientation = upright
	return nil
}

// rootOf returns the first element of an XML document. Everything before it, including entities, is ignored.
func rootOf(r io.Reader) (xml.StartElement, bool) {
	d := xml.NewDecoder(bufio.NewReader(r))
	d.Strict = false
	// element names and numbers are ASCII in every encoding that isDrawing recognises
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.RawToken()
		if err != nil {
			return xml.StartElement{}, false
		}
		if root, ok := token.(xml.StartElement); ok {
			return root, true
		}
	}
}

// drawingSize returns the size in pixels at which browsers show a drawing: its width and height. A missing one follows from
// viewBox or, without a viewBox, is drawingWidth or drawingHeight. The result is scaled down to maxDrawingSide.
func drawingSize(root xml.StartElement) (w, h int) {
	width, height, box := drawingSides(root)
	boxed := box.width > 0 && box.height > 0
	switch {
	case width > 0 && height > 0:
	case width > 0 && boxed:
		height = width * box.height / box.width
	case height > 0 && boxed:
		width = height * box.width / box.height
	case boxed:
		width, height = box.width, box.height
	default:
		width, height = orElse(width, drawingWidth), orElse(height, drawingHeight)
	}
	if most := math.Max(width, height); most > maxDrawingSide {
		width, height = width*maxDrawingSide/most, height*maxDrawingSide/most
	}
	return max(1, int(math.Round(width))), max(1, int(math.Round(height)))
}

// viewBox is the size of the visible part of a drawing's plane.
type viewBox struct{ width, height float64 }

// drawingSides reads the sizes in the root element of a drawing; 0: missing or invalid.
func drawingSides(root xml.StartElement) (width, height float64, box viewBox) {
	for _, a := range root.Attr {
		switch a.Name.Local {
		case "width":
			width = drawingLength(a.Value)
		case "height":
			height = drawingLength(a.Value)
		case "viewBox":
			if sides := strings.FieldsFunc(a.Value, isListSpace); len(sides) == 4 {
				box = viewBox{known(css.Number(sides[2])), known(css.Number(sides[3]))}
			}
		}
	}
	return width, height, box
}

// isListSpace reports whether a character separates the numbers of a list.
func isListSpace(r rune) bool { return strings.ContainsRune(", \t\n\r", r) }

func orElse(value, usual float64) float64 {
	if value > 0 {
		return value
	}
	return usual
}

// units maps the units of length that drawingLength reads to their sizes in pixels. em, rem and ex have the sizes for a
// document without a style.
var units = map[string]float64{
	"": 1, "px": 1, "pt": 4.0 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "em": css.RootSize,
	"rem": css.RootSize, "ex": css.RootSize / 2,
}

// drawingLength reads a length in one of units; any other, such as a percentage, is 0.
func drawingLength(text string) float64 {
	text = strings.ToLower(strings.TrimSpace(text))
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz%")
	factor, ok := units[text[len(number):]]
	if !ok {
		return 0
	}
	return factor * known(css.Number(strings.TrimSpace(number)))
}

func known(n float64, ok bool) float64 {
	if !ok || n < 0 {
		return 0
	}
	return n
}
