package caption

import (
	"strings"
	"unicode"
)

// unspaced reports whether a rune belongs to a script without blanks between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// clinging reports whether a rune must not be separated from the one before it: marks, punctuation, small kana and the long
// sound mark.
func clinging(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pe, unicode.Pf, unicode.Po) ||
		strings.ContainsRune("ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々〻～", r)
}

// opening reports whether a rune must not be separated from the one after it, such as an opening bracket.
func opening(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) }

// wordEnd is the zero-width space, which marks the ends of words in Thai, Lao or Khmer. It stays at the end of its word.
const wordEnd = '\u200b'

// breaksBetween reports whether a new word begins at the rune next, although no blank is between the runes last and next.
func breaksBetween(last, next rune) bool {
	if last == wordEnd {
		return next != wordEnd
	}
	return !opening(last) && !clinging(next) && (unspaced(next) || endsUnspaced(last))
}

// endsUnspaced reports whether no blank follows a word that ends with the rune r.
func endsUnspaced(r rune) bool {
	return unspaced(r) || strings.ContainsRune("。、，！？；：）」』】》〉ー～々", r)
}

// Glued reports whether no blank is between a word and the one before it, as in Chinese and Japanese.
func Glued(before, word string) bool {
	if lastRune(before) == wordEnd {
		return true
	}
	next := firstRune(word)
	return endsUnspaced(lastRune(before)) && (unspaced(next) || strings.ContainsRune("（「『【《〈", next))
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return ' '
}

func lastRune(s string) rune {
	last := ' '
	for _, r := range s {
		last = r
	}
	return last
}

// String returns the line's text.
func (l Line) String() string {
	var b strings.Builder
	for i, w := range l {
		if i > 0 && !Glued(l[i-1].Text, w.Text) {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	return b.String()
}

// endsSentence reports whether the word ends a sentence.
func endsSentence(word string) bool {
	word = strings.TrimRight(word, "\"'”’»)]」』")
	return strings.ContainsRune(".!?…。！？।؟", lastRune(word)) && !abbreviation(word)
}

// abbreviation reports whether the full stop at the end is a part of the word: "Dr.", "e.g.", "J.".
func abbreviation(word string) bool {
	bare, ok := strings.CutSuffix(strings.ToLower(strings.TrimLeft(word, "\"'“‘«„([¿¡")), ".")
	if !ok || strings.HasSuffix(bare, ".") {
		return false
	}
	if strings.Contains(bare, ".") || len([]rune(bare)) == 1 {
		return true
	}
	switch bare {
	case "dr", "mr", "mrs", "ms", "st", "vs", "no", "prof", "etc", "inc", "ltd", "nr", "bzw", "usw", "sr", "sra", "mme":
		return true
	}
	return false
}

// core splits a word into leading punctuation, the bare word, and trailing punctuation.
func core(word string) (before, bare, after string) {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r) }
	first := strings.IndexFunc(word, letter)
	if first < 0 {
		return "", word, ""
	}
	rest := strings.TrimRightFunc(word[first:], func(r rune) bool { return !letter(r) })
	return word[:first], rest, word[first+len(rest):]
}

// foldWord returns a word in the form for look-ups: lower case, without surrounding punctuation.
func foldWord(word string) string {
	_, bare, _ := core(word)
	return strings.ToLower(bare)
}

// foldPhrase returns a phrase in the form for look-ups.
func foldPhrase(phrase string) string {
	words := strings.Fields(phrase)
	for i, w := range words {
		words[i] = foldWord(w)
	}
	return strings.Join(words, " ")
}

// clean removes control characters and others that cannot be shown.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r) || r == '\ufeff' || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
}
