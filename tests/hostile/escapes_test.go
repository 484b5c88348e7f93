package hostile_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

// playlists are texts that name other files: what a careless player would open.
func (g *ground) playlists() map[string][]byte {
	hls := func(lines ...string) []byte {
		return []byte("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n" + strings.Join(lines, "\n") + "\n#EXT-X-ENDLIST\n")
	}
	file, web := "file://"+g.canary, "http://"+g.inner+"/x"
	mpd := func(inside string) []byte {
		return []byte(`<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:xlink="http://www.w3.org/1999/xlink" type="static">` + inside + `</MPD>`)
	}
	all := map[string][]byte{
		"absolute.m3u8": hls("#EXTINF:2,", g.canary), "file.mp4": hls("#EXTINF:2,", file), "http.mp4": hls("#EXTINF:2,", web),
		"up.m3u8":     hls("#EXTINF:2,", "../../../../../../../.."+g.canary),
		"concat.mp4":  hls("#EXTINF:2,", "concat:"+web+"|"+file),
		"subfile.mp4": hls("#EXTINF:2,", "subfile,,start,0,end,9,,:"+g.canary),
		"crypto.mp4":  hls("#EXTINF:2,", "crypto:"+g.canary), "data.mp4": hls("#EXTINF:2,", "data:video/mp2t;base64,AAAA"),
		"pipe.mp4": hls("#EXTINF:2,", "pipe:0"), "tee.mp4": hls("#EXTINF:2,", "tee:"+g.canary), "async.mp4": hls("#EXTINF:2,", "async:"+file),
		"key.m3u8":    hls(`#EXT-X-KEY:METHOD=AES-128,URI="`+web+`"`, "#EXTINF:2,", g.canary),
		"map.m3u8":    hls(`#EXT-X-MAP:URI="`+file+`"`, "#EXTINF:2,", g.canary),
		"bytes.m3u8":  hls("#EXT-X-BYTERANGE:100@0", "#EXTINF:2,", g.canary),
		"media.m3u8":  []byte("#EXTM3U\n" + `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="` + file + `"` + "\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\n" + web + "\n"),
		"master.m3u8": []byte("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n" + web + "\n"),
		"spaced.mp4":  append(bytes.Repeat([]byte("\n "), 1000), hls("#EXTINF:2,", g.canary)...),
		"marked.mp4":  append([]byte("\xef\xbb\xbf"), hls("#EXTINF:2,", g.canary)...),
		"base.mpd":    mpd(`<Period><BaseURL>` + file + `</BaseURL><AdaptationSet><Representation id="1" bandwidth="1"/></AdaptationSet></Period>`),
		"web.mp4":     mpd(`<BaseURL>` + web + `</BaseURL><Period/>`),
		"xlink.mpd":   mpd(`<Period xlink:href="` + web + `" xlink:actuate="onLoad"/>`),
		"entity.mpd":  []byte(`<!DOCTYPE x [<!ENTITY a SYSTEM "` + file + `">]><MPD>&a;</MPD>`),
		"laughs.mpd":  laughs(), "smooth.ism": []byte(`<SmoothStreamingMedia><StreamIndex Url="` + web + `"/></SmoothStreamingMedia>`),
		"list.mp4": []byte("ffconcat version 1.0\nfile '" + g.canary + "'\n"), "sibling.mp4": []byte("ffconcat version 1.0\nfile canary.ts\n"),
		"option.mp4": []byte("ffconcat version 1.0\nfile 'x'\noption protocol_whitelist file,http,tcp\nstream\n"),
		"sdp.mp4":    []byte("v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n"),
		"imf.xml":    []byte(`<CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>x</Id></CompositionPlaylist>`),
		"pls.mp3":    []byte("[playlist]\nFile1=" + web + "\n"), "asx.mp3": []byte(`<asx><entry><ref href="` + web + `"/></entry></asx>`),
		"m3u.mp3": []byte(web + "\n" + file + "\n"), "xspf.mp3": []byte(`<playlist><trackList><track><location>` + file + `</location></track></trackList></playlist>`),
		"svg.png":   []byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"><image x:href="` + web + `"/></svg>`),
		"dtd.svg":   []byte(`<?xml version="1.0"?><!DOCTYPE s SYSTEM "` + web + `"><svg xmlns="http://www.w3.org/2000/svg"/>`),
		"nodes.svg": []byte("<svg>" + strings.Repeat("<g>", 100_000) + "</svg>"),
		"mvg.png":   []byte("push graphic-context\nimage over 0,0 0,0 '" + web + "'\n"), "msl.png": []byte(`<image><read filename="` + g.canary + `"/></image>`),
		"ps.png": []byte("%!PS-Adobe-3.0\n(" + g.canary + ") (r) file\n"), "pdf.png": []byte("%PDF-1.4\n"), "eps.png": []byte("\xc5\xd0\xd3\xc6" + g.canary),
		"script.avs": []byte("AviSource(\"" + g.canary + "\")\n"), "script.vpy": []byte("import vapoursynth\nopen('" + g.canary + "')\n"),
		"lottie.mp4": []byte(`{"v":"5","assets":[{"u":"file:///","p":"` + g.canary + `"}]}`), "pattern.png": []byte("%d"),
		"html.mp4": []byte("<!doctype html><video src='" + web + "'>"), "empty.mp4": {}, "elf.mp4": []byte("\x7fELF\x02\x01"), "cube.mp4": []byte("LUT_3D_SIZE 2\n"),
		"mxf.mp4": []byte("\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01\x02\x04\x00"), "flic.mp4": []byte("\x00\x00\x00\x00\x12\xaf\x01\x00"),
		"shorten.mp3": []byte("ajkg\x02"), "nut.mp4": []byte("nut/multimedia container\x00"), "y4m.mp4": []byte("YUV4MPEG2 W60000 H60000 F1:1\nFRAME\n"),
	}
	return all
}

// laughs is the XML that grows to a billion entities.
func laughs() []byte {
	b := []byte(`<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "ha">`)
	for i := range 9 {
		n := string('1' + rune(i))
		b = append(b, `<!ENTITY a`+n+` "`+strings.Repeat("&a"+string('0'+rune(i))+";", 10)+`">`...)
	}
	return append(b, `]><MPD>&a9;</MPD>`...)
}

// TestMedia_playlists: no text that names other files is opened, whatever it is called.
func TestMedia_playlists(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	for name, content := range g.playlists() {
		g.requireRefused("playlists", name, content)
	}
}

// TestMedia_references: files of known formats that name other files show nothing of these.
func TestMedia_references(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	film := g.sample("film.mov", append(pattern, "-c:v", "libx264")...)
	g.requireRefused("references", "reference.mov", referenceMovie("http://"+g.inner+"/x.mov"))
	for name, target := range map[string]string{"web.mov": "http://" + g.inner + "/x.mov", "file.mov": "file://" + g.canary, "plain.mov": g.canary} {
		g.try("references", "video", name, withDataReference(film, "url ", []byte(target+"\x00")))
		g.try("references", "audio", name, withDataReference(film, "url ", []byte(target+"\x00")))
		g.try("references", "video", "alias-"+name, withDataReference(film, "alis", alias(g.canary)))
	}
	linked := g.sample("film.mkv", append(pattern, "-c:v", "libx264")...)
	g.try("references", "video", "linked.mkv", withSegmentLink(linked))
	// The same playlists inside of what looks like a film at first.
	all := g.playlists()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		content := all[name]
		if !g.long && i%4 != 0 {
			continue
		}
		g.try("polyglots", "video", "inside-"+name+".mp4", append([]byte("\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom"), content...))
		g.try("polyglots", "audio", "behind-"+name+".mp3", append([]byte("ID3\x04\x00\x00\x00\x00\x00\x00"), content...))
		g.try("polyglots", "subtitles", "captions-"+name+".vtt", append([]byte("WEBVTT\n\n00:00.000 --> 00:01.000\n"), content...))
	}
}

// TestMedia_polyglots: files that are two things at once are what their first bytes say, and nothing else.
func TestMedia_polyglots(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	script := []byte("<script src='http://" + g.inner + "'></script>#EXTM3U\n#EXTINF:2,\n" + g.canary + "\n")
	zip := append([]byte("PK\x03\x04"), make([]byte, 200)...)
	png := g.sample("p.png", append(pattern, "-frames:v", "1")...)
	jpg := g.sample("p.jpg", append(pattern, "-frames:v", "1")...)
	gif := g.sample("p.gif", pattern...)
	mp4 := g.sample("p.mp4", append(pattern, "-c:v", "libx264")...)
	webm := g.sample("p.webm", append(pattern, "-c:v", "libvpx")...)
	for _, tt := range []struct {
		kind, name string
		content    []byte
		shown      bool
	}{
		{"image", "png-zip.png", append(bytes.Clone(png), zip...), true}, {"image", "jpeg-zip.jpg", append(bytes.Clone(jpg), zip...), true},
		{"image", "jpeg-html.html", append(bytes.Clone(jpg), script...), true}, {"image", "gif-js.js", append(bytes.Clone(gif), script...), true},
		{"video", "mp4-html.html", append(bytes.Clone(mp4), script...), true}, {"video", "webm-list.m3u8", append(bytes.Clone(webm), script...), true},
		{"video", "html-mp4.mp4", append(bytes.Clone(script), mp4...), false}, {"image", "zip-png.png", append(bytes.Clone(zip), png...), false},
		{"video", "png.mp4", png, false}, {"image", "mp4.png", mp4, false}, {"audio", "silent.mp4", mp4, false}, {"video", "mp4-in-png.mp4", append(bytes.Clone(png), mp4...), false},
		{"font", "png.ttf", png, false}, {"subtitles", "mp4.srt", mp4, false},
	} {
		if o := g.try("polyglots", tt.kind, tt.name, tt.content); (o.refused == "") != tt.shown {
			t.Errorf("%s as %s: refused with %q", tt.name, tt.kind, o.refused)
		}
	}
}
