package caption_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"moviola/domain/caption"
)

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func mustParse(t *testing.T, file string) caption.Track {
	t.Helper()
	track, err := caption.Parse([]byte(file))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return track
}

// show writes a track as one line a cue: from-to, then the lines, parted by slashes.
func show(t caption.Track) []string {
	var all []string
	for _, c := range t.Cues {
		var lines []string
		for _, l := range c.Lines {
			lines = append(lines, l.String())
		}
		all = append(all, fmt.Sprintf("%d-%d %s", c.Start.Milliseconds(), c.End.Milliseconds(), strings.Join(lines, " / ")))
	}
	return all
}

// showWords writes words with their times in milliseconds.
func showWords(words []caption.Word) []string {
	var all []string
	for _, w := range words {
		all = append(all, fmt.Sprintf("%d-%d %s", w.Start.Milliseconds(), w.End.Milliseconds(), w.Text))
	}
	return all
}

// showStates writes a state a line: the word spoken now in asterisks, words to come in brackets, hidden ones in tildes, boxes in
// braces.
func showStates(states []caption.State) []string {
	var all []string
	for _, s := range states {
		var rows []string
		for _, r := range s.Rows {
			rows = append(rows, showRow(r))
		}
		all = append(all, fmt.Sprintf("%d-%d %s", s.From.Milliseconds(), s.To.Milliseconds(), strings.Join(rows, " / ")))
	}
	return all
}

func showRow(r caption.Row) string {
	var b strings.Builder
	for i, p := range r.Pieces {
		if i > 0 && !p.Glued {
			b.WriteByte(' ')
		}
		text := map[caption.Role]string{caption.Now: "*%s*", caption.Coming: "(%s)", caption.Hidden: "~%s~", caption.Said: "%s"}[p.Role]
		text = fmt.Sprintf(text, p.Text)
		if p.Boxed {
			text = "{" + text + "}"
		}
		b.WriteString(text)
	}
	if r.Boxed {
		return "{" + b.String() + "}"
	}
	return b.String()
}
