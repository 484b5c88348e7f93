package hostile_test

import (
	"fmt"
	"strings"
	"testing"

	"moviola/tests/studio"
)

// drawings are SVG drawings that ask for other files, run programs, or need far more than they weigh. This browser could reach everything: only
// what the drawings themselves are allowed keeps them from it.
func (g *ground) drawings() map[string]string {
	web, file := "http://"+g.inner+"/a", "file://"+g.canary
	const open = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64">`
	page := `<foreignObject width="64" height="64"><html xmlns="http://www.w3.org/1999/xhtml"><body>%s</body></html></foreignObject>`
	all := map[string]string{
		"image":   `<image href="` + web + `" width="64" height="64"/><image xlink:href="` + file + `" width="64" height="64"/>`,
		"use":     `<use href="` + web + `#x"/><use xlink:href="` + file + `#x"/>`,
		"feimage": `<filter id="f"><feImage href="` + web + `"/></filter><rect width="64" height="64" filter="url(#f)"/>`,
		"filter":  `<rect width="64" height="64" filter="url(` + web + `#f)" mask="url(` + web + `#m)" fill="url(` + web + `#g)"/>`,
		"style":   `<style>@import url("` + web + `");@font-face{font-family:x;src:url(` + web + `)}text{font-family:x;cursor:url(` + web + `)}</style><text y="20">x</text>`,
		"script":  `<script>fetch("` + web + `");new Image().src="` + web + `"</script><script href="` + web + `"/>`,
		"handler": `<rect width="9" height="9" onload="fetch('` + web + `')"/><animate attributeName="x" dur="1ms" onend="fetch('` + web + `')" onbegin="fetch('` + web + `')"/>`,
		"link":    `<a href="` + web + `"><rect width="64" height="64"/></a><set attributeName="href" to="` + web + `"/>`,
		"page": fmt.Sprintf(page, `<iframe src="`+web+`"></iframe><img src="`+web+`"/><video src="`+web+`" autoplay=""/><object data="`+web+`"/><embed src="`+web+`"/>`+
			`<link rel="stylesheet" href="`+web+`"/><link rel="dns-prefetch" href="`+web+`"/><meta http-equiv="refresh" content="0;url=`+web+`"/>`),
		"form":     fmt.Sprintf(page, `<form id="f" action="`+web+`"><input autofocus="" onfocus="document.forms[0].submit()"/></form><base href="`+web+`"/><img src="b"/>`),
		"data":     `<image href="data:image/svg+xml,` + strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22").Replace(open+`<image href="`+web+`"/></svg>`) + `" width="64" height="64"/>`,
		"recycled": `<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g><use href="#a"/>`,
		"doubled":  doubled(30),
		"blur":     `<filter id="f" x="-99" y="-99" width="9999" height="9999"><feGaussianBlur stdDeviation="99999"/><feTurbulence numOctaves="9999" baseFrequency="9"/></filter>` + strings.Repeat(`<rect width="64" height="64" filter="url(#f)"/>`, 2000),
		"deep":     strings.Repeat("<g>", 50_000) + strings.Repeat("</g>", 50_000),
		"dashes":   `<path d="M0 0H1e9" stroke="red" stroke-dasharray="0.000001"/>`,
		"pattern":  `<pattern id="p" width="0.00001" height="0.00001" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern><rect width="64" height="64" fill="url(#p)"/>`,
	}
	for name, body := range all {
		all[name] = open + body + "</svg>"
	}
	all["laughs"] = strings.ReplaceAll(strings.ReplaceAll(string(laughs()), "<MPD>", open+"<text>"), "</MPD>", "</text></svg>")
	all["entity"] = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "` + file + `"><!ENTITY b SYSTEM "` + web + `">]>` + open + `<text y="20">&a;&b;</text></svg>`
	all["sheet"] = `<?xml version="1.0"?><?xml-stylesheet href="` + web + `"?>` + open + `</svg>`
	all["vast"] = `<svg xmlns="http://www.w3.org/2000/svg" width="1e9" height="1e9" viewBox="0 0 1e9 1e9"><rect width="1e9" height="1e9"/></svg>`
	all["nothing"] = `<svg xmlns="http://www.w3.org/2000/svg" width="0" height="-1" viewBox="0 0 0 0"/>`
	all["cut"] = open + `<g><rect width="64`
	return all
}

// doubled shows a group twice, and that twice, so many times.
func doubled(times int) string {
	var b strings.Builder
	b.WriteString(`<defs><g id="d0"><rect width="1" height="1"/></g>`)
	for i := range times {
		fmt.Fprintf(&b, `<g id="d%d"><use href="#d%d"/><use href="#d%d" x="1"/></g>`, i+1, i, i)
	}
	fmt.Fprintf(&b, `</defs><use href="#d%d"/>`, times)
	return b.String()
}

// TestMedia_drawings: SVG drawings load nothing and run nothing, and what takes too long to draw is refused in words.
func TestMedia_drawings(t *testing.T) {
	t.Parallel()
	g := newGround(t, studio.WithPages(t))
	all := g.drawings()
	few := map[string]bool{"image": true, "script": true, "page": true}
	for name, content := range all {
		if !g.long && !few[name] {
			continue
		}
		g.try("drawings", "image", name+".svg", []byte(content))
		if g.long {
			g.try("drawings", "mask", name+".svg", []byte(content))
		}
	}
}
