package caption

import (
	"slices"
	"strings"
)

// maxPhrase is the maximum number of words in a phrase that is replaced.
const maxPhrase = 10

// Apply applies the style to given captions: replacements, capitals, and lines of at most s.MaxWords average words if that
// is requested. A cue with a line that is longer becomes several cues, one after the other.
func (s Style) Apply(t Track) Track {
	dressed := Track{WordTimed: t.WordTimed}
	for _, c := range t.Cues {
		cue := Cue{Start: c.Start, End: c.End}
		for _, line := range c.Lines {
			if line = s.replace(line); len(line) > 0 {
				cue.Lines = append(cue.Lines, line)
			}
		}
		switch {
		case len(cue.Lines) == 0:
		case s.Rebreak:
			dressed.Cues = append(dressed.Cues, s.rebreak(cue)...)
		default:
			dressed.Cues = append(dressed.Cues, cue)
		}
	}
	return s.capitals(dressed)
}

// rebreak splits a cue into cues of one line with at most s.MaxWords average words. A cue that fits is returned unchanged.
func (s Style) rebreak(c Cue) []Cue {
	fits := !slices.ContainsFunc(c.Lines, func(l Line) bool { return len(balance(l, s.MaxWords)) > 1 })
	if fits || s.MaxWords <= 0 {
		return []Cue{c}
	}
	var cues []Cue
	for _, line := range balance(c.Words(), s.MaxWords) {
		start := line[0].Start
		if len(cues) == 0 {
			start = c.Start
		} else {
			cues[len(cues)-1].End = start
		}
		cues = append(cues, Cue{Start: start, End: c.End, Lines: []Line{line}})
	}
	for _, cue := range cues {
		settle(cue) // a word may end after the start of the next word, which may now be in another cue
	}
	return cues
}

func (s Style) capitals(t Track) Track {
	if !s.AllCaps {
		return t
	}
	for _, c := range t.Cues {
		for _, line := range c.Lines {
			for i := range line {
				line[i].Text = strings.ToUpper(strings.ReplaceAll(line[i].Text, "ß", "ss"))
			}
		}
	}
	return t
}

// replace returns the words after the style's replacements, the longest phrase first. Punctuation around a phrase stays, and the
// new words share the time of the old ones. The argument is not changed.
func (s Style) replace(words []Word) []Word {
	if len(s.Replace) == 0 {
		return slices.Clone(words)
	}
	longest := 0
	for phrase := range s.Replace {
		longest = max(longest, min(len(strings.Fields(phrase)), maxPhrase))
	}
	folded := make([]string, len(words))
	for i, w := range words {
		folded[i] = foldWord(w.Text)
	}
	var replaced []Word
	for i := 0; i < len(words); {
		n, to := s.find(folded[i:], longest)
		if n == 0 {
			replaced = append(replaced, words[i])
			i++
			continue
		}
		replaced = append(replaced, instead(words[i:i+n], to)...)
		i += n
	}
	return replaced
}

// find returns the replacement of the longest phrase at the start of folded, with at most longest words, that has one, and the
// number of words of this phrase; 0: there is none.
func (s Style) find(folded []string, longest int) (int, string) {
	for n := min(longest, len(folded)); n > 0; n-- {
		if to, ok := s.Replace[strings.Join(folded[:n], " ")]; ok {
			return n, to
		}
	}
	return 0, ""
}

func instead(words []Word, to string) []Word {
	texts := strings.Fields(clean(to))
	if len(texts) == 0 {
		return nil
	}
	before, _, _ := core(words[0].Text)
	_, _, after := core(words[len(words)-1].Text)
	texts[0] = before + texts[0]
	texts[len(texts)-1] += after
	return spread(texts, words[0].Start, words[len(words)-1].End)
}
