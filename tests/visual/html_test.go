package visual_test

import (
	"net/http"
	"testing"

	"moviola/tests/studio"
)

// page is an html element that is as large as the tile, or as its properties say.
func page(html string, props studio.Object) studio.List {
	e := studio.Object{"type": "html", "html": html}
	for name, value := range props {
		e[name] = value
	}
	return studio.List{e}
}

// The pages of the sheet.
const (
	badge = `<div style="margin:14px;padding:10px;width:90px;border-radius:12px;background:rgba(255,255,255,.5);color:#c0392b;font:700 18px Inter">See through</div>`
	wind  = `<div class="flex items-center justify-center h-screen w-screen"><div class="bg-rose-500 text-white text-xl font-bold rounded-xl px-4 py-2 rotate-6">Tailwind</div></div>`
	// A bar that grows by CSS and a box that a script moves, over a second.
	moving = `<style>@keyframes grow{from{width:0}to{width:140px}}#bar{height:16px;background:#f1c40f;animation:grow 1s linear both}</style>
		<div id="bar"></div><div id="box" style="position:absolute;top:40px;width:20px;height:20px;background:#e74c3c"></div>
		<script>const step=t=>{box.style.left=Math.min(t/1000,1)*120+'px';requestAnimationFrame(step)};requestAnimationFrame(step)</script>`
	late = `<body style="background:#c0392b"><script>setTimeout(()=>document.body.style.background='#27ae60',1000)</script></body>`
	fine = `<svg width="128" height="64"><path d="M0 0L128 64M0 10L128 64M0 20L128 64M0 30L128 64M0 40L128 64M0 50L128 64" ` +
		`stroke="#fff" shape-rendering="crispEdges"/></svg>`
	remote = `<!doctype html><body style="margin:0;background:#fff"><img src="/house.png" style="width:60px;margin:6px"><p style="font:12px Inter;margin:0 6px">by address</p>`
)

// TestPages: html elements. Movie-schema §4.4.
func TestPages(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t), studio.WithPages(t))
	s.Serve("house.png", encoded(t, art(2, sky)))
	address := s.Answer("page.html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(remote))
	})
	below := studio.Object{"type": "image", "src": s.URL + "/house.png", "resize": "cover"}
	over := func(html string, props studio.Object) studio.List {
		return append(studio.List{below}, page(html, props)...)
	}
	capture := studio.Object{"duration": 1}
	check(t, s, "testdata/html.jpg", 144, 80, 6, []scene{
		{name: "transparent", elements: over(badge, nil)},
		{name: "half there", elements: over(badge, studio.Object{"opacity": 0.5})},
		{name: "turned", elements: over(badge, studio.Object{"rotate": studio.Object{"angle": 20}})},
		{name: "placed", elements: over(badge, studio.Object{"width": 120, "height": 60, "position": "bottom-right"})},
		{name: "tailwind", elements: page(wind, studio.Object{"tailwindcss": true})},
		{name: "tailwind by its other name", elements: page(wind, studio.Object{"tailwind": "true"})},
		{name: "classes without tailwind", elements: page(wind, nil)},
		{name: "by address", elements: page("", studio.Object{"src": address})},
		{name: "one pixel for one", elements: page(fine, nil)},
		{name: "drawn larger", elements: page(fine, studio.Object{"dpi": 3})},
		{name: "at once", elements: page(late, nil)},
		{name: "waits", elements: page(late, studio.Object{"wait": 1.5})},
		{name: "a still of what has moved", elements: page(moving, nil), seconds: 1, at: []float64{0}},
		{name: "a still at once", elements: page(moving, studio.Object{"wait": 0}), seconds: 1, at: []float64{0.8}},
		{name: "moves", elements: over(moving, studio.Object{"capture": capture}), seconds: 1.2, at: []float64{0, 0.28, 0.6, 1.16}},
	})
}
