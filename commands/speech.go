package commands

import (
	"time"

	"moviola/domain"
	"moviola/domain/caption"
)

// SpeechRequest is a request to speak one text.
type SpeechRequest struct {
	Account  domain.AccountID
	Text     string         // plain text, or SSML
	Voice    string         // a voice such as en-GB-LibbyNeural, or a language; empty: the service's default voice
	Model    string         // azure (the default), or a name that begins with elevenlabs
	Settings map[string]any // model-settings of the document; may be nil
	// Connection is the id of a saved connection; empty: this server's provider, or its built-in voice.
	Connection string
}

// Speech is the sound of a spoken text.
type Speech struct {
	Path     string // a WAV or MP3 file, read-only
	Hash     string // SHA-256 of the file, lower-case hexadecimal
	Duration time.Duration
	Words    []caption.Word // words of the text in order; times are counted from the beginning of the file
	Cached   bool           `json:"-"` // taken from the cache, so no provider was paid for it
	Warnings []string
}

// TranscriptionRequest is a request for the words of one sound file.
type TranscriptionRequest struct {
	Account  domain.AccountID
	Path     string   // a WAV, MP3, FLAC, M4A, OGG or WebM file
	Language string   // ISO 639-1, with or without a region; empty or auto: the provider detects the language
	Keywords []string // words that the sound is expected to contain
	Model    string   // default, whisper, or a name that the connection's provider knows
	// Connection is the id of a saved connection; empty: this server's provider.
	Connection string
}
