package speech_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/speech"
)

func TestScript(t *testing.T) {
	t.Parallel()
	plain := func(text string) speech.Passage { return speech.Passage{Text: text, Rate: 1, Pitch: 1} }
	after := func(pause time.Duration, text string) speech.Passage {
		return speech.Passage{Text: text, Pause: pause, Rate: 1, Pitch: 1}
	}
	tests := []struct {
		name, text string
		want       []speech.Passage
	}{
		{"plain", "Hello\n  there", []speech.Passage{plain("Hello there")}},
		{"nothing to say", "— ... <b></b>", nil},
		{"a break", `<speak>One<break time="250ms"/>two<break/>three</speak>`,
			[]speech.Passage{plain("One"), after(250*time.Millisecond, "two"), after(500*time.Millisecond, "three")}},
		{"breaks add up, to a bound", `a<break time='2s'/><break strength="strong"/>b<break time="1h"/>c<break strength="none"/>d`,
			[]speech.Passage{plain("a"), after(2750*time.Millisecond, "b"), after(10*time.Second, "c"), plain("d")}},
		{"a break before anything", `<break time="1s"/>a`, []speech.Passage{after(time.Second, "a")}},
		{"prosody, one in another", `<prosody rate="+20%">a<prosody pitch='low'>b</prosody></prosody>c`,
			[]speech.Passage{{Text: "a", Rate: 1.2, Pitch: 1}, {Text: "b", Rate: 1.2, Pitch: 0.8}, plain("c")}},
		{"odd rates", `<prosody rate="900%">a</prosody><prosody rate="-99%">b</prosody><prosody rate="quickly">c</prosody></prosody>d`,
			[]speech.Passage{{Text: "a", Rate: 2, Pitch: 1}, {Text: "b", Rate: 0.5, Pitch: 1}, plain("c"), plain("d")}},
		{"entities", "<p>Tom &amp; Jerry &lt;3</p>", []speech.Passage{plain("Tom & Jerry <3")}},
		{"entities in plain text stay", "Tom &amp; Jerry", []speech.Passage{plain("Tom &amp; Jerry")}},
		{"paragraphs", "<p>One</p><p>Two</p>", []speech.Passage{plain("One"), plain("Two")}},
		{"a substitute", `<sub alias="World &amp; Web">WW</sub> is big`, []speech.Passage{plain("World & Web is big")}},
		{"tags without content", `<prosody rate="slow"/>One <sub alias="World"/> is <sub alias="big" /> all`, []speech.Passage{plain("One World is big all")}},
		{"tags over lines", "<prosody\n  rate='fast'\n>a<break\ttime=\"1s\"/></prosody>b", []speech.Passage{{Text: "a", Rate: 1.25, Pitch: 1}, after(time.Second, "b")}},
		{"other tags", `<speak xmlns:mstts="x"><mstts:express-as style="sad">so <emphasis level="strong">sad</emphasis></mstts:express-as><!-- no --></speak>`,
			[]speech.Passage{plain("so sad")}},
		{"a tag that does not end", "<speak>hello <break", []speech.Passage{plain("hello")}},
		{"commands of the engine", "a\x01100Ab\x1b[[c]]\u200b", []speech.Passage{plain("a100Ab[ [c] ]")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, speech.ReadScript(tt.text)); diff != "" {
				t.Errorf("script (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScript_LongTextsAreCutAtSentences(t *testing.T) {
	t.Parallel()
	sentence := strings.Repeat("word ", 30) + "end. "
	for _, p := range speech.ReadScript(strings.Repeat(sentence, 20)) {
		if len(p.Text) > 1000 || !strings.HasSuffix(p.Text, "end.") || !strings.HasPrefix(p.Text, "word") {
			t.Errorf("a passage of %d: %.20s … %s", len(p.Text), p.Text, p.Text[max(len(p.Text)-20, 0):])
		}
	}
	if n := len(speech.ReadScript(strings.Repeat("x", 2500))); n != 3 {
		t.Errorf("2500 letters are %d passages", n)
	}
	if n := len(speech.ReadScript(strings.Repeat("a<break/>", 5000))); n > 210 {
		t.Errorf("5000 breaks are %d passages", n)
	}
}

// FuzzScript holds that no text makes the engine read commands, and that nothing that can be said is lost.
func FuzzScript(f *testing.F) {
	f.Add(`<speak>a<break time="1s"/>b <prosody rate="fast">c</prosody> [[d]] &amp; </speak>`)
	f.Add("plain \x01 text")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range speech.ReadScript(text) {
			if strings.ContainsFunc(p.Text, unicode.IsControl) || strings.Contains(p.Text, "[[") || strings.TrimSpace(p.Text) == "" {
				t.Fatalf("passage %q", p.Text)
			}
			if p.Pause < 0 || p.Pause > 10*time.Second || p.Rate < 0.5 || p.Rate > 2 || p.Pitch < 0.5 || p.Pitch > 2 || len([]rune(p.Text)) > 1001 {
				t.Fatalf("passage %+v", p)
			}
		}
	})
}

// FuzzAnswer holds that whatever an endpoint answers is refused or timed in order, within its length.
func FuzzAnswer(f *testing.F) {
	f.Add(twoParts()[:9000], "Hello there, big world")
	f.Add([]byte("ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x00"), "a")
	f.Add([]byte(`{"text":"a b","words":[{"word":"a","start":1,"end":2}],"segments":[{"text":"a b","start":0,"end":1}]}`), "a")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		if words, err := speech.ReadTranscript(raw); err == nil {
			for _, w := range words {
				if w.Start < 0 || w.End < 0 {
					t.Fatalf("heard %+v", w)
				}
			}
		}
		length, words, err := speech.ReadAnswer(raw, text)
		if err != nil {
			return
		}
		at := time.Duration(0)
		for _, w := range words {
			if w.Start < at || w.End < w.Start || w.End > length+time.Millisecond {
				t.Fatalf("%q from %v to %v, after %v, of %v", w.Text, w.Start, w.End, at, length)
			}
			at = w.Start
		}
	})
}
