package render

import (
	"context"

	"moviola/adapters/render/artwork"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
)

// generate has a picture generated from its prompt.
func (r *run) generate(ctx context.Context, w document.Source) (artwork.Source, error) {
	if r.engine.cfg.Images == nil {
		return artwork.Source{}, domain.Errorf(domain.Invalid, "image_provider_missing",
			"Images of a 'prompt' need an image provider, and none is configured; set one, or use the 'src' of an image")
	}
	made, err := r.engine.cfg.Images.Generate(ctx, r.pictureOf(w))
	if err != nil {
		return artwork.Source{}, err
	}
	for _, text := range made.Warnings {
		r.warn(artwork.ElementName(w.Ref) + ": " + text)
	}
	return artwork.Source{Asset: made.Asset, Cached: made.Cached}, nil
}

// pictureOf returns the request to the provider of a generated picture.
func (r *run) pictureOf(w document.Source) commands.ImageRequest {
	request := commands.ImageRequest{
		Account: r.job.Account, Prompt: w.Prompt.Text, Model: w.Prompt.Model, Aspect: w.Prompt.Aspect,
		Connection: w.Prompt.Connection, Settings: w.Prompt.ModelSettings,
	}
	if w.Fresh {
		request.Fresh = r.job.Project
	}
	return request
}
