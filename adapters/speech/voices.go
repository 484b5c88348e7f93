package speech

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed azure_voices.txt
var azureTable string

// gender is what the table says of a voice.
type gender byte

const (
	unknownGender gender = 0
	female        gender = 'f'
	male          gender = 'm'
	neutral       gender = 'n'
)

// word is the gender as messages and other services' labels name it; empty where it tells nothing.
func (g gender) word() string {
	return map[gender]string{female: "female", male: "male", neutral: "neutral"}[g]
}

// azureVoice is a voice name of Azure Speech, taken apart.
type azureVoice struct {
	locale string // as written: de-DE, zh-CN-liaoning
	gender gender // unknown where the table does not know the name
}

// language is the first part of the locale, in lower case.
func (v azureVoice) language() string {
	language, _, _ := strings.Cut(strings.ToLower(v.locale), "-")
	return language
}

// azureName is a voice name of Azure Speech: language, perhaps script, region or dialect, name.
var azureName = regexp.MustCompile(`^([a-zA-Z]{2,3}(?:-[A-Za-z]{2,8})+)-([A-Za-z0-9-]+(?::[A-Za-z0-9]+)?)Neural$`)

// readAzureName takes the name of a voice of Azure Speech apart; false: it is none.
func readAzureName(name string) (azureVoice, bool) {
	parts := azureName.FindStringSubmatch(name)
	if parts == nil {
		return azureVoice{}, false
	}
	locale := strings.ToLower(parts[1])
	return azureVoice{locale: parts[1], gender: azureVoices().genders[locale+" "+bareName(parts[2])]}, true
}

// azureDefault is the first voice that the table has for a locale, else for its language; empty: it knows neither.
func azureDefault(tag string) string {
	tag = strings.ToLower(strings.ReplaceAll(tag, "_", "-"))
	if name, ok := azureVoices().first[tag]; ok {
		return name
	}
	language, _, _ := strings.Cut(tag, "-")
	return azureVoices().first[language]
}

// usualLocales are the regions that a language without one means, where the table's first is another.
var usualLocales = map[string]string{
	"ar": "ar-SA", "bn": "bn-BD", "de": "de-DE", "en": "en-GB", "es": "es-ES", "fr": "fr-FR", "nl": "nl-NL", "pt": "pt-PT",
	"sr": "sr-RS",
	"sw": "sw-KE", "ta": "ta-IN", "ur": "ur-PK", "zh": "zh-CN",
}

// azureVoiceTable is the table as it is looked through.
type azureVoiceTable struct {
	genders map[string]gender // by "de-de katja"
	first   map[string]string // full name by "de-de", and by "de"
}

var azureVoices = sync.OnceValue(func() azureVoiceTable {
	t := azureVoiceTable{map[string]gender{}, map[string]string{}}
	for line := range strings.Lines(azureTable) {
		fields := strings.Fields(line)
		if len(fields) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		locale := strings.ToLower(fields[0])
		for i, field := range fields[2:] {
			name, sign, _ := strings.Cut(field, "/")
			if i == 0 {
				t.first[locale] = fields[0] + "-" + name + "Neural"
			}
			t.genders[locale+" "+bareName(name)] = gender(sign[0])
		}
		language, _, _ := strings.Cut(locale, "-")
		if usual := usualLocales[language]; t.first[language] == "" && (usual == "" || usual == fields[0]) {
			t.first[language] = t.first[locale]
		}
	}
	return t
})

// variants are what the names of one speaker's voices end with.
var variants = []string{"turbomultilingual", "multilingual", "dialects", "indic"}

// bareName is the name of the speaker: AvaMultilingual, Ava:DragonHDLatest and Ava are one.
func bareName(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ":")
	for _, variant := range variants {
		if cut, ok := strings.CutSuffix(name, variant); ok {
			return cut
		}
	}
	return name
}

var (
	// languageTag is a language, perhaps with a region: de, pt-BR.
	languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}([-_][A-Za-z]{2,8})*$`)
	// azureWord is what a style or a role is called.
	azureWord = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]{0,39}$`)
)
