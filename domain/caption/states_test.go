package caption_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/caption"
)

// golden is two cues: two lines with a short gap between words, and a word that ends long before its cue.
const golden = "[Events]\n" +
	"Dialogue: 0,0:00:01.00,0:00:03.00,D,,0,0,0,,{\\k50}Hello {\\k50}big\\N{\\k20\\k60}world{\\k20}\n" +
	"Dialogue: 0,0:00:04.00,0:00:06.00,D,,0,0,0,,{\\k50\\k50}Bye\n"

func TestStyle_States(t *testing.T) {
	t.Parallel()
	tests := map[caption.StyleName][]string{
		caption.Classic: {
			"1000-1500 *Hello* (big) / (world)", "1500-2200 Hello *big* / (world)", "2200-3000 Hello big / *world*",
			"4000-4500 (Bye)", "4500-5000 *Bye*", "5000-6000 Bye",
		},
		caption.Progressive: {
			"1000-1500 *Hello* ~big~ / ~world~", "1500-2200 Hello *big* / ~world~", "2200-3000 Hello big / *world*",
			"4000-4500 ~Bye~", "4500-5000 *Bye*", "5000-6000 Bye",
		},
		caption.OneWord: {"1000-1500 *Hello*", "1500-2200 *big*", "2200-3000 *world*", "4500-5000 *Bye*"},
		caption.BoxedLine: {
			"1000-1500 {*Hello* (big)} / {(world)}", "1500-2200 {Hello *big*} / {(world)}", "2200-3000 {Hello big} / {*world*}",
			"4000-4500 {(Bye)}", "4500-5000 {*Bye*}", "5000-6000 {Bye}",
		},
		caption.BoxedWord: {
			"1000-1500 {*Hello*} (big) / (world)", "1500-2200 Hello {*big*} / (world)", "2200-3000 Hello big / {*world*}",
			"4000-4500 (Bye)", "4500-5000 {*Bye*}", "5000-6000 Bye",
		},
	}
	for look, want := range tests {
		t.Run(string(look), func(t *testing.T) {
			t.Parallel()
			s := usual()
			s.Name = look
			if diff := cmp.Diff(want, showStates(s.States(mustParse(t, golden)))); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStyle_States_Cues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file string
		want []string
	}{
		{"two at once", "00:00 --> 00:02\nA\n\n00:01 --> 00:03\nB\n", []string{"0-1000 *A*", "1000-2000 *A* / *B*", "2000-3000 *B*"}},
		{"three at once, a fourth is left out", "00:00 --> 00:03\nA\n\n00:00 --> 00:02\nB\n\n00:00 --> 00:02\nC\n\n00:01 --> 00:03\nD\n",
			[]string{"0-2000 *A* / *B* / *C*", "2000-3000 *A*"}},
		{"neighbours that look alike are one", "00:00 --> 00:01\nA\n\n00:01 --> 00:02\nA\n", []string{"0-2000 *A*"}},
		{"characters stand together", "00:00 --> 00:02\n你好，go\n", []string{"0-625 *你*(好，) (go)", "625-1500 你*好，* (go)", "1500-2000 你好， *go*"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, showStates(usual().States(mustParse(t, tt.file)))); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStyle_States_LongCueIsNotLit(t *testing.T) {
	t.Parallel()
	words := ""
	for range 41 {
		words += "w "
	}
	for _, look := range []caption.StyleName{caption.Classic, caption.Progressive, caption.OneWord} {
		s := usual()
		s.Name = look
		states := s.States(mustParse(t, "00:00 --> 00:02\n"+words+"\n"))
		if len(states) != 1 || len(states[0].Rows[0].Pieces) != 41 {
			t.Errorf("%s: %v, want one state of 41 words", look, showStates(states))
		}
	}
}

// The most that a file may ask for must cost little: one picture is drawn per state.
func TestStyle_States_AreBounded(t *testing.T) {
	var words []caption.Word
	for i := range 30_000 {
		words = append(words, caption.Word{Text: "w", Start: ms(100 * i), End: ms(100*i + 90)})
	}
	began := spent(t)
	states := usual().States(usual().FromWords(words))
	if took := spent(t) - began; took > 30*time.Second { // with its square it would be minutes
		t.Errorf("took %v", took)
	}
	if len(states) != 30_000 {
		t.Errorf("%d states", len(states))
	}
	for i, s := range states {
		if s.To <= s.From || i > 0 && s.From < states[i-1].To {
			t.Fatalf("state %d is from %v to %v after %v", i, s.From, s.To, states[max(i-1, 0)].To)
		}
	}
}
