package caption_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/caption"
)

func mustStyle(t *testing.T, settings string, width int) (caption.Style, []string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(settings))
	dec.UseNumber()
	var given map[string]any
	if err := dec.Decode(&given); err != nil {
		t.Fatalf("settings %s: %v", settings, err)
	}
	style, warnings := caption.ReadStyle(given, width, width*9/16)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	return style, texts
}

func usual() caption.Style {
	return caption.Style{
		Name: caption.Classic, Position: caption.BottomCenter, Weight: 400, Size: 96, MaxWords: 4,
		Word: caption.Color{R: 255, G: 255, A: 255}, Line: caption.Color{R: 255, G: 255, B: 255, A: 255},
		Box: caption.Color{A: 255}, Outline: caption.Color{A: 255}, Shadow: caption.Color{A: 255},
	}
}

// Schema 4.8, row by row.
func TestReadStyle(t *testing.T) {
	t.Parallel()
	red := caption.Color{R: 255, A: 255}
	tests := []struct {
		settings string
		change   func(*caption.Style)
		warnings []string
	}{
		{`{}`, func(*caption.Style) {}, nil},
		{`{"style":"classic-progressive"}`, func(s *caption.Style) { s.Name = caption.Progressive }, nil},
		{`{"style":"Classic_One_Word"}`, func(s *caption.Style) { s.Name = caption.OneWord }, nil},
		{`{"style":"boxed-line"}`, func(s *caption.Style) { s.Name = caption.BoxedLine }, nil},
		{`{"style":"boxed-word"}`, func(s *caption.Style) { s.Name = caption.BoxedWord }, nil},
		{`{"style":"fancy"}`, func(*caption.Style) {}, []string{"The setting 'style' is unknown, 'classic' is used"}},
		{`{"style":{"style":"boxed-word","font-size":50},"font_size":60}`, func(s *caption.Style) { s.Size = 60 }, nil},
		{`{"all-caps":true}`, func(s *caption.Style) { s.AllCaps = true }, nil},
		{`{"all-caps":"true"}`, func(s *caption.Style) { s.AllCaps = true }, nil},
		{`{"font-family":"Oswald"}`, func(s *caption.Style) { s.Family = "Oswald" }, nil},
		{`{"font-family":"Oswald Bold"}`, func(s *caption.Style) { s.Family, s.Weight = "Oswald", 700 }, nil},
		{`{"font-family":"NotoSans Bold","font-weight":"300"}`, func(s *caption.Style) { s.Family, s.Weight = "Noto Sans", 300 }, nil},
		{`{"font-family":"Japanese"}`, func(s *caption.Style) { s.Family = "Noto Sans CJK JP, Noto Sans JP" }, nil},
		{`{"font-family":"Korean Bold"}`, func(s *caption.Style) { s.Family, s.Weight = "Noto Sans CJK KR, Noto Sans KR", 700 }, nil},
		{`{"font-weight":"bold"}`, func(s *caption.Style) { s.Weight = 700 }, nil},
		{`{"font-weight":5000}`, func(s *caption.Style) { s.Weight = 900 }, []string{"The setting 'font-weight' must be 100 to 900"}},
		{`{"font-url":"https://example.com/a.ttf"}`, func(s *caption.Style) { s.FontURL = "https://example.com/a.ttf" }, nil},
		{`{"font-size":120}`, func(s *caption.Style) { s.Size = 120 }, nil},
		{`{"font-size":"120px"}`, func(s *caption.Style) { s.Size = 120 }, nil},
		{`{"font-size":"10%"}`, func(s *caption.Style) { s.Size = 192 }, nil},
		{`{"font-size":"huge"}`, func(*caption.Style) {}, []string{"The setting 'font-size' must be a number"}},
		{`{"font-size":-4}`, func(s *caption.Style) { s.Size = 1 }, []string{"The setting 'font-size' must be 1 to 2000"}},
		{`{"position":"mid-top-center"}`, func(s *caption.Style) { s.Position = caption.MidTopCenter }, nil},
		{`{"position":"custom","x":10,"y":"20.5"}`, func(s *caption.Style) { s.Position, s.X, s.Y = caption.Custom, 10, 20.5 }, nil},
		{`{"position":"nowhere"}`, func(*caption.Style) {}, []string{"The setting 'position' is unknown, 'bottom-center' is used"}},
		{`{"word-color":"#f00"}`, func(s *caption.Style) { s.Word = red }, nil},
		{`{"highlight-color":"red"}`, func(s *caption.Style) { s.Word = red }, nil},
		{`{"word-color":"blue","highlight-color":"red"}`, func(s *caption.Style) { s.Word = caption.Color{B: 255, A: 255} }, nil},
		{`{"line-color":"#ff000080"}`, func(s *caption.Style) { s.Line = caption.Color{R: 255, A: 128} }, nil},
		{`{"font-color":"red"}`, func(s *caption.Style) { s.Line = red }, nil},
		{`{"color":"red"}`, func(s *caption.Style) { s.Line = red }, nil},
		{`{"box-color":"red","outline-color":"red","shadow-color":"red"}`, func(s *caption.Style) { s.Box, s.Outline, s.Shadow = red, red, red }, nil},
		{`{"box-color":"reddish"}`, func(*caption.Style) {}, []string{"The setting 'box-color' is no colour"}},
		{`{"outline-width":"8","shadow-offset":4}`, func(s *caption.Style) { s.OutlineWidth, s.ShadowOffset = 8, 4 }, nil},
		{`{"max-words-per-line":7}`, func(s *caption.Style) { s.MaxWords, s.Rebreak = 7, true }, nil},
		{`{"max-words-per-line":0}`, func(s *caption.Style) { s.MaxWords, s.Rebreak = 1, true }, []string{"The setting 'max-words-per-line' must be 1 to 50"}},
		{`{"keywords":["Moviola"," ffmpeg ",7]}`, func(s *caption.Style) { s.Keywords = []string{"Moviola", "ffmpeg", "7"} }, nil},
		{`{"keywords":"one, two"}`, func(s *caption.Style) { s.Keywords = []string{"one", "two"} }, nil},
		{`{"keywords":{}}`, func(*caption.Style) {}, []string{"The setting 'keywords' must be a list"}},
		{`{"replace":{"Movie Ola!":"Moviola","x":1}}`, func(s *caption.Style) { s.Replace = map[string]string{"movie ola": "Moviola", "x": "1"} }, nil},
		{`{"replace":[]}`, func(*caption.Style) {}, []string{"The setting 'replace' must be an object of words and their replacements"}},
		{`{"font-size":null,"x":[]}`, func(*caption.Style) {}, []string{"The setting 'x' cannot be read"}},
		{`{"glitter":1}`, func(*caption.Style) {}, []string{"The setting 'glitter' has no effect"}},
	}
	for _, tt := range tests {
		t.Run(tt.settings, func(t *testing.T) {
			t.Parallel()
			want := usual()
			tt.change(&want)
			got, warnings := mustStyle(t, tt.settings, 1920)
			if strings.Contains(tt.settings, `{"style":{`) {
				want.Name = caption.BoxedWord
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("style (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadStyle_SizeFollowsTheWidth(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]float64{1920: 96, 1080: 54, 640: 32, 10: 1} {
		if s, _ := caption.ReadStyle(nil, width, width); s.Size != want {
			t.Errorf("width %d: size %v, want %v", width, s.Size, want)
		}
	}
}

func TestStyle_Anchor(t *testing.T) {
	t.Parallel()
	tests := map[caption.Position]caption.Anchor{
		caption.TopLeft:         {X: 100, Y: 50, Horizontal: caption.Start, Vertical: caption.Start},
		caption.TopCenter:       {X: 1000, Y: 50, Vertical: caption.Start},
		caption.TopRight:        {X: 1900, Y: 50, Horizontal: caption.End, Vertical: caption.Start},
		caption.CenterLeft:      {X: 100, Y: 500, Horizontal: caption.Start},
		caption.CenterCenter:    {X: 1000, Y: 500},
		caption.CenterRight:     {X: 1900, Y: 500, Horizontal: caption.End},
		caption.BottomLeft:      {X: 100, Y: 950, Horizontal: caption.Start, Vertical: caption.End},
		caption.BottomCenter:    {X: 1000, Y: 950, Vertical: caption.End},
		caption.BottomRight:     {X: 1900, Y: 950, Horizontal: caption.End, Vertical: caption.End},
		caption.MidTopCenter:    {X: 1000, Y: 250},
		caption.MidBottomCenter: {X: 1000, Y: 750},
		caption.Custom:          {X: 30, Y: 40, Horizontal: caption.Middle, Vertical: caption.Start},
	}
	for position, want := range tests {
		s := caption.Style{Position: position, X: 30, Y: 40}
		if diff := cmp.Diff(want, s.Anchor(2000, 1000)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", position, diff)
		}
	}
}
