// Package photographs holds the photographs of the template library. README.md names their authors and licences.
package photographs

import (
	"embed"
	"io/fs"
	"regexp"
)

//go:embed *.jpg
var files embed.FS

// Path is where the service shows them, below its public address.
const Path = "/library/photographs/"

var names = regexp.MustCompile(`^[a-z]+\.jpg$`)

// Open opens one by its name, such as fig.jpg. One that there is not is fs.ErrNotExist.
func Open(name string) (fs.File, error) {
	if !names.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	return files.Open(name)
}
