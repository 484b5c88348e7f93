package document_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"moviola/domain/document"
)

// TestTime_FillsToTheEnd: an element of duration -2 that begins before its container ends lasts until it ends, whatever makes the container
// that long: movies of random elements.
func TestTime_FillsToTheEnd(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	list := func() string {
		var all []string
		for range random.IntN(5) {
			all = append(all, "{"+pick(`"type":"text","text":"x"`, `"type":"image","src":"i"`, `"type":"video","src":"4.2"`, `"type":"audio","src":"2.7"`,
				`"type":"component","component":"basic/000"`)+
				pick("", `,"duration":-2`, `,"duration":-2`, `,"duration":-1`, `,"duration":3.3`)+
				pick("", "", `,"start":-1`, `,"start":1.7`, `,"start":6.1`)+pick("", "", `,"extra-time":1.1`)+
				pick("", "", `,"loop":-1`, `,"loop":3`)+pick("", "", `,"fade-out":0.5`)+"}")
		}
		return strings.Join(all, ",")
	}
	for range 20_000 {
		var scenes []string
		for range random.IntN(3) {
			scenes = append(scenes, fmt.Sprintf(`{%s"elements":[%s]%s}`, pick("", "", `"duration":7.7,`), list(), pick("", `,"transition":{"duration":0.7}`)))
		}
		doc := fmt.Sprintf(`{"fps":%s,"scenes":[%s],"elements":[%s]}`, pick("1", "4", "29.97"), strings.Join(scenes, ","), list())
		m := mustParse(t, doc)
		got := document.Time(m, func(key string) (document.Seconds, bool) { return lengths(strings.TrimPrefix(key, "video ")) })
		for i, scene := range m.Scenes {
			requireFilled(t, doc, scene.Elements, got.SceneElements[i], got.Scenes[i])
		}
		requireFilled(t, doc, m.Elements, got.Elements, document.Span{End: got.Length})
		if t.Failed() {
			return
		}
	}
}

func requireFilled(t *testing.T, doc string, elements []document.Element, spans []document.Span, container document.Span) {
	t.Helper()
	for i, e := range elements {
		if e.Length.Kind != document.Container || e.Start.Cmp(container.End.Sub(container.Start)) >= 0 {
			continue
		}
		if spans[i].End.Cmp(container.End) != 0 {
			t.Errorf("%s: %s lasts from %v to %v, its container from %v to %v", doc, e.Ref, spans[i].Start, spans[i].End, container.Start, container.End)
		}
	}
}
