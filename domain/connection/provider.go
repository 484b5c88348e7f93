package connection

import (
	"regexp"

	"moviola/domain"
)

// The protocols of providers, for connections of kind apikey. Decision 68.
const (
	OpenAI      = "openai" // speech, images and transcription by OpenAI's protocol or a compatible one; the default
	AzureSpeech = "azure-speech"
	ElevenLabs  = "elevenlabs"
)

// azureRegions matches the names of Azure regions. They become part of a host name.
var azureRegions = regexp.MustCompile(`^[a-z0-9]{2,40}$`)

// Provider returns the protocol of the provider to which the connection leads.
func (s Settings) Provider() string {
	if s["provider"] == "" {
		return OpenAI
	}
	return s["provider"]
}

// ProviderURL returns the base address of a provider: the address in the settings or, without it, the address that the vendor
// documents.
func (s Settings) ProviderURL() string {
	switch {
	case s["url"] != "":
		return s["url"]
	case s.Provider() == ElevenLabs:
		return "https://api.elevenlabs.io"
	case s.Provider() == AzureSpeech && s["region"] != "":
		return "https://" + s["region"] + ".tts.speech.microsoft.com"
	}
	return ""
}

// NeedOpenAI refuses the connection id when its protocol is not OpenAI's. It is called for work that only this protocol offers:
// images from prompts, and subtitles from sound.
func (s Settings) NeedOpenAI(id string) error {
	if s.Provider() == OpenAI {
		return nil
	}
	return domain.Errorf(domain.Invalid, "connection_provider",
		"Connection %s only speaks (provider %s): prompts and subtitles need one of provider openai", id, s.Provider())
}

// complete refuses a provider connection that lacks an address.
func (k Kind) complete(s Settings) error {
	if k != APIKey || s.ProviderURL() != "" {
		return nil
	}
	needed := "url is required"
	if s.Provider() == AzureSpeech {
		needed = "region or url is required with the provider azure-speech"
	}
	return domain.Errorf(domain.Invalid, "setting_required", "%s", needed)
}

// goesElsewhere reports whether, compared with the former settings `before`, the settings `s` send secrets to another
// address or protect them in another way.
func (k Kind) goesElsewhere(s, before Settings) bool {
	for _, f := range k.descriptor().fields {
		if f.Bound && s[f.Name] != before[f.Name] {
			return true
		}
	}
	return s.Provider() != before.Provider()
}
