package text

import "testing"

// TestClean: every kind of line break is one line feed, other control characters are blanks.
func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"a\nb", "a\nb"}, {"a\r\nb", "a\nb"}, {"a\rb", "a\nb"}, {"a\r\rb", "a\n\nb"}, {"a\r\n\r\nb", "a\n\nb"}, {"a\n\rb", "a\n\nb"},
		{"a<br>\r\nb", "a\n\nb"}, {"a\u2028b", "a\nb"}, {"a\tb", "a b"},
	} {
		if got := string(clean(c.text)); got != c.want {
			t.Errorf("clean(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
