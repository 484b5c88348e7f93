package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/caption"
)

// Speaker turns text into speech.
type Speaker interface {
	// Speak returns the spoken text as a file on the local disk. A repeated request is answered from a cache. A *domain.Error is
	// the fault of the request, and its text is for the client; other errors may be transient. It is safe for concurrent use.
	Speak(ctx context.Context, request SpeechRequest) (Speech, error)
}

// SpeechRequest is a request to speak one text.
type SpeechRequest struct {
	Account  domain.AccountID
	Text     string         // plain text, or SSML
	Voice    string         // a voice such as en-GB-LibbyNeural, or a language; empty: the service's default voice
	Model    string         // azure (the default), or elevenlabs*
	Settings map[string]any // model-settings of the document; may be nil
	// Connection is the id of a saved connection; empty: this server's provider, or its built-in voice.
	Connection string
}

// Speech is a spoken text.
type Speech struct {
	Path     string // a WAV or MP3 file, read-only
	Hash     string // SHA-256 of the file, lower-case hexadecimal
	Duration time.Duration
	Words    []caption.Word // in order; times are counted from the beginning of the file
	Cached   bool           `json:"-"` // from the cache, at no cost
	Warnings []string
}

// Transcriber turns speech into words.
type Transcriber interface {
	// Transcribe returns the words spoken in a sound file, in order. Errors are as those of Speaker; a missing provider is a
	// *domain.Error too. It is safe for concurrent use.
	Transcribe(ctx context.Context, request TranscriptionRequest) ([]caption.Word, error)
}

// TranscriptionRequest is a request for the words of one sound file.
type TranscriptionRequest struct {
	Account  domain.AccountID
	Path     string   // a WAV, MP3, FLAC, M4A, OGG or WebM file
	Language string   // ISO 639-1, with or without a region; empty or auto: the provider detects the language
	Keywords []string // words that the speech is expected to contain
	Model    string   // default, whisper, or a name that the connection's provider knows
	// Connection is the id of a saved connection; empty: this server's provider.
	Connection string
}
