// Package gallery holds the pictures of the folder docs/gallery. The service shows them in its reference of the movie JSON.
package gallery

import "embed"

// Pictures has one rendered frame of each movie of the gallery, as a JPEG file.
//
//go:embed *.jpg
var Pictures embed.FS
