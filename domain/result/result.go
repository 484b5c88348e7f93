// Package result is what the world is told of a finished movie: where its files are reached, and the payload that webhooks
// carry. It is pure: the status object of GET /movies and the delivery of webhooks are built from the same words and numbers.
package result

import (
	"moviola/domain"
	"moviola/domain/movie"
)

// FilesPath is where rendered files are served, below the public address: FilesPath + token + "/" + project + extension.
const FilesPath = "/v2/renders/"

// The extensions of rendered files.
const (
	MovieExtension     = ".mp4"
	ThumbnailExtension = ".jpg"
	SubtitlesExtension = ".ass"
)

// Addresses are where the files of a movie are reached. An empty one does not exist.
type Addresses struct {
	Movie     string
	Thumbnail string
	Subtitles string
}

// AddressesOf returns the addresses of a movie's files below a public base address (scheme, host, no slash at the end).
// They are unguessable, and nothing in them is taken from the request. Decision 8. A nil file has none.
func (t Tokens) AddressesOf(base string, project domain.ProjectID, file *movie.File) Addresses {
	if file == nil {
		return Addresses{}
	}
	stem := base + FilesPath + t.of(project, file) + "/" + string(project)
	a := Addresses{Movie: stem + MovieExtension}
	if file.Thumbnail != "" {
		a.Thumbnail = stem + ThumbnailExtension
	}
	if file.Subtitles != "" {
		a.Subtitles = stem + SubtitlesExtension
	}
	return a
}

// Duration is the length of a movie in seconds: planned frames ÷ frames per second, the same wherever it is told. Decision 28.
func Duration(plan movie.Plan) float64 {
	if plan.FPSNum == 0 {
		return 0
	}
	return float64(plan.Frames) * float64(plan.FPSDen) / float64(plan.FPSNum)
}
