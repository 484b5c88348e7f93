package text

import (
	"unicode"

	"github.com/go-text/typesetting/language"
)

// Characters that control how their neighbours are drawn.
const (
	joiner     = '\u200d' // joins the emoji before and after it to one
	textStyle  = '\ufe0e' // requests the plain form of the character before it
	emojiStyle = '\ufe0f' // requests the colour form of the character before it
	keycap     = '\u20e3'
)

// emojiByDefault are the characters with a colour form by default. Unicode: Emoji_Presentation.
var emojiByDefault = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x231a, 0x231b, 1}, {0x23e9, 0x23ec, 1}, {0x23f0, 0x23f3, 3}, {0x25fd, 0x25fe, 1}, {0x2614, 0x2615, 1},
		{0x2648, 0x2653, 1}, {0x267f, 0x267f, 1}, {0x2693, 0x2693, 1}, {0x26a1, 0x26a1, 1}, {0x26aa, 0x26ab, 1},
		{0x26bd, 0x26be, 1}, {0x26c4, 0x26c5, 1}, {0x26ce, 0x26ce, 1}, {0x26d4, 0x26d4, 1}, {0x26ea, 0x26ea, 1},
		{0x26f2, 0x26f3, 1}, {0x26f5, 0x26f5, 1}, {0x26fa, 0x26fa, 1}, {0x26fd, 0x26fd, 1}, {0x2705, 0x2705, 1},
		{0x270a, 0x270b, 1}, {0x2728, 0x2728, 1}, {0x274c, 0x274e, 2}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1},
		{0x2795, 0x2797, 1}, {0x27b0, 0x27bf, 15}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b55, 5},
	},
	R32: []unicode.Range32{
		{0x1f004, 0x1f004, 1}, {0x1f0cf, 0x1f0cf, 1}, {0x1f18e, 0x1f18e, 1}, {0x1f191, 0x1f19a, 1}, {0x1f1e6, 0x1f1ff, 1},
		{0x1f201, 0x1f201, 1}, {0x1f21a, 0x1f21a, 1}, {0x1f22f, 0x1f22f, 1}, {0x1f232, 0x1f236, 1}, {0x1f238, 0x1f23a, 1},
		{0x1f250, 0x1f251, 1}, {0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f7e0, 0x1f7f0, 1}, {0x1f900, 0x1faff, 1},
	},
}

// wantsEmoji reports whether a grapheme cluster is drawn as an emoji.
func wantsEmoji(cluster []rune) bool {
	for _, r := range cluster {
		switch r {
		case emojiStyle, keycap:
			return true
		case textStyle:
			return false
		}
	}
	return len(cluster) > 0 && unicode.Is(emojiByDefault, cluster[0])
}

// invisible reports whether a character needs no glyph of its own.
func invisible(r rune) bool {
	return r == joiner || r == textStyle || r == emojiStyle || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// blank reports whether a cluster consists of white space and invisible characters only.
func blank(cluster []rune) bool {
	for _, r := range cluster {
		if !invisible(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// RightToLeft reports whether a paragraph is written from right to left: its first letter decides. UAX #9, rules P2 and P3.
func RightToLeft(text []rune) bool {
	for _, r := range text {
		if unicode.IsLetter(r) {
			switch language.LookupScript(r) {
			case language.Arabic, language.Hebrew, language.Syriac, language.Thaana, language.Nko, language.Samaritan,
				language.Mandaic, language.Adlam:
				return true
			}
			return false
		}
	}
	return false
}

// spacedOut reports whether the letters of a script may be spaced: those of Arabic, Devanagari and the like are joined.
func spacedOut(script language.Script) bool {
	switch script {
	case language.Arabic, language.Syriac, language.Mongolian, language.Nko, language.Devanagari, language.Bengali:
		return false
	}
	return true
}
