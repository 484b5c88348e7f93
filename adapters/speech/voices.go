package speech

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed azure_voices.txt
var azureTable string

// gender is the gender of a voice in azure_voices.txt.
type gender byte

const (
	unknownGender gender = 0
	female        gender = 'f'
	male          gender = 'm'
	neutral       gender = 'n'
)

// word is the gender in words, as in messages and in labels of other services; empty if unknown.
func (g gender) word() string {
	return map[gender]string{female: "female", male: "male", neutral: "neutral"}[g]
}

// azureVoice is a parsed voice name of Azure Speech.
type azureVoice struct {
	locale string // locale as it is written in the name: de-DE, zh-CN-liaoning
	gender gender // unknown if azure_voices.txt lacks the name
}

// language is the first part of the locale, in lower case.
func (v azureVoice) language() string {
	language, _, _ := strings.Cut(strings.ToLower(v.locale), "-")
	return language
}

// azureName matches a voice name of Azure Speech: language, optional script, region or dialect, name.
var azureName = regexp.MustCompile(`^([a-zA-Z]{2,3}(?:-[A-Za-z]{2,8})+)-([A-Za-z0-9-]+(?::[A-Za-z0-9]+)?)Neural$`)

// readAzureName parses the name of a voice of Azure Speech; false: it is not one.
func readAzureName(name string) (azureVoice, bool) {
	parts := azureName.FindStringSubmatch(name)
	if parts == nil {
		return azureVoice{}, false
	}
	locale := strings.ToLower(parts[1])
	return azureVoice{locale: parts[1], gender: azureVoices().genders[locale+" "+bareName(parts[2])]}, true
}

// azureDefault is the first voice in azure_voices.txt for a locale, otherwise the default voice of its language; empty:
// there is none.
func azureDefault(tag string) string {
	tag = strings.ToLower(strings.ReplaceAll(tag, "_", "-"))
	if name, ok := azureVoices().first[tag]; ok {
		return name
	}
	language, _, _ := strings.Cut(tag, "-")
	return azureVoices().first[language]
}

// usualLocales are the default locales of languages. For any other language it is the first one in azure_voices.txt.
var usualLocales = map[string]string{
	"ar": "ar-SA", "bn": "bn-BD", "de": "de-DE", "en": "en-GB", "es": "es-ES", "fr": "fr-FR", "nl": "nl-NL", "pt": "pt-PT",
	"sr": "sr-RS",
	"sw": "sw-KE", "ta": "ta-IN", "ur": "ur-PK", "zh": "zh-CN",
}

// azureVoiceTable is the table of Azure voices with its indexes.
type azureVoiceTable struct {
	genders map[string]gender // gender by locale and name, such as "de-de katja"
	first   map[string]string // full name of the default voice, by locale ("de-de") and by language ("de")
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

// variants are suffixes that distinguish several voices of one speaker.
var variants = []string{"turbomultilingual", "multilingual", "dialects", "indic"}

// bareName is the name of the speaker: AvaMultilingual and Ava:DragonHDLatest are both Ava.
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
	// languageTag matches a language with optional parts such as a region: de, pt-BR, zh-CN-liaoning.
	languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}([-_][A-Za-z]{2,8})*$`)
	// azureWord matches the name of a style or a role.
	azureWord = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]{0,39}$`)
)
