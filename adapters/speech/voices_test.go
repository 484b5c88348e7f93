package speech_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"moviola/adapters/speech"
)

// TestAzureVoices: every row of the table names a page that its head gives, and voices of a gender, each once.
func TestAzureVoices(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("azure_voices.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows, voices := 0, 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		fields := strings.Fields(line)
		if len(fields) < 3 || !strings.Contains(string(raw), "# Page "+fields[1]+": https://") {
			t.Fatalf("row %q", line)
		}
		seen := map[string]bool{}
		for _, field := range fields[2:] {
			name, sign, _ := strings.Cut(field, "/")
			voices++
			locale, gender, ok := speech.ReadAzureName(fields[0] + "-" + name + "Neural")
			if want := map[string]string{"f": "female", "m": "male", "n": "neutral"}[sign]; !ok || locale != fields[0] || gender != want || want == "" || seen[name] {
				t.Errorf("%s of %s: %s, %q, %v", field, fields[0], locale, gender, ok)
			}
			seen[name] = true
		}
	}
	if rows < 150 || voices < 450 {
		t.Errorf("%d rows, %d voices", rows, voices)
	}
}

func TestReadAzureName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"de-DE-KatjaNeural": {"de-DE", "female"}, "DE-de-katjaNeural": {"DE-de", "female"}, "en-US-AvaNeural": {"en-US", "female"},
		"en-US-Ava:DragonHDLatestNeural": {"en-US", "female"}, "en-US-FableTurboMultilingualNeural": {"en-US", "neutral"},
		"zh-CN-liaoning-YunbiaoNeural": {"zh-CN-liaoning", "male"}, "sr-Latn-RS-SophieNeural": {"sr-Latn-RS", "female"},
		"de-DE-NobodyNeural": {"de-DE", ""}, "xx-XX-NobodyNeural": {"xx-XX", ""}, "nova": {}, "KatjaNeural": {}, "de": {}, "": {},
	} {
		if locale, gender, ok := speech.ReadAzureName(name); locale != want[0] || gender != want[1] || ok != (want[0] != "") {
			t.Errorf("%s: %s, %s, %v", name, locale, gender, ok)
		}
	}
	for tag, want := range map[string]string{
		"de": "de-DE-KatjaNeural", "de-AT": "de-AT-IngridNeural", "de_ch": "de-CH-LeniNeural", "pt-XX": "pt-PT-RaquelNeural", "en": "en-GB-SoniaNeural",
		"zh": "zh-CN-XiaoxiaoNeural", "xx": "",
	} {
		if got := speech.AzureDefault(tag); got != want {
			t.Errorf("%s: %s", tag, got)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-7": 0, "86400": 30 * time.Second, "99999999999999999999": 0, "soon": 0,
		"Wed, 25 Nov 2026 03:00:05 GMT": 5 * time.Second, "Wed, 25 Nov 2026 04:00:00 GMT": 30 * time.Second, "Wed, 25 Nov 2026 02:00:00 GMT": 0,
	} {
		if got := speech.RetryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
