package caption_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/domain/caption"
)

// Reliability §6a: files made to cost time or memory. What they cost is bounded, whether they are read or refused.
func TestParse_BombsAreBounded(t *testing.T) {
	fill := func(head, piece string) string { return head + strings.Repeat(piece, (4<<20-len(head))/len(piece)) }
	event := "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,"
	bombs := map[string]string{
		"opening brackets":        fill("00:01 --> 00:02\n", "<"),
		"tags":                    fill("00:01 --> 00:02\n", "<b>"),
		"unclosed braces":         fill("00:01 --> 00:02\n", `{\`),
		"closed braces":           fill("00:01 --> 00:02\nx", `{\x}`),
		"references":              fill("00:01 --> 00:02\n", "&amp;"),
		"many lines in a cue":     fill("00:01 --> 00:02\n", "a\n"),
		"cues":                    fill("", "00:01 --> 00:02\nx\n\n"),
		"cues without text":       fill("", "0:1-->0:2\n"),
		"timestamps":              fill("WEBVTT\n\n00:01.000 --> 00:02.000\n", "<00:01.500>a "),
		"notes":                   fill("WEBVTT\n\n", "NOTE\n"),
		"karaoke":                 fill("[Events]\n"+event, `{\k1}a`),
		"karaoke in one block":    fill("[Events]\n"+event+"{", `\k1`),
		"line breaks":             fill("[Events]\n"+event, `\N`),
		"fields":                  fill("[Events]\nFormat: Start, End, Text", ",x") + "\n" + event + "a\n",
		"commas":                  fill("[Events]\n"+event, ","),
		"sections":                fill("[Events]\n", "[x]\n"),
		"events with one text":    fill("[Events]\n", event+"a\n"),
		"events, lit in turn":     fill("[Events]\n", event+"{\\c&H1&}a{\\r} b\nDialogue: 0,0:00:02.00,0:00:03.00,D,,0,0,0,,a {\\c&H1&}b\n"),
		"a day of overlaps":       fill("", "00:00:00,000 --> 24:00:00,000\na b c d\n\n"),
		"many words over a day":   under(strings.Repeat("ab ", 660)),
		"many lines over a day":   under(strings.Repeat("ab\n", 660)),
		"a long word over a day":  under(strings.Repeat("a", 1999)),
		"characters":              fill("00:01 --> 00:02\n", "字"),
		"combining marks":         fill("00:01 --> 00:02\na", "\u0301"),
		"utf-16 of one character": "\xff\xfe" + strings.Repeat("\x01\xd8", 2<<20-1),
	}
	for name, file := range bombs {
		t.Run(name, func(t *testing.T) {
			took, used := cost(t, file)
			for tries := 1; took > slower*3*time.Second && tries < 5; tries++ { // even processor time is longer on a busy machine
				took, used = cost(t, file)
			}
			if took > slower*3*time.Second || used > 1000 {
				t.Errorf("took %v and %d MB", took, used)
			}
		})
	}
}

// under makes two captions with a text for a whole day, and 19,000 short ones one after the other.
func under(text string) string {
	var b strings.Builder
	for range 2 {
		b.WriteString("00:00:00,000 --> 23:59:59,000\n" + text + "\n\n")
	}
	for i := range 19_000 {
		fmt.Fprintf(&b, "%02d:%02d:%02d,000 --> %02d:%02d:%02d,900\nx\n\n", i/1200, i/20%60, i*3%60, i/1200, i/20%60, i*3%60)
	}
	return b.String()
}

// cost is the processor time and the memory in MB that a file takes.
func cost(t *testing.T, file string) (took time.Duration, used uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := spent(t)
	if track, err := caption.Parse([]byte(file)); err == nil {
		s := usual()
		states := s.States(s.Apply(track))
		file := s.WriteASS(track, 1920, 1080)
		if len(states) > 200_000 || len(file) > 64<<20 {
			t.Errorf("%d states, %d bytes", len(states), len(file))
		}
	}
	runtime.ReadMemStats(&after)
	return spent(t) - began, (after.TotalAlloc - before.TotalAlloc) >> 20
}

// spent is the processor time of this process: unlike the time of day it does not depend on what else the machine does.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
