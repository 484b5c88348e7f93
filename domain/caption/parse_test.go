package caption_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/caption"
)

func TestParse_Cues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file string
		want []string
	}{
		{"subrip", "1\n00:00:01,000 --> 00:00:02,500\nHello there\nsecond line\n\n2\n00:01:03,250 --> 01:00:00,000\nBye\n",
			[]string{"1000-2500 Hello there / second line", "63250-3600000 Bye"}},
		{"subrip with carriage returns and a byte order mark", "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\nHello\r\n\r\n",
			[]string{"1000-2500 Hello"}},
		{"subrip with old line ends", "1\r00:00:01,000 --> 00:00:02,500\rHello\r", []string{"1000-2500 Hello"}},
		{"subrip without numbers, hours and blank lines", "0:01.5 --> 0:02\nOne\n2\n00:02,0 --> 00:03\nTwo",
			[]string{"1500-2000 One", "2000-3000 Two"}},
		{"a number is text where no time follows", "00:01 --> 00:02\n42\n\n", []string{"1000-2000 42"}},
		{"subrip tags and overrides", "00:01 --> 00:02\n{\\an8}<i>Hi</i> <font color=\"#ff0000\">you</font> &amp; me\n",
			[]string{"1000-2000 Hi you & me"}},
		{"comparisons are no tags", "00:01 --> 00:02\na < b and c > d, 1<2\n", []string{"1000-2000 a < b and c > d, 1<2"}},
		{"a brace that is never closed", "00:01 --> 00:02\nset {\\x of\n", []string{"1000-2000 set {\\x of"}},
		{"cues are put in order", "00:05 --> 00:06\nlater\n\n00:01 --> 00:02\nsooner\n", []string{"1000-2000 sooner", "5000-6000 later"}},
		{"unreadable cues are left out", "00:05 --> 00:04\nbackwards\n\nxx --> 00:02\nodd\n\n25:00:00 --> 26:00:00\nlate\n\n00:01 --> 00:02\ngood\n",
			[]string{"1000-2000 good"}},
		{"cues without words are left out", "00:00 --> 00:01\n\n00:01 --> 00:02\n<b></b>\n\n00:02 --> 00:03\nword\n", []string{"2000-3000 word"}},
		{"control characters are left out", "00:01 --> 00:02\nbell\x07s\x00 ring\n", []string{"1000-2000 bells ring"}},
		{"vtt", "WEBVTT - title\nKind: captions\n\nNOTE a --> b\nstays unseen\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:x\n\n" +
			"intro\n00:01.000 --> 00:02.000 align:start position:10%\n<v Ann>Hello &lt;you&gt;\n- <b.loud>me</b>\n\n00:00:03.000 --> 00:00:04.000\nBye",
			[]string{"1000-2000 Hello <you> / - me", "3000-4000 Bye"}},
		{"vtt ruby", "WEBVTT\n\n00:01.000 --> 00:02.000\n<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>\n", []string{"1000-2000 漢字"}},
		{"ass", "[Script Info]\nTitle: x\n[V4+ Styles]\nFormat: Name\nStyle: Default\n[Events]\n" +
			"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
			"Comment: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,unseen\n" +
			"Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\b1}Hello{\\b0}, you\\Nsecond\\hline\n",
			[]string{"1000-2500 Hello, you / second line"}},
		{"ass fields in another order", "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,one, two, three\n",
			[]string{"1000-2000 one, two, three"}},
		{"ssa", "[Script Info]\nScriptType: v4.00\n[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
			"Dialogue: Marked=0,0:00:01.00,0:00:02.00,Default,,0000,0000,0000,,Old\n", []string{"1000-2000 Old"}},
		{"ass drawings", "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}seen\n", []string{"1000-2000 seen"}},
		{"ass escapes", "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,\\{a\\} c:\\dir\n", []string{`1000-2000 {a} c:\dir`}},
		{"ass without a header", "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,bare\n", []string{"1000-2000 bare"}},
		{"windows-1252", "00:01 --> 00:02\nna\xefve \x93caf\xe9\x94\n", []string{"1000-2000 naïve “café”"}},
		{"utf-16", utf16File("00:01 --> 00:02\ngrün 😀\n"), []string{"1000-2000 grün 😀"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, show(mustParse(t, tt.file))); diff != "" {
				t.Errorf("cues (-want +got):\n%s", diff)
			}
		})
	}
}

func utf16File(text string) string {
	raw := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return string(raw)
}

func TestParse_WordTimes(t *testing.T) {
	t.Parallel()
	ass := func(text string) string {
		return "[Events]\nDialogue: 0,0:00:01.00,0:00:03.00,D,,0,0,0,," + text + "\n"
	}
	tests := []struct {
		name  string
		file  string
		want  []string
		timed bool
	}{
		{"equal words share the time", "00:01 --> 00:03\nfour even word here\n", []string{"1000-1500 four", "1500-2000 even", "2000-2500 word", "2500-3000 here"}, false},
		{"a longer word takes longer", "00:00 --> 00:01\nI understand\n", []string{"0-200 I", "200-1000 understand"}, false},
		{"the pause of a comma", "00:00 --> 00:01.4\nyes, sir\n", []string{"0-816 yes,", "816-1400 sir"}, false},
		{"chinese characters", "00:00 --> 00:01\n你好世界\n", []string{"0-250 你", "250-500 好", "500-750 世", "750-1000 界"}, false},
		{"vtt timestamps", "WEBVTT\n\n00:01.000 --> 00:03.000\nOne <00:01.500>two <00:02.250><c>three</c>\n",
			[]string{"1000-1500 One", "1500-2250 two", "2250-3000 three"}, true},
		{"vtt timestamps inside a word", "WEBVTT\n\n00:01.000 --> 00:02.000\nka<00:01.250>ra<00:01.500>oke now\n", []string{"1000-1750 karaoke", "1750-2000 now"}, true},
		{"vtt timestamps out of place have no effect", "WEBVTT\n\n00:01.000 --> 00:02.000\nOne <00:09.000>two\n", []string{"1000-1500 One", "1500-2000 two"}, false},
		{"karaoke", ass(`{\k50}One {\kf25}two {\K25}three{\ko100}!`), []string{"1000-1500 One", "1500-1750 two", "1750-3000 three!"}, true},
		{"karaoke with pauses", ass(`{\k50}{\k20}One {\k10\k30}two`), []string{"1500-1700 One", "1800-2100 two"}, true},
		{"syllables are one word", ass(`{\k30}ka{\k30}ra{\k40}oke {\k50}time`), []string{"1000-2000 karaoke", "2000-2500 time"}, true},
		{"karaoke beyond the event", ass(`{\k150}One {\k150}two {\k10}three`), []string{"1000-2500 One", "2500-3000 two", "3000-3000 three"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			track := mustParse(t, tt.file)
			if diff := cmp.Diff(tt.want, showWords(track.Words())); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
			if track.WordTimed != tt.timed {
				t.Errorf("WordTimed is %v, want %v", track.WordTimed, tt.timed)
			}
		})
	}
}

// Many programs write a dialogue for each word, with the spoken word in a colour of its own.
func TestParse_HighlightedWords(t *testing.T) {
	t.Parallel()
	event := func(from, to, text string) string {
		return "Dialogue: 0,0:00:0" + from + ",0:00:0" + to + ",D,,0,0,0,," + text + "\n"
	}
	tests := []struct {
		name string
		file string
		want []string
		cues int
	}{
		{"each word in turn",
			event("1.00", "1.50", `{\c&H00FFFF&}one{\c&HFFFFFF&} two three`) +
				event("1.50", "2.00", `{\c&HFFFFFF&}one {\c&H00FFFF&}two{\c&HFFFFFF&} three`) +
				event("2.00", "3.00", `{\c&HFFFFFF&}one two {\c&H00FFFF&}three`),
			[]string{"1000-1500 one", "1500-2000 two", "2000-3000 three"}, 1},
		{"two words, with a reset",
			event("1.00", "1.50", `{\1c&H00FFFF&}one{\r} two`) + event("1.50", "2.00", `one {\1c&H00FFFF&}two`),
			[]string{"1000-1500 one", "1500-2000 two"}, 1},
		{"over two lines",
			event("1.00", "1.50", `{\c&H1&}one{\r}\Ntwo!`) + event("1.50", "2.00", `one\N{\c&H1&}two{\r}!`),
			[]string{"1000-1500 one", "1500-2000 two!"}, 1},
		{"a word that is never lit",
			event("1.00", "1.50", `{\c&H1&}one{\r} - two`) + event("1.50", "2.00", `one - {\c&H1&}two`),
			[]string{"1000-1500 one", "1500-1500 -", "1500-2000 two"}, 1},
		{"the same text twice without colours is one cue", event("1.00", "1.50", `one two`) + event("1.50", "2.00", `one two`),
			[]string{"1000-1500 one", "1500-2000 two"}, 1},
		{"a gap parts cues", event("1.00", "1.50", `{\c&H1&}one{\r} two`) + event("2.00", "3.00", `one {\c&H1&}two`),
			[]string{"1000-1250 one", "1250-1500 two", "2000-2500 one", "2500-3000 two"}, 2},
		{"karaoke of the same text stays apart", event("1.00", "1.50", `{\k50}la`) + event("1.50", "2.00", `{\k20}la`),
			[]string{"1000-1500 la", "1500-1700 la"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			track := mustParse(t, "[Events]\n"+tt.file)
			if diff := cmp.Diff(tt.want, showWords(track.Words())); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
			if len(track.Cues) != tt.cues {
				t.Errorf("%d cues, want %d", len(track.Cues), tt.cues)
			}
		})
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"nothing":          "",
		"no captions":      "just some text\nof two lines",
		"a page":           "<html><body>404</body></html>",
		"an empty vtt":     "WEBVTT\n\nNOTE nothing\n",
		"an empty ass":     "[Script Info]\n[Events]\n",
		"too many bytes":   strings.Repeat("x", 4<<20+1),
		"too many cues":    strings.Repeat("00:01 --> 00:02\nx\n\n", 20_001),
		"too many words":   strings.Repeat("00:01 --> 00:02\n"+strings.Repeat("x ", 900)+"\n\n", 40),
		"binary":           "\x00\x01\x02\xff\xfe\x00",
		"events of no use": "[Events]\nDialogue: 0,x,y,D,,0,0,0,,text\nDialogue: too few\n",
	}
	for name, file := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			track, err := caption.Parse([]byte(file))
			var refusal *domain.Error
			if !errors.As(err, &refusal) || refusal.Code != caption.CodeInvalid {
				t.Fatalf("got %d cues and error %v, want a refusal", len(track.Cues), err)
			}
		})
	}
}
