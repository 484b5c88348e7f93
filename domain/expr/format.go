package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxPattern is the longest pattern, in bytes.
const maxPattern = 64

// format formats a number by a pattern: "0.00", "#,##0", "000", with other text around it, "0%" for hundredths; or seconds
// as "mm:ss", "m:ss", "h:mm:ss" or "hh:mm:ss".
func format(c *calling, args []any) (any, error) {
	pattern, err := c.text(args[1])
	if err != nil {
		return nil, err
	}
	n, ok, err := c.number(args[0])
	if !ok {
		return nil, err
	}
	if len(pattern) > maxPattern {
		return nil, c.fail("takes patterns of up to %d bytes", maxPattern)
	}
	if math.Abs(n) >= 1e15 {
		return nil, c.fail("cannot write numbers that large")
	}
	if text, ok := clock(n, pattern); ok {
		return c.join(text)
	}
	text, ok := picture(n, pattern)
	if !ok {
		return nil, c.fail("does not know the pattern '%s'. Use one like '0.00', '#,##0' or 'mm:ss'", shorten(pattern))
	}
	return c.join(text)
}

// clock formats seconds, rounded, as hours, minutes and seconds. It returns false when the pattern is not that of a clock.
func clock(n float64, pattern string) (string, bool) {
	seconds := int64(math.Round(math.Abs(n)))
	minus := ""
	if n < 0 && seconds > 0 {
		minus = "-"
	}
	switch pattern {
	case "m:ss":
		return fmt.Sprintf("%s%d:%02d", minus, seconds/60, seconds%60), true
	case "mm:ss":
		return fmt.Sprintf("%s%02d:%02d", minus, seconds/60, seconds%60), true
	case "h:mm:ss":
		return fmt.Sprintf("%s%d:%02d:%02d", minus, seconds/3600, seconds/60%60, seconds%60), true
	case "hh:mm:ss":
		return fmt.Sprintf("%s%02d:%02d:%02d", minus, seconds/3600, seconds/60%60, seconds%60), true
	}
	return "", false
}

// picture formats a number by a pattern of digits: 0 is a digit that is always written, # is a digit that may be missing,
// and a comma between digits groups thousands. It returns false when the pattern has no digits, other characters between
// them, or more than one decimal point.
func picture(n float64, pattern string) (string, bool) {
	first := strings.IndexAny(pattern, "#0")
	last := strings.LastIndexAny(pattern, "#0")
	if first < 0 {
		return "", false
	}
	before, digits, after := pattern[:first], pattern[first:last+1], pattern[last+1:]
	if strings.Trim(digits, "#0,.") != "" || strings.Count(digits, ".") > 1 {
		return "", false
	}
	if strings.HasPrefix(after, "%") {
		n *= 100
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	places := len(fraction)
	n = roundTo(math.Abs(n), min(places, maxPlaces)) * math.Copysign(1, n)
	text := strconv.FormatFloat(math.Abs(n), 'f', places, 64)
	written, decimals, _ := strings.Cut(text, ".")
	for optional := strings.TrimRight(fraction, "#"); len(decimals) > len(optional) && strings.HasSuffix(decimals, "0"); {
		decimals = decimals[:len(decimals)-1]
	}
	if least := strings.Count(whole, "0"); len(written) < least {
		written = strings.Repeat("0", least-len(written)) + written
	}
	if strings.Contains(whole, ",") {
		written = grouped(written)
	}
	if decimals != "" {
		written += "." + decimals
	}
	if n < 0 && strings.Trim(written, "0.,") != "" {
		before = "-" + before
	}
	return before + written + after, true
}

// grouped inserts a comma before every three digits from the end.
func grouped(digits string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
