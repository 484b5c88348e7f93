package commands

import (
	"context"

	"moviola/domain"
)

// ImageGenerator makes pictures of descriptions.
type ImageGenerator interface {
	// Generate returns a picture of what the prompt describes, as a still on the local disk. The same request of the same account
	// is answered from a cache. A *domain.Error is the fault of the request, of the provider, or of there being none, and its
	// text is meant for the client, without naming the element; any other error may pass. Safe for concurrent use. Decision 48.
	Generate(ctx context.Context, request ImageRequest) (GeneratedImage, error)
}

// ImageRequest is one picture to be made.
type ImageRequest struct {
	Account    domain.AccountID
	Prompt     string         // what it shows
	Model      string         // of the provider; empty: its default
	Aspect     string         // document.Horizontal, document.Vertical or document.Squared
	Connection string         // id of a saved connection; empty: the provider of this server
	Settings   map[string]any // model-settings as the document has them, or nil
	// Fresh asks for a picture that no other movie has got; attempts at the same movie get the same one. Empty: any will do.
	Fresh domain.ProjectID
}

// GeneratedImage is a picture that was made.
type GeneratedImage struct {
	Asset    Asset
	Cached   bool // it was made before, and costs nothing now
	Warnings []string
}
