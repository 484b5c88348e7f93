package caption_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/caption"
)

// spoken makes words that follow each other without a gap, half a second each, from a text; a dash is half a second of silence.
func spoken(texts ...string) []caption.Word {
	var words []caption.Word
	at := 0
	for _, text := range texts {
		if text != "-" {
			words = append(words, caption.Word{Text: text, Start: ms(at), End: ms(at + 500)})
		}
		at += 500
	}
	return words
}

func TestStyle_FromWords(t *testing.T) {
	t.Parallel()
	style := func(change func(*caption.Style)) caption.Style {
		s := usual()
		change(&s)
		return s
	}
	plain := usual()
	tests := []struct {
		name  string
		style caption.Style
		words []caption.Word
		want  []string
	}{
		{"nothing", plain, nil, nil},
		{"at most four words a line, evenly", plain, spoken("one", "two", "three", "four", "five"),
			[]string{"0-1500 one two three", "1500-2800 four five"}},
		{"a sentence ends a line", plain, spoken("Yes.", "We", "do!"), []string{"0-500 Yes.", "500-1800 We do!"}},
		{"the full stop of an abbreviation does not", plain, spoken("Dr.", "No", "e.g.", "J.", "Bond."), []string{"0-1500 Dr. No e.g.", "1500-2800 J. Bond."}},
		{"a closing quote after the full stop", plain, spoken("“Yes.”", "She", "left."), []string{"0-500 “Yes.”", "500-1800 She left."}},
		{"a long pause ends a line, and the line stays a little", plain, spoken("one", "-", "-", "two"), []string{"0-800 one", "1500-2300 two"}},
		{"a short pause does not", plain, spoken("one", "-", "two"), []string{"0-1800 one two"}},
		{"a line stays over a short pause", plain, spoken("Yes.", "-", "No."), []string{"0-1000 Yes.", "1000-1800 No."}},
		{"three words a line", style(func(s *caption.Style) { s.MaxWords = 3 }), spoken("a", "b", "c", "d"), []string{"0-1000 a b", "1000-2300 c d"}},
		{"one word a line", style(func(s *caption.Style) { s.MaxWords = 1 }), spoken("a", "b"), []string{"0-500 a", "500-1300 b"}},
		{"ten chinese characters a line", plain, spoken("我", "们", "今", "天", "去", "公", "园", "散", "步", "吧", "好", "吗"), []string{"0-3000 我们今天去公", "3000-6300 园散步吧好吗"}},
		{"capitals", style(func(s *caption.Style) { s.AllCaps = true }), spoken("Straße", "über", "élan"), []string{"0-1800 STRASSE ÜBER ÉLAN"}},
		{"a word is replaced, its punctuation stays", style(func(s *caption.Style) { s.Replace = map[string]string{"jason": "JSON"} }),
			spoken("(Jason),", "jasons"), []string{"0-1300 (JSON), jasons"}},
		{"a phrase is replaced", style(func(s *caption.Style) { s.Replace = map[string]string{"movie ola": "Moviola", "movie": "film"} }),
			spoken("Movie", "Ola", "movie!"), []string{"0-1800 Moviola film!"}},
		{"a word is left out", style(func(s *caption.Style) { s.Replace = map[string]string{"um": ""} }), spoken("um,", "well"), []string{"500-1300 well"}},
		{"by more words", style(func(s *caption.Style) { s.Replace = map[string]string{"asap": "as soon as humanly possible"} }),
			spoken("asap"), []string{"0-212 as soon as", "212-800 humanly possible"}},
		{"words out of order, overlapping and odd", plain, []caption.Word{
			{Text: "two", Start: ms(400), End: ms(900)}, {Text: " one\x00 ", Start: ms(0), End: ms(600)}, {Text: "  ", Start: ms(1000), End: ms(1100)},
			{Text: "three four", Start: ms(900), End: ms(1900)}, {Text: "back", Start: ms(1900), End: ms(100)},
		}, []string{"0-1438 one two three", "1438-2200 four back"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			track := tt.style.FromWords(tt.words)
			if diff := cmp.Diff(tt.want, show(track)); diff != "" {
				t.Errorf("cues (-want +got):\n%s", diff)
			}
			if !track.WordTimed {
				t.Error("the words' times are known, but the track does not say so")
			}
		})
	}
}

func TestStyle_Dress(t *testing.T) {
	t.Parallel()
	const file = "00:00 --> 00:04\none two three four\nfive six\n\n00:05 --> 00:06\nbye now\n"
	tests := []struct {
		name   string
		change func(*caption.Style)
		want   []string
	}{
		{"as given", func(*caption.Style) {}, []string{"0-4000 one two three four / five six", "5000-6000 bye now"}},
		{"broken where that was asked for", func(s *caption.Style) { s.Rebreak, s.MaxWords = true, 3 },
			[]string{"0-2000 one two three", "2000-4000 four five six", "5000-6000 bye now"}},
		{"lines that fit stay", func(s *caption.Style) { s.Rebreak, s.MaxWords = true, 4 },
			[]string{"0-4000 one two three four / five six", "5000-6000 bye now"}},
		{"capitals and replacements", func(s *caption.Style) {
			s.AllCaps, s.Replace = true, map[string]string{"bye": "good bye", "five": "", "six": ""}
		}, []string{"0-4000 ONE TWO THREE FOUR", "5000-6000 GOOD BYE NOW"}},
		{"nothing is left", func(s *caption.Style) { s.Replace = map[string]string{"bye": "", "now": ""} }, []string{"0-4000 one two three four / five six"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := usual()
			tt.change(&s)
			given := mustParse(t, file)
			before := show(given)
			if diff := cmp.Diff(tt.want, show(s.Apply(given))); diff != "" {
				t.Errorf("cues (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, show(given)); diff != "" {
				t.Errorf("the given track was changed:\n%s", diff)
			}
		})
	}
}
