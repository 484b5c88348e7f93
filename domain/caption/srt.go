package caption

import "strings"

// readSRT reads SubRip leniently: numbers, blank lines and hours may be missing.
func readSRT(lines []string) ([]timedText, bool) {
	var cues []timedText
	for i := 0; i < len(lines) && len(cues) <= maxCues; {
		start, end, ok := parseSpan(lines[i])
		i++
		if !ok {
			continue
		}
		c := timedText{start: start, end: end}
		for ; i < len(lines) && strings.TrimSpace(lines[i]) != "" && !strings.Contains(lines[i], "-->"); i++ {
			if isNumberBeforeSpan(lines, i) {
				continue // without a blank line before it, this line is the number of the next cue
			}
			c.newLine()
			c.add(run{text: stripTags(stripBraces(lines[i]))})
		}
		cues = append(cues, c)
	}
	return cues, false
}

func isNumberBeforeSpan(lines []string, i int) bool {
	_, isNumber := digits(lines[i])
	return isNumber && i+1 < len(lines) && strings.Contains(lines[i+1], "-->")
}

// stripBraces removes ASS override tags such as {\an8}, which players accept in SubRip.
func stripBraces(line string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(line, `{\`)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString(`{\` + rest)
			return b.String()
		}
		line = after
	}
}

// stripTags removes HTML tags and resolves character references.
func stripTags(line string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "<")
		b.WriteString(before)
		if !ok {
			return unescape(b.String())
		}
		// The end of a tag is searched only within a short distance, because otherwise a line of opening brackets would
		// take quadratic time.
		inner, _, closed := strings.Cut(rest[:min(len(rest), maxTagBytes)], ">")
		if !closed || !isTag(inner) {
			b.WriteByte('<')
			line = rest
			continue
		}
		line = rest[len(inner)+1:]
	}
}

const maxTagBytes = 200

// isTag distinguishes tags such as <i> and </font> from "a < b and c > d".
func isTag(inner string) bool {
	inner = strings.TrimPrefix(inner, "/")
	first := firstRune(inner)
	return first >= 'a' && first <= 'z' || first >= 'A' && first <= 'Z'
}

var references = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&apos;", "'",
	"&nbsp;", "\u00a0", "&lrm;", "\u200e", "&rlm;", "\u200f", "&amp;", "&")

func unescape(text string) string { return references.Replace(text) }
