package rendering

import (
	"os"
	"strings"

	"moviola/adapters/browser"
	"moviola/adapters/webfonts"
	"moviola/internal/drawing/text"
	"moviola/third_party/fonts"
)

// pageFonts returns the fonts that are offered to pages beside the installed ones: shipped and fetched fonts whose name occurs in
// the page, or all of them when the page's text is unknown before it loads.
func pageFonts(drawer *text.Engine, fetched *webfonts.Service) func(browser.Page) []browser.Font {
	shipped := drawer.Shipped()
	return func(p browser.Page) (all []browser.Font) {
		named := namesIn(p)
		for _, f := range shipped {
			if named(f.Family) {
				all = append(all, browser.Font{
					Family: f.Family, Weight: f.Weight, Italic: f.Italic, Range: f.Range, Key: f.Path,
					Read: func() ([]byte, error) { return fonts.Read(f.Path) },
				})
			}
		}
		for _, f := range fetched.Known(named) {
			all = append(all, browser.Font{
				Family: f.Family, Weight: f.Weight, To: f.To, Italic: f.Italic, Range: f.Range, Key: f.Hash,
				Read: func() ([]byte, error) { return os.ReadFile(f.Path) },
			})
		}
		return all
	}
}

// namesIn returns a function that reports whether a page may use a family. Case is ignored, and underscores count as spaces, as
// in Tailwind's classes.
func namesIn(p browser.Page) func(family string) bool {
	if p.HTML == "" {
		return func(string) bool { return true }
	}
	said := []string{p.HTML}
	for _, s := range p.Style {
		said = append(said, s.Value)
	}
	words := strings.ReplaceAll(strings.ToLower(strings.Join(said, "\n")), "_", " ")
	known := map[string]bool{}
	return func(family string) bool {
		in, ok := known[family]
		if !ok {
			in = strings.Contains(words, strings.ToLower(family))
			known[family] = in
		}
		return in
	}
}
