// Package gallery holds the pictures of the gallery, for the reference that the service shows of its movie JSON.
package gallery

import "embed"

// Pictures are the frames, by their file names.
//
//go:embed *.jpg
var Pictures embed.FS
