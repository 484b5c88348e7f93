package document_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"moviola/domain"
	"moviola/domain/document"
)

// filledWith repeats a piece between a beginning and an end, as often as fits into 2 MB.
func filledWith(begin, piece, end string) []byte {
	return []byte(begin + strings.Repeat(piece, (2<<20-len(begin)-len(end)-64)/len(piece)) + strings.TrimRight(piece, ", ") + end)
}

// worstBodies are the worst that 2 MB of JSON can be, by what makes them so.
var worstBodies = map[string][]byte{
	"scenes":                      filledWith(`{"scenes":[`, `{},`, `]}`),
	"scenes with elements":        filledWith(`{"scenes":[`, `{"elements":[{}]},`, `]}`),
	"numbers as scenes":           filledWith(`{"scenes":[`, `1,`, `]}`),
	"scenes by another spelling":  filledWith(`{"sc\u0065nes":[`, `{},`, `]}`),
	"elements":                    filledWith(`{"elements":[`, `{},`, `]}`),
	"elements of a scene":         filledWith(`{"scenes":[{"elements":[`, `{},`, `]}]}`),
	"objects for the client":      filledWith(`{"scenes":[{}],"client-data":[`, `{"a":{}},`, `]}`),
	"numbers for the client":      filledWith(`{"scenes":[{}],"client-data":[`, `1,`, `]}`),
	"lists in lists":              filledWith(`{"scenes":[{}],"client-data":[`, strings.Repeat("[", 60)+strings.Repeat("]", 60)+`,`, `]}`),
	"members":                     filledWith(`{"scenes":[{}],"client-data":{`, `"a":1,`, `}}`),
	"one member":                  filledWith(`{"scenes":[{}],"client-data":[`, `{"a":1},`, `]}`),
	"variables":                   filledWith(`{"scenes":[{}],"variables":{"v":[`, `{"a":[]},`, `]}}`),
	"settings":                    filledWith(`{"elements":[{"type":"text","settings":{"x":[`, `{"a":0},`, `]}}]}`),
	"as many objects as allowed":  []byte(`{"scenes":[{}],"client-data":[` + strings.Repeat(`{"a":{}},`, 49_000) + `0]}`),
	"as many members as allowed":  []byte(`{"scenes":[{}],"client-data":[` + strings.Repeat(`{"a":1,"b":2,"c":3},`, 37_000) + `0]}`),
	"as many elements as allowed": []byte(`{"elements":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"x","settings":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}},`, 5000), ",") + `]}`),
	"a long text":                 filledWith(`{"elements":[{"type":"text","text":"`, `x`, `"}]}`),
	"escapes":                     filledWith(`{"elements":[{"type":"text","text":"`, `\u00e9`, `"}]}`),
}

// TestParse_bounds: what would take much memory is refused before it takes it.
func TestParse_bounds(t *testing.T) {
	for name, body := range worstBodies {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := document.Parse(body)
			runtime.ReadMemStats(&after)
			const most = 40 << 20
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%d MB were allocated", took>>20)
			}
			var refusal *domain.Error
			if err != nil && (!errors.As(err, &refusal) || refusal.Kind != domain.Invalid) {
				t.Errorf("refusal %v", err)
			}
			t.Logf("%d MB: %v", (after.TotalAlloc-before.TotalAlloc)>>20, err)
		})
	}
}

func TestParse_scenes(t *testing.T) {
	t.Parallel()
	movie := func(scenes int) []byte {
		return []byte(`{"comment":"scenes","scenes":[` + strings.TrimSuffix(strings.Repeat(`{"duration":1,"elements":[{},{}]},`, scenes), ",") + `],"elements":[]}`)
	}
	for scenes, want := range map[int]string{1: "", 2000: "", 2001: "movie_too_many_scenes"} {
		_, err := document.Parse(movie(scenes))
		var refusal *domain.Error
		if errors.As(err, &refusal); want == "" && err != nil || want != "" && (refusal == nil || refusal.Code != want) {
			t.Errorf("%d scenes: %v", scenes, err)
		}
	}
	if _, err := document.Parse(bytes.ReplaceAll(movie(2001), []byte(`"scenes":[`), []byte(`"sc\u0065nes":[`))); err == nil {
		t.Error("another spelling goes through")
	}
}
