package hostile_test

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"sync"
	"testing"
)

// broken are samples of every format, by the element that uses them.
func (g *ground) broken() map[string]map[string][]byte {
	h264 := append(copied(pattern), tone...)
	return map[string]map[string][]byte{
		"video": {
			"mp4": g.sample("b.mp4", append(copied(h264), "-c:v", "libx264", "-c:a", "aac")...), "mov": g.sample("b.mov", append(copied(pattern), "-c:v", "prores_ks")...),
			"fast.mp4": g.sample("b.fast.mp4", append(copied(h264), "-c:v", "libx264", "-movflags", "+faststart")...),
			"mkv":      g.sample("b.mkv", append(copied(h264), "-c:v", "libx264", "-c:a", "aac")...), "webm": g.sample("b.webm", append(copied(h264), "-c:v", "libvpx-vp9", "-c:a", "libopus")...),
			"vp8.webm": g.sample("b8.webm", append(copied(pattern), "-c:v", "libvpx")...), "av1.mp4": g.sample("b1.mp4", append(copied(pattern), "-c:v", "libsvtav1", "-preset", "12")...),
			"hevc.mp4": g.sample("b5.mp4", append(copied(pattern), "-c:v", "libx265", "-x265-params", "log-level=error")...),
			"ts":       g.sample("b.ts", append(copied(h264), "-c:v", "mpeg2video", "-f", "mpegts")...), "avi": g.sample("b.avi", append(copied(h264), "-c:v", "mpeg4")...),
			"wmv": g.sample("b.wmv", append(copied(h264), "-c:v", "wmv2")...), "ogv": g.sample("b.ogv", append(copied(pattern), "-c:v", "libtheora")...),
		},
		"audio": {
			"mp3": g.sample("b.mp3", tone...), "wav": g.sample("b.wav", tone...), "ogg": g.sample("b.ogg", append(copied(tone), "-c:a", "libvorbis")...),
			"opus.ogg": g.sample("bo.ogg", append(copied(tone), "-c:a", "libopus")...), "flac": g.sample("b.flac", tone...), "m4a": g.sample("b.m4a", tone...),
			"aac": g.sample("b.aac", append(copied(tone), "-f", "adts")...),
		},
		"image": {
			"png": g.sample("b.png", append(copied(pattern), "-frames:v", "1", "-pix_fmt", "rgb24")...), "jpg": g.sample("b.jpg", append(copied(pattern), "-frames:v", "1")...),
			"gif": g.sample("b.gif", pattern...), "webp": g.sample("b.webp", append(copied(pattern), "-frames:v", "1", "-c:v", "libwebp")...),
			"moves.webp": g.sample("bm.webp", append(copied(pattern), "-c:v", "libwebp_anim")...), "bmp": g.sample("b.bmp", append(copied(pattern), "-frames:v", "1")...),
			"tiff": g.sample("b.tiff", append(copied(pattern), "-frames:v", "1")...),
		},
	}
}

// TestMedia_broken: files that end early, or have wrong bits, are refused with words for the client, or rendered as far as they go.
// In the long run each is cut at 200 points, and 10,000 have wrong bits: hours of work, of which MOVIOLA_TEST_TIME does a part.
func TestMedia_broken(t *testing.T) {
	t.Parallel()
	watchMemory(t)
	g := newGround(t)
	g.alone = true
	cuts, flips := 3, 6
	if g.long {
		cuts, flips = 200, 385
	}
	type broken struct {
		family, kind, name string
		content            func() []byte
	}
	var all []broken
	for kind, samples := range g.broken() {
		for name, whole := range samples {
			for i := range cuts {
				all = append(all, broken{kind + " cut", kind, fmt.Sprintf("cut%d.%s", i, name), func() []byte { return whole[:len(whole)*(i+1)/(cuts+1)] }})
			}
			for i := range flips {
				random := rand.New(rand.NewPCG(uint64(i), uint64(crc32.ChecksumIEEE([]byte(name)))))
				all = append(all, broken{kind + " flipped", kind, fmt.Sprintf("flip%d.%s", i, name), func() []byte { return flipped(random, whole, 1+i%20, len(whole)) }})
			}
		}
	}
	// In any order: a long run that is ended early has seen something of each.
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	work := make(chan broken, len(all))
	for _, b := range all {
		work <- b
	}
	close(work)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for b := range work {
				if g.enough() {
					return
				}
				g.try(b.family, b.kind, b.name, b.content())
			}
		})
	}
	workers.Wait()
}
