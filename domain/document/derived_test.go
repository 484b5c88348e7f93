package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
	"moviola/domain/expr"
)

// sourceLengths are those of sources by their addresses.
func sourceLengths(known map[string]int64) document.NaturalFunc {
	return func(key string) (document.Seconds, bool) {
		length, ok := known[key]
		return document.SecondsOf(length), ok
	}
}

// starts are where the elements of a movie begin, by id, on their scene's timeline as it was written.
func starts(m *document.Movie) map[string]string {
	out := map[string]string{}
	for e := range m.All() {
		out[e.ID] = fmt.Sprint(e.Start.Float())
	}
	return out
}

// TestMovie_Resolve: elements take their times from others, as soon as these are known. Movie-schema §9.3.
func TestMovie_Resolve(t *testing.T) {
	t.Parallel()
	clip := map[string]int64{"clip": 7, "long": 20}
	tests := []struct {
		name, movie string
		want        map[string]string
		credits     int64
	}{
		{"the end of a clip", `{"scenes":[{"elements":[{"id":"v","type":"video","src":"clip"},{"id":"i","type":"image","src":"x","duration":5,"start":"{{v_end}}"}]}]}`,
			map[string]string{"v": "0", "i": "7"}, 12},
		{"an element that comes later", `{"scenes":[{"elements":[{"id":"i","type":"image","src":"x","duration":2,"start":"{{v_end}}"},{"id":"v","type":"video","src":"clip"}]}]}`,
			map[string]string{"v": "0", "i": "7"}, 9},
		{"parts of a duration", `{"scenes":[{"elements":[{"id":"v","type":"video","src":"clip","extra-time":2},{"id":"i","type":"image","src":"x","start":"{{v_duration/2 + v_extratime}}"}]}]}`,
			map[string]string{"v": "0", "i": "5.5"}, 9},
		{"a chain", `{"scenes":[{"elements":[{"id":"a","type":"video","src":"clip"},{"id":"b","type":"text","text":"x","duration":1,"start":"{{a_end}}"},
			{"id":"c","type":"text","text":"x","duration":1,"start":"{{b_end + 1}}"}]}]}`, map[string]string{"a": "0", "b": "7", "c": "9"}, 10},
		{"times of a scene are its own, those of the movie the movie's", `{"scenes":[{"duration":3},{"elements":[{"id":"v","type":"video","src":"clip","start":1},
			{"id":"s","type":"text","text":"x","start":"{{v_start}}"}]}],"elements":[{"id":"m","type":"text","text":"x","start":"{{v_end - 4}}"}]}`,
			map[string]string{"v": "1", "s": "1", "m": "7"}, 11},
		{"the scene of an iteration", `{"scenes":[{"iterate":["clip","long"],"elements":[{"id":"v","type":"video","src":"{{item}}"},{"id":"e{{item_index}}","type":"text","text":"x","start":"{{v_end - 1}}"}]}]}`,
			map[string]string{"v": "0", "e1": "6", "e2": "19"}, 27},
		{"a scene as long as its part", `{"scenes":[{"duration":"{{v_duration + 1}}","elements":[{"id":"v","type":"audio","src":"clip"},{"id":"t","type":"text","text":"x"}]}]}`,
			map[string]string{"v": "0", "t": "0"}, 8},
		{"a condition", `{"scenes":[{"elements":[{"id":"v","type":"video","src":"clip"},{"id":"t","condition":"{{v_duration > 5}}","type":"text","text":"x","start":2}]}]}`,
			map[string]string{"v": "0", "t": "2"}, 7},
		{"a variable made of it", `{"variables":{"rest":"{{10 - v_duration}}"},"scenes":[{"elements":[{"id":"v","type":"video","src":"clip"},{"id":"t","type":"text","text":"x","start":"{{rest}}"}]}]}`,
			map[string]string{"v": "0", "t": "3"}, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := mustParse(t, tt.movie)
			if err := document.Validate(m); err != nil || !m.Waits() {
				t.Fatalf("waits %v, %v", m.Waits(), err)
			}
			if known := document.LeastCredits(m); known > tt.credits {
				t.Errorf("%d credits are known, of %d", known, tt.credits)
			}
			resolved, err := m.Resolve(document.Known{Natural: sourceLengths(clip)})
			if err != nil || resolved.Waits() || document.Validate(resolved) != nil {
				t.Fatalf("waits %v, %v, %v", resolved.Waits(), err, document.Validate(resolved))
			}
			if diff := cmp.Diff(tt.want, starts(resolved)); diff != "" {
				t.Errorf("starts (-want +got):\n%s", diff)
			}
			timing := document.Time(resolved, sourceLengths(clip))
			if credits := resolved.FPS.Credits(resolved.FPS.Frame(timing.Length)); credits != tt.credits {
				t.Errorf("%d credits, want %d", credits, tt.credits)
			}
			if len(resolved.Warnings) > 0 {
				t.Errorf("warnings %q", resolved.Warnings)
			}
		})
	}
}

// TestMovie_Resolve_atOnce: times that no source can move are known from the JSON alone.
func TestMovie_Resolve_atOnce(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"elements":[{"id":"a","type":"text","text":"x","duration":3},{"id":"b","type":"text","text":"{{a_duration}}","duration":1,"start":"{{a_end}}"},
		{"id":"v","type":"video","src":"clip"}]}],"elements":[{"type":"text","text":"{{weekend_end}}","duration":1}]}`)
	if m.Waits() || starts(m)["b"] != "3" {
		t.Errorf("waits %v, starts %v", m.Waits(), starts(m))
	}
	if diff := cmp.Diff([]string{"The variable 'weekend_end' is not defined, it is empty"}, m.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestMovie_Resolve_circle refuses times that depend on each other.
func TestMovie_Resolve_circle(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"elements":[{"id":"a","type":"text","text":"x","duration":1,"start":"{{b_end}}"},{"id":"b","type":"text","text":"x","duration":1,"start":"{{a_end}}"}]}]}`)
	if document.Validate(m) != nil {
		t.Error("what is not known yet is a mistake")
	}
	requireError(t, document.CheckResolved(m), "element_invalid", "Scene #1 Element #1: Its times or variables depend on each other in a circle (element type 'text')")
	if err := document.CheckResolved(mustParse(t, `{"elements":[{"type":"text","text":"{{1}}"}]}`)); err != nil {
		t.Errorf("a movie without times: %v", err)
	}
	m = mustParse(t, `{"scenes":[{"elements":[{"id":"v","type":"text","text":"x","duration":"{{v_end > 2 ? 1 : 3}}"}]}]}`)
	if document.Validate(m) == nil && document.CheckResolved(m) == nil {
		t.Error("an element lasts longer when it is shorter")
	}
}

// TestMovie_Resolve_chain: a long chain of elements is followed.
func TestMovie_Resolve_chain(t *testing.T) {
	t.Parallel()
	var elements strings.Builder
	elements.WriteString(`{"id":"e0","type":"text","text":"x","duration":1}`)
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&elements, `,{"id":"e%d","type":"text","text":"x","duration":1,"start":"{{e%d_end}}"}`, i, i-1)
	}
	m := mustParse(t, `{"scenes":[{"elements":[`+elements.String()+`]}]}`)
	if m.Waits() || starts(m)["e40"] != "40" || document.Validate(m) != nil {
		t.Errorf("waits %v, begins at %s, %v", m.Waits(), starts(m)["e40"], document.Validate(m))
	}
}

// TestMovie_Resolve_values: variables from outside fill what waits for them.
func TestMovie_Resolve_values(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"elements":[{"type":"image","src":"{{pic_url}}","duration":2}]}]}`)
	if len(m.Warnings) != 1 {
		t.Errorf("warnings %q", m.Warnings)
	}
	m, err := m.Resolve(document.Known{Values: map[string]any{"pic_url": expr.Pending{}}})
	if err != nil || !m.Waits() || document.Validate(m) != nil {
		t.Fatalf("waits %v, %v, %v", m.Waits(), err, document.Validate(m))
	}
	m, err = m.Resolve(document.Known{Values: map[string]any{"pic_url": "http://x/a.png"}})
	if err != nil || m.Waits() || len(m.Warnings) > 0 || m.Scenes[0].Elements[0].Src != "http://x/a.png" {
		t.Errorf("waits %v, %v, warnings %q", m.Waits(), err, m.Warnings)
	}
}
