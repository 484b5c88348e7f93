package caption_test

import (
	"testing"
	"unicode/utf8"

	"moviola/domain/caption"
)

// FuzzParse holds what every track promises, whatever the file: cues in order, words within their cue and in order, valid text;
// and that what is written of it is read back as the same words.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"1\n00:00:01,000 --> 00:00:02,500\nHello <i>there</i>\n", "WEBVTT\n\n00:01.000 --> 00:03.000\nOne <00:01.500>two\n",
		golden, "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,{\\c&H1&}a{\\r} b\nDialogue: 0:00:02.00,0:00:03.00,a {\\c&H1&}b\n",
		"00:01 --> 00:02\n你好，世界 {\\an8}\\N\n", "\xff\xfe0\x00:\x00", "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{\\p1}m{\\p0}\\{x\\}\\",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		track, err := caption.Parse(raw)
		if err != nil {
			return
		}
		checkTrack(t, track)
		s := usual()
		s.Rebreak, s.MaxWords = true, 3
		for _, s.Name = range []caption.StyleName{caption.Classic, caption.OneWord, caption.BoxedWord} {
			checkStates(t, s.States(track))
		}
		checkTrack(t, s.Apply(track))
		if back, err := caption.Parse(s.WriteASS(track, 1920, 1080)); err == nil {
			checkTrack(t, back)
		}
	})
}

func checkTrack(t *testing.T, track caption.Track) {
	t.Helper()
	for i, c := range track.Cues {
		if c.End < c.Start || c.Start < 0 || i > 0 && c.Start < track.Cues[i-1].Start {
			t.Fatalf("cue %d is from %v to %v", i, c.Start, c.End)
		}
		at := c.Start
		for _, w := range c.Words() {
			if w.Start < at || w.End < w.Start || w.End > c.End {
				t.Fatalf("cue %d from %v to %v has %q from %v to %v", i, c.Start, c.End, w.Text, w.Start, w.End)
			}
			if w.Text == "" || !utf8.ValidString(w.Text) {
				t.Fatalf("cue %d has the word %q", i, w.Text)
			}
			at = w.Start
		}
	}
}

func checkStates(t *testing.T, states []caption.State) {
	t.Helper()
	for i, s := range states {
		if s.To <= s.From || i > 0 && s.From < states[i-1].To || len(s.Rows) == 0 {
			t.Fatalf("state %d from %v to %v has %d rows", i, s.From, s.To, len(s.Rows))
		}
	}
}

// FuzzFromWords holds that any list of words makes a track in order with all its words.
func FuzzFromWords(f *testing.F) {
	f.Add("Hello there. You", int64(0), int64(500), 4)
	f.Add("a b c d e f", int64(-5), int64(-900), 1)
	f.Fuzz(func(t *testing.T, text string, start, step int64, most int) {
		var words []caption.Word
		for i, w := range caption.SplitWords(text) {
			at := ms(int((start + int64(i)*step) % 100_000_000))
			words = append(words, caption.Word{Text: w, Start: at, End: at + ms(int(step%10_000))})
		}
		s := usual()
		s.MaxWords = most
		track := s.FromWords(words)
		checkTrack(t, track)
		checkStates(t, s.States(track))
	})
}
