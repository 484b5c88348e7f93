//go:build !race

package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// mustRuns returns the lines of a text of 20 pixels in a box of the given width.
func mustRuns(t *testing.T, words string, width int, change func(*timeline.TextSettings)) ([][]text.Run, []string) {
	t.Helper()
	lines, warnings, err := engine(t).Runs(styled(words, change), width, 400)
	if err != nil {
		t.Fatal(err)
	}
	return lines, warnings
}

// shown is the lines as text, the runs of a line from left to right with bars between them.
func shown(lines [][]text.Run) []string {
	var all []string
	for _, line := range lines {
		var runs []string
		for _, run := range line {
			runs = append(runs, run.Text)
		}
		all = append(all, strings.Join(runs, "|"))
	}
	return all
}

func TestLayout_Wrap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, words string
		width       int
		want        []string
	}{
		{"fits", "One two three", 400, []string{"One two three"}},
		{"at spaces", "One two three four", 105, []string{"One two ", "three four"}},
		{"after hyphens", "well-known", 70, []string{"well-", "known"}},
		{"inside a word that is too long", "Donaudampfschiff", 95, []string{"Donauda", "mpfschiff"}},
		{"not at no-break spaces", "10\u00a0000 km", 80, []string{"10\u00a0000 ", "km"}},
		{"Chinese between characters", "你好世界你好", 45, []string{"你好", "世界", "你好"}},
		{"Chinese, no line begins with a stop", "你好世，界", 45, []string{"你好", "世，", "界"}},
		{"one pixel", "abc", 1, []string{"a", "b", "c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lines, _ := mustRuns(t, tt.words, tt.width, nil)
			if diff := cmp.Diff(tt.want, shown(lines)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLayout_Directions: the runs of each line stand where UAX #9 puts them.
func TestLayout_Directions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, words string
		width       int
		want        []string
	}{
		{"left to right", "abc عربي def", 400, []string{"abc |عربي| def"}},
		{"right to left", "عربي abc עברית", 400, []string{" עברית|abc|عربي "}},
		{"number inside Arabic inside Latin", "abc عربي 123 نص def", 400, []string{"abc | نص|123|عربي | def"}},
		{"stop ends a line of Arabic at its left", "مرحبا.", 400, []string{".|مرحبا"}},
		{"space at a break belongs to no side", "שלום test ABC", 100, []string{"test |שלום ", "ABC"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lines, _ := mustRuns(t, tt.words, tt.width, nil)
			if diff := cmp.Diff(tt.want, shown(lines)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLayout_TrailingSpace: a space at the end of a line takes no room.
func TestLayout_TrailingSpace(t *testing.T) {
	t.Parallel()
	spaced, _ := mustRuns(t, "word   ", 400, nil)
	plain, _ := mustRuns(t, "word", 400, nil)
	if spaced[0][0].Width != plain[0][0].Width {
		t.Errorf("got %v px with spaces, %v px without", spaced[0][0].Width, plain[0][0].Width)
	}
	hebrew, _ := mustRuns(t, "שלום test ABC", 100, nil)
	test, _ := mustRuns(t, "test", 400, nil)
	if hebrew[0][0].Width != test[0][0].Width {
		t.Errorf("at the break: got %v px, want %v px", hebrew[0][0].Width, test[0][0].Width)
	}
}

// TestLayout_Fallback: every script has a font, none shows the box for missing glyphs, and no other font is used than needed.
func TestLayout_Fallback(t *testing.T) {
	t.Parallel()
	for words, family := range map[string]string{
		"Hello":           "Inter",
		"Ελληνικά":        "Inter",
		"Кириллица":       "Inter",
		"العربية":         "Noto Sans Arabic",
		"עברית":           "Noto Sans Hebrew",
		"हिन्दी":          "Noto Sans Devanagari",
		"ภาษาไทย":         "Noto Sans Thai",
		"বাংলা":           "Noto Sans Bengali",
		"தமிழ்":           "Noto Sans Tamil",
		"ქართული":         "Noto Sans Georgian",
		"中文测试":            "Noto Sans CJK SC",
		"ひらがな":            "Noto Sans CJK JP",
		"漢字かな":            "Noto Sans CJK JP",
		"한국어":             "Noto Sans CJK KR",
		"😀":               "Noto Color Emoji",
		"👨\u200d👩\u200d👧": "Noto Color Emoji",
		"🇩🇪":              "Noto Color Emoji",
		"👍🏽":              "Noto Color Emoji",
		"1\ufe0f\u20e3":   "Noto Color Emoji",
		"❤\ufe0f":         "Noto Color Emoji",
	} {
		lines, warnings := mustRuns(t, words, 400, nil)
		if len(warnings) > 0 {
			t.Errorf("%s: %q", words, warnings)
		}
		for _, run := range lines[0] {
			if run.Family != family || run.Missing {
				t.Errorf("%s: got %q in %s, missing %v, want %s", words, run.Text, run.Family, run.Missing, family)
			}
		}
	}
}

// TestLayout_EmojiSpacing: the space after an emoji is the text's, not the emoji font's, which is twice as wide.
func TestLayout_EmojiSpacing(t *testing.T) {
	t.Parallel()
	lines, _ := mustRuns(t, "a 😀 b", 400, nil)
	if diff := cmp.Diff([]string{"a |😀| b"}, shown(lines)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if got := lines[0][2].Family; got != "Inter" {
		t.Errorf("the space after the emoji is set in %s", got)
	}
}

func TestLayout_Weights(t *testing.T) {
	t.Parallel()
	tests := []struct {
		words        string
		family       string
		weight, want int
	}{
		{"Hello", "Inter", 400, 400},
		{"Hello", "Inter", 500, 500},
		{"Hello", "Inter", 650, 700},
		{"Hello", "Inter", 100, 100},
		{"Hello", "Open Sans", 900, 800},
		{"你好", "Inter", 500, 400}, // of regular and bold, regular is nearer
		{"你好", "Inter", 700, 700},
		{"हिन्दी", "Inter", 600, 700},
	}
	for _, tt := range tests {
		lines, _ := mustRuns(t, tt.words, 400, func(s *timeline.TextSettings) { s.FontFamily, s.FontWeight = tt.family, tt.weight })
		if got := lines[0][0].Weight; got != tt.want {
			t.Errorf("%s in %s %d: got weight %d, want %d", tt.words, tt.family, tt.weight, got, tt.want)
		}
	}
}

// TestLayout_Families: what is installed is used, what is not has the nearest in its place, and that is said. Decision 27.
func TestLayout_Families(t *testing.T) {
	t.Parallel()
	tests := []struct{ css, family, warning string }{
		{"roboto", "Roboto", ""},
		{`"Open Sans"`, "Open Sans", ""},
		{"Nope, 'Roboto', Inter", "Roboto", ""},
		{"sans-serif", "Inter", ""},
		{"serif", "Noto Serif", ""},
		{"Noto Sans JP", "Noto Sans CJK JP", ""},
		{"Montserrat", "Montserrat", ""}, // shipped, as the next two are
		{"'bebas neue'", "Bebas Neue", ""},
		{"Oswald, Inter", "Oswald", ""},
		{"Nobody Has This", "Inter", "The font family 'Nobody Has This' is not installed, 'Inter' is used"},
		{"Roboto Flex", "Roboto", "The font family 'Roboto Flex' is not installed, 'Roboto' is used"},
		{"Playfair Nowhere", "Noto Serif", "The font family 'Playfair Nowhere' is not installed, 'Noto Serif' is used"},
		{"Nowhere Mono", "Roboto Mono", "The font family 'Nowhere Mono' is not installed, 'Roboto Mono' is used"},
		{"Nowhere Slab", "Roboto Slab", "The font family 'Nowhere Slab' is not installed, 'Roboto Slab' is used"},
		{"Great Vibes Nowhere", "Dancing Script", "The font family 'Great Vibes Nowhere' is not installed, 'Dancing Script' is used"},
		{"Nowhere Condensed", "Roboto Condensed", "The font family 'Nowhere Condensed' is not installed, 'Roboto Condensed' is used"},
		{"League Gothic Nowhere", "Roboto Condensed", "The font family 'League Gothic Nowhere' is not installed, 'Roboto Condensed' is used"},
		{"Titan One Nowhere", "Archivo Black", "The font family 'Titan One Nowhere' is not installed, 'Archivo Black' is used"},
		{"Roboto Serif Nowhere", "Noto Serif", "The font family 'Roboto Serif Nowhere' is not installed, 'Noto Serif' is used"},
		{"cursive", "Dancing Script", ""},
		{",", "Inter", ""},
	}
	for _, tt := range tests {
		lines, warnings := mustRuns(t, "Hello", 400, func(s *timeline.TextSettings) { s.FontFamily = tt.css })
		if got := lines[0][0].Family; got != tt.family {
			t.Errorf("%s: got %s, want %s", tt.css, got, tt.family)
		}
		if got := strings.Join(warnings, "; "); got != tt.warning {
			t.Errorf("%s: got warning %q, want %q", tt.css, got, tt.warning)
		}
	}
}

func TestLayout_MissingCharacter(t *testing.T) {
	t.Parallel()
	_, warnings := mustRuns(t, "a\U000f0000b\U000f0000", 400, nil)
	if diff := cmp.Diff([]string{"No installed font has the character U+F0000"}, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestLayout_LongText(t *testing.T) {
	t.Parallel()
	_, warnings := mustRuns(t, strings.Repeat("word ", 5000), 400, nil)
	if diff := cmp.Diff([]string{"The text is longer than 20000 characters and was cut"}, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestLayout_LetterSpacing(t *testing.T) {
	t.Parallel()
	width := func(words string, spacing float64) (sum float64) {
		lines, _ := mustRuns(t, words, 400, func(s *timeline.TextSettings) { s.LetterSpacing = spacing })
		for _, run := range lines[0] {
			sum += run.Width
		}
		return sum
	}
	if got, want := width("abcd", 10), width("abcd", 0)+30; got != want {
		t.Errorf("got %v px, want %v px: one space less than there are letters", got, want)
	}
	if got, want := width("مرحبا", 10), width("مرحبا", 0); got != want {
		t.Errorf("joined letters: got %v px, want %v px", got, want)
	}
}
