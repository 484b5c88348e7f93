// Package result builds the description of a finished movie for clients: the addresses of its files, and the payload of
// webhooks. The package does no I/O. The status object of GET /movies and webhooks use the same words and numbers.
package result

import (
	"moviola/domain"
	"moviola/domain/movie"
)

// FilesPath is the path below which rendered files are served: FilesPath + token + "/" + project + extension.
const FilesPath = "/v2/renders/"

// The extensions of rendered files.
const (
	MovieExtension     = ".mp4"
	ThumbnailExtension = ".jpg"
	SubtitlesExtension = ".ass"
)

// Addresses are the addresses of the files of a movie. The address of a file that does not exist is empty.
type Addresses struct {
	Movie     string
	Thumbnail string
	Subtitles string
}

// AddressesOf returns the addresses of a movie's files below a public base address (scheme, host, no slash at the end).
// The addresses cannot be guessed, and no part of them is taken from the request. Decision 8. A nil file has no
// addresses.
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

// Duration returns the length of a movie in seconds: planned frames ÷ frames per second. All answers use it. Decision 28.
func Duration(plan movie.Dimensions) float64 {
	if plan.FPSNum == 0 {
		return 0
	}
	return float64(plan.Frames) * float64(plan.FPSDen) / float64(plan.FPSNum)
}
