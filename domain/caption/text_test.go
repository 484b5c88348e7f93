package caption_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/caption"
)

func TestSplitWords(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                   "",
		"  two  words\t":     "two|words",
		"don't-stop, (now)!": "don't-stop,|(now)!",
		"non\u00a0breaking":  "non|breaking",
		"你好，世界。":             "你|好，|世|界。",
		"「東京」へ行く":            "「東|京」|へ|行|く",
		"コーヒーを飲んだ":           "コー|ヒー|を|飲|ん|だ",
		"Go语言2026年":          "Go|语|言|2026|年",
		"안녕하세요 세계":           "안녕하세요|세계",
		"मैं ठीक हूँ":        "मैं|ठीक|हूँ",
		"e\u0301te\u0301":    "e\u0301te\u0301",
		"漢\u0301字":           "漢\u0301|字",
		"مرحبا، بالعالم":     "مرحبا،|بالعالم",
		"สวัสดี\u200bชาวโลก \u200bครับ": "สวัสดี\u200b|ชาวโลก|\u200b|ครับ",
		"bell\x07 null\x00 bom\ufeff.":  "bell|null|bom.",
	}
	for text, want := range tests {
		if got := strings.Join(caption.SplitWords(text), "|"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A line written out is the text that its words were split from, but for its blanks.
func TestLine_String(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"two words", "你好，世界。", "「東京」へ行く", "안녕하세요 세계", "(so) “it” goes…"} {
		var line caption.Line
		for _, w := range caption.SplitWords(text) {
			line = append(line, caption.Word{Text: w})
		}
		if got := line.String(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

func TestEndsPhrase(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"end.": true, "end!”": true, "end?)": true, "so…": true, "stop。": true, "क्या।": true, "هل؟": true, "well,": true, "thus:": true, "好，": true,
		"word": false, "Dr.": false, "z.B.": false, "e.g.": false, "J.": false, "3.5": false, "": false, "“Mr.": false,
	}
	for word, want := range tests {
		if got := caption.EndsPhrase(word); got != want {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"“Hello,": "hello", "ÉTÉ!": "été", "don't": "don't", "—": "—", "": "", "(42%)": "42"} {
		if got := caption.Fold(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	got := caption.Spread([]string{"a", "long-winded", "42."}, ms(1000), ms(2000))
	if diff := cmp.Diff([]string{"1000-1111 a", "1111-1555 long-winded", "1555-2000 42."}, showWords(got)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if got := caption.Spread(nil, 0, ms(1000)); len(got) != 0 {
		t.Errorf("no words are %v", got)
	}
}
