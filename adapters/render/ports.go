package render

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
	"moviola/domain/document"
)

// Assets fetches the sources of movies to the local disk.
type Assets interface {
	// Fetch downloads the file at address (or takes it from the account's cache) and probes it. A *domain.Error says what is wrong
	// with the asset, without naming the element that uses it: "Failed to download '…' (404)". Other errors are faults of this
	// machine and may be transient. It is safe for concurrent use.
	Fetch(ctx context.Context, account domain.AccountID, address string) (commands.Asset, error)
}

// Speaker turns text into speech.
type Speaker interface {
	// Speak returns the spoken text as a file on the local disk. A repeated request is answered from a cache. A *domain.Error is
	// the fault of the request, and its text is for the client; other errors may be transient. It is safe for concurrent use.
	Speak(ctx context.Context, request commands.SpeechRequest) (commands.Speech, error)
}

// Transcriber turns speech into words.
type Transcriber interface {
	// Transcribe returns the words spoken in a sound file, in order. Errors are as those of Speaker; a missing provider is a
	// *domain.Error too. It is safe for concurrent use.
	Transcribe(ctx context.Context, request commands.TranscriptionRequest) ([]caption.Word, error)
}

// ImageGenerator makes pictures from descriptions.
type ImageGenerator interface {
	// Generate returns a picture for the prompt as a still on the local disk. A repeated request of the same account is
	// answered from a cache. A *domain.Error is a fault of the request or the provider, or a missing provider; its text is for
	// the client and does not name the element. Other errors may be transient. It is safe for concurrent use. Decision 48.
	Generate(ctx context.Context, request commands.ImageRequest) (commands.GeneratedImage, error)
}

// FontFamilies fetches font families by name, shared by all accounts.
type FontFamilies interface {
	// Families returns the fonts for those wishes that are neither installed nor shipped, from the cache or from the font
	// service. It waits up to 5 s for the font service. If the service has failed to respond after the time since, it is
	// not asked again for a minute. If since is zero, earlier failures do not count.
	Families(ctx context.Context, wishes []document.FontWish, since time.Time) commands.Fonts
	// Kept reports whether Families can answer without a request to the font service, usually because every wish is
	// installed, shipped or cached, or is known not to exist.
	Kept(ctx context.Context, wishes []document.FontWish) bool
}
