package webfonts

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"moviola/domain/css"
)

// sheetFace is one @font-face rule of a style sheet that the font service returns.
type sheetFace struct {
	address string
	weight  int
	to      int
	italic  bool
	runes   string
}

var (
	faceRule    = regexp.MustCompile(`(?s)@font-face\s*\{([^}]*)\}`)
	faceAddress = regexp.MustCompile(`url\(\s*['"]?([^'")\s]+)['"]?\s*\)`)
	faceRange   = regexp.MustCompile(`^[0-9a-fA-FuU+?,\s-]*$`)
)

// readSheet parses the @font-face rules of a style sheet. from is the address of the style sheet. Rules without a font file at an
// http or https address are skipped.
func readSheet(sheet string, from *url.URL) (faces []sheetFace) {
	for _, rule := range faceRule.FindAllStringSubmatch(sheet, maxFaces) {
		f := sheetFace{weight: css.Normal, to: css.Normal}
		for _, d := range css.Declarations(rule[1]) {
			switch strings.ToLower(d.Name) {
			case "src":
				if found := faceAddress.FindStringSubmatch(d.Value); found != nil {
					if at, err := from.Parse(found[1]); err == nil && (at.Scheme == "https" || at.Scheme == "http") {
						f.address = at.String()
					}
				}
			case "font-weight":
				f.weight, f.to = weights(d.Value)
			case "font-style":
				f.italic, _ = css.Italic(d.Value)
			case "unicode-range":
				if faceRange.MatchString(d.Value) {
					f.runes = strings.Join(strings.Fields(d.Value), "")
				}
			}
		}
		if f.address != "" {
			faces = append(faces, f)
		}
	}
	return faces
}

// weights parses the value of font-weight: a single weight, or the range of weights of a variable font.
func weights(value string) (from, to int) {
	from, to = css.Normal, 0
	for i, part := range strings.Fields(value) {
		n, ok := css.Weight(part)
		switch {
		case ok && i == 0:
			from = n
		case ok && i == 1:
			to = n
		}
	}
	return from, max(from, to)
}

// style is a requested weight and slant.
type style struct {
	Weight int  `json:"weight"`
	Italic bool `json:"italic,omitempty"`
}

// query returns the query for styles of a family: family=Lobster+Two:ital,wght@0,400;1,700. Without styles it requests the
// service's default. styles must be sorted, which the service requires.
func query(family string, styles []style) string {
	name := strings.ReplaceAll(url.QueryEscape(family), "%20", "+")
	if len(styles) == 0 {
		return "family=" + name
	}
	axes := make([]string, len(styles))
	for i, s := range styles {
		slant := "0,"
		if s.Italic {
			slant = "1,"
		}
		axes[i] = slant + strconv.Itoa(s.Weight)
	}
	return "family=" + name + ":ital,wght@" + strings.Join(axes, "%3B")
}

// of returns those of the requested styles that the font serves. A font that serves none of them is the service's substitute for
// all of them.
func (f sheetFace) of(styles []style) []style {
	served := slices.DeleteFunc(slices.Clone(styles), func(one style) bool {
		return one.Italic != f.italic || one.Weight < f.weight || one.Weight > f.to
	})
	if len(served) == 0 {
		return styles
	}
	return served
}
