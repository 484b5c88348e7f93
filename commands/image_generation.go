package commands

import (
	"moviola/domain"
)

// ImageRequest is a request for one picture.
type ImageRequest struct {
	Account    domain.AccountID
	Prompt     string         // description of the picture
	Model      string         // name of the provider's model; empty: the provider's default
	Aspect     string         // document.Horizontal, document.Vertical or document.Squared
	Connection string         // id of a saved connection; empty: this server's provider
	Settings   map[string]any // model-settings of the document; may be nil
	// Fresh is the movie for which a new picture is made; all attempts at that movie get the same picture while it is cached.
	// Empty: a cached picture of any movie may be used.
	Fresh domain.ProjectID
}

// GeneratedImage is a generated picture.
type GeneratedImage struct {
	Asset    Asset
	Cached   bool // the picture comes from the cache, so the provider was not paid for it
	Warnings []string
}
