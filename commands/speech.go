package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/caption"
)

// Speaker turns text into speech.
type Speaker interface {
	// Speak returns the spoken text as a file on the local disk. The same request is answered from a cache. A *domain.Error is
	// the fault of the request, and its text is meant for the client; any other error may pass. Safe for concurrent use.
	Speak(ctx context.Context, request SpeechRequest) (Speech, error)
}

// SpeechRequest is one text to be spoken.
type SpeechRequest struct {
	Account  domain.AccountID
	Text     string         // plain, or SSML
	Voice    string         // a name such as en-GB-LibbyNeural, or a language; empty: the service's default voice
	Model    string         // azure, which is the default, or elevenlabs*
	Settings map[string]any // model-settings as the document has them, or nil
	// Connection is the id of a saved connection; empty: the provider of this server, or its built-in voice.
	Connection string
}

// Speech is a spoken text.
type Speech struct {
	Path     string // a WAV or MP3 file, not to be changed
	Hash     string // SHA-256 of the file, lower-case hexadecimal
	Duration time.Duration
	Words    []caption.Word // in order, counted from the file's beginning
	Cached   bool           `json:"-"` // it was spoken before, and costs nothing now
	Warnings []string
}

// Transcriber turns sound into words.
type Transcriber interface {
	// Transcribe returns the words that are spoken in a sound file, in order. Errors are as those of Speaker; without a provider
	// it is a *domain.Error that says so. Safe for concurrent use.
	Transcribe(ctx context.Context, request TranscriptionRequest) ([]caption.Word, error)
}

// TranscriptionRequest is one sound file whose words are wanted.
type TranscriptionRequest struct {
	Account  domain.AccountID
	Path     string   // a WAV, MP3, FLAC, M4A, OGG or WebM file
	Language string   // as ISO 639-1, with or without a region; empty or auto: found out by the provider
	Keywords []string // words that are to be expected
	Model    string   // default, whisper, or one that the provider behind the connection knows
	// Connection is the id of a saved connection; empty: the provider of this server.
	Connection string
}
