// Package media renders what people upload (phone videos, broadcast and film formats, pictures of every kind) and looks whether
// the movie shows and plays what a good player does.
package media
