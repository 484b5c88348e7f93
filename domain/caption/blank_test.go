package caption_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse_HighlightAfterABlank: a text that highlights its words may begin with, or contain, blanks that are no spaces.
func TestParse_HighlightAfterABlank(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"\t", "\u00a0", "\u3000", " \t"} {
		got := mustParse(t, "[Events]\n"+
			`Dialogue: 0,0:00:00.00,0:00:01.00,Line,,0,0,0,,`+blank+`{\c&HFF&}One`+blank+"{\\c}two\n"+
			`Dialogue: 0,0:00:01.00,0:00:02.00,Line,,0,0,0,,`+blank+`One`+blank+"{\\c&HFF&}two\n")
		if diff := cmp.Diff([]string{"0-1000 One", "1000-2000 two"}, showWords(got.Words())); diff != "" || !got.WordTimed {
			t.Errorf("%q: words timed %v (-want +got):\n%s", blank, got.WordTimed, diff)
		}
	}
}
