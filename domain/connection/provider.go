package connection

import (
	"regexp"

	"moviola/domain"
)

// The protocols that providers behind connections of type apikey speak. Decision 68.
const (
	OpenAI      = "openai" // speech, images, transcription, by OpenAI's protocol or one like it; what is meant where none is named
	AzureSpeech = "azure-speech"
	ElevenLabs  = "elevenlabs"
)

// azureRegions are what the names of Azure's regions look like. They become part of a host name.
var azureRegions = regexp.MustCompile(`^[a-z0-9]{2,40}$`)

// Provider is the protocol that is spoken behind a connection of type apikey.
func (s Settings) Provider() string {
	if s["provider"] == "" {
		return OpenAI
	}
	return s["provider"]
}

// ProviderURL is the base address of a provider: the one that is set, else the one that the vendor documents.
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

// NeedOpenAI refuses to use a connection for what only OpenAI's protocol knows: images of prompts, and subtitles of sound.
func (s Settings) NeedOpenAI(id string) error {
	if s.Provider() == OpenAI {
		return nil
	}
	return domain.Errorf(domain.Invalid, "connection_provider",
		"Connection %s only speaks (provider %s): prompts and subtitles need one of provider openai", id, s.Provider())
}

// complete refuses settings of a provider without an address.
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

// goesElsewhere says whether settings lead another way than those before.
func (s Settings) goesElsewhere(before Settings) bool {
	for name := range bound {
		if s[name] != before[name] {
			return true
		}
	}
	return s.Provider() != before.Provider()
}
