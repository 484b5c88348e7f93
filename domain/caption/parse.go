package caption

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Parse reads a caption file: SubRip, WebVTT or Advanced SubStation Alpha, recognised by content. It accepts UTF-8, UTF-16 with a
// byte order mark, and Windows-1252. Unreadable cues are dropped; a file without a readable cue is an error, of type
// *domain.Error. Words without times in the file share the time of their cue.
func Parse(raw []byte) (Track, error) {
	if len(raw) > maxBytes {
		return Track{}, invalid("they are larger than %d MB", maxBytes>>20)
	}
	lines := splitLines(decode(raw))
	cues, timed := readerFor(lines)(lines)
	t, err := finish(cues)
	if err != nil {
		return Track{}, err
	}
	t.WordTimed = timed
	return t, nil
}

// readerFor recognises the format of a file by its first lines, and returns its reader.
func readerFor(lines []string) func([]string) ([]timedText, bool) {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			continue
		case line == "WEBVTT" || strings.HasPrefix(line, "WEBVTT ") || strings.HasPrefix(line, "WEBVTT\t"):
			return readVTT
		case strings.HasPrefix(line, "["), strings.HasPrefix(line, ";"), strings.HasPrefix(line, "!:"),
			strings.HasPrefix(line, "Dialogue:"):
			return readASS
		}
		return readSRT
	}
	return readSRT
}

// finish sorts the parsed cues and splits their texts into words.
func finish(cues []timedText) (Track, error) {
	slices.SortStableFunc(cues, func(a, b timedText) int { return cmp.Compare(a.start, b.start) })
	var t Track
	words := 0
	for _, c := range cues {
		cue, ok := c.cue()
		if !ok {
			continue
		}
		words += len(cue.Words())
		if len(t.Cues) == maxCues || words > maxWords {
			return Track{}, invalid("there are more than %d captions or %d words", maxCues, maxWords)
		}
		t.Cues = append(t.Cues, cue)
	}
	if len(t.Cues) == 0 {
		return Track{}, invalid("no caption was found; give SRT, WebVTT or ASS, or an address of such a file")
	}
	return t, nil
}

// decode converts the bytes of a file to UTF-8.
func decode(raw []byte) string {
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		return decodeUTF16(raw[2:], binary.LittleEndian)
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return decodeUTF16(raw[2:], binary.BigEndian)
	}
	raw = bytes.TrimPrefix(raw, []byte{0xef, 0xbb, 0xbf})
	if utf8.Valid(raw) {
		return string(raw)
	}
	return decode1252(raw)
}

func decodeUTF16(raw []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = order.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}

// upper1252 are the characters 0x80 to 0x9f of Windows-1252; all other characters are as in Unicode.
var upper1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

func decode1252(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw) + len(raw)/8)
	for _, c := range raw {
		if c >= 0x80 && c < 0xa0 {
			b.WriteRune(upper1252[c-0x80])
		} else {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
	for i, line := range lines {
		lines[i] = line[:min(len(line), maxLineBytes)]
	}
	return lines
}

// parseTime parses a time with optional hours: 00:01:02,500, 1:02.5.
func parseTime(text string) (time.Duration, bool) {
	text = strings.TrimSpace(strings.ReplaceAll(text, ",", "."))
	whole, fraction, _ := strings.Cut(text, ".")
	parts := strings.Split(whole, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	var seconds int64
	for _, part := range parts {
		n, ok := digits(part)
		if !ok {
			return 0, false
		}
		seconds = seconds*60 + n
	}
	millis, ok := digits((fraction + "000")[:3])
	t := time.Duration(seconds)*time.Second + time.Duration(millis)*time.Millisecond
	return t, ok && t <= maxTime
}

// digits parses a number of at most six digits.
func digits(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 6 {
		return 0, false
	}
	var n int64
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// parseSpan parses "from --> to"; text after the second time is ignored.
func parseSpan(line string) (start, end time.Duration, ok bool) {
	from, to, found := strings.Cut(line, "-->")
	if !found {
		return 0, 0, false
	}
	fields := strings.Fields(to)
	if len(fields) == 0 {
		return 0, 0, false
	}
	start, okStart := parseTime(from)
	end, okEnd := parseTime(fields[0])
	return start, end, okStart && okEnd && end > start
}
