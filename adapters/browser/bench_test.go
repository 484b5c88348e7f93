package browser_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/adapters/browser"
	"moviola/domain/timeline"
)

// card is what html elements usually are: a box with texts, larger than nothing and smaller than the movie.
const card = `<style>
body { margin: 0; font-family: Inter, sans-serif }
.card { margin: 5%; padding: 5%; border-radius: 24px; color: white; background: linear-gradient(135deg, #6366f1, #ec4899); box-shadow: 0 10px 30px #0006 }
h1 { margin: 0; font-size: 48px; animation: rise 2s ease-in-out infinite alternate } @keyframes rise { from { transform: translateX(0) } to { transform: translateX(200px) } }
</style><div class=card><h1>Quarterly results</h1><p>Revenue is up 14 % on the year before.</p></div>`

func BenchmarkCold(b *testing.B) {
	for b.Loop() {
		pool := open(b, browser.Config{})
		still(b, pool, browser.Page{HTML: card, Width: 1920, Height: 1080})
		if err := pool.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWarmStill(b *testing.B) {
	for name, size := range map[string]image.Point{"1920x1080": {1920, 1080}, "872x240": {872, 240}} {
		b.Run(name, func(b *testing.B) {
			pool := open(b, browser.Config{Browsers: 1, Pages: 1 << 30})
			page := browser.Page{HTML: card, Width: size.X, Height: size.Y}
			still(b, pool, page)
			before := processorTime(b, pool)
			for b.Loop() {
				still(b, pool, page)
			}
			b.ReportMetric(float64(processorTime(b, pool)-before)/float64(b.N), "cpu-ms/page")
		})
	}
}

func BenchmarkTailwind(b *testing.B) {
	pool := open(b, browser.Config{Browsers: 1, Pages: 1 << 30})
	page := browser.Page{HTML: tailwind, Width: 872, Height: 240, Tailwind: true}
	for b.Loop() {
		still(b, pool, page)
	}
}

func BenchmarkFrames(b *testing.B) {
	for name, size := range map[string]image.Point{"1920x1080": {1920, 1080}, "960x540": {960, 540}, "872x240": {872, 240}} {
		b.Run(name, func(b *testing.B) {
			pool := open(b, browser.Config{Browsers: 1, Limit: time.Minute})
			page := browser.Page{HTML: card, Width: size.X, Height: size.Y}
			const n = 60
			capture(b, pool, page, timeline.Rate{Num: 30, Den: 1}, n)
			before := processorTime(b, pool)
			for b.Loop() {
				capture(b, pool, page, timeline.Rate{Num: 30, Den: 1}, n)
			}
			b.ReportMetric(float64(processorTime(b, pool)-before)/float64(n*b.N), "cpu-ms/frame")
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}

// processorTime is what this process and the browsers have used, in milliseconds: unlike the time on the clock, it does not depend
// on what else the machine does.
func processorTime(b *testing.B, pool *browser.Pool) int64 {
	b.Helper()
	total := int64(0)
	for _, pid := range append(pool.Processes(), os.Getpid()) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		for _, i := range []int{11, 12, 13, 14} { // its own time and that of its children that have ended
			ticks, err := strconv.ParseInt(fields[i], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			total += ticks * 10 // Linux counts in hundredths of a second
		}
	}
	return total
}

// tailwind says what Tailwind's classes must look like.
const tailwind = `<body class="m-0"><div class="w-16 h-16 bg-red-500 rounded-full"></div><div class="mt-4 w-8 h-8 bg-brand"></div>
<style type="text/tailwindcss">@theme { --color-brand: #123456; }</style></body>`
