package document_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"moviola/domain/document"
)

func TestSound(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"é 🎬 \u00e9 \ud83c\udfac \\ud800 \" \n"}`: `{"a":"é 🎬 \u00e9 \ud83c\udfac \\ud800 \" \n"}`,
		"{\"a\":\"x\xff\xc3y\"}":                        "{\"a\":\"x\uFFFDy\"}",
		`{"a":"\ud800"}`:                                `{"a":"\ufffd"}`,
		`{"a":"\udfac\ud83c x"}`:                        `{"a":"\ufffd\ufffd x"}`,
		`{"\ud83c":"\uD83C\uDFAC\ud83c"}`:               `{"\ufffd":"\uD83C\uDFAC\ufffd"}`,
		`{"a":"\\\ud800"}`:                              `{"a":"\\\ufffd"}`,
		`{"a":"\ud800\u0041"}`:                          `{"a":"\ufffd\u0041"}`,
		`\`:                                             `\`, `\u`: `\u`, `\ud8`: `\ud8`, `\ud800`: `\ufffd`, `\ud83c\`: `\ufffd\`,
	} {
		if got := string(document.Sound([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzSound(f *testing.F) {
	f.Add([]byte(`{"a":"\ud83c\udfac\ud800 \\ud800"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := document.Sound(raw)
		if !utf8.Valid(got) {
			t.Errorf("%q: %q is not UTF-8", raw, got)
		}
		if again := document.Sound(got); string(again) != string(got) {
			t.Errorf("%q: %q, again %q", raw, got, again)
		}
		if json.Valid(raw) && !json.Valid(got) {
			t.Errorf("%q: %q is no JSON", raw, got)
		}
	})
}
