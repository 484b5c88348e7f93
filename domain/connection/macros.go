package connection

import (
	"fmt"
	"maps"
	"path"
	"strings"
	"time"
)

// Facts are the values that replace the macros of a destination.
type Facts struct {
	At       time.Time // when the movie ended, or the test of a connection began; shown in UTC
	Random   string    // five digits, the same for every try of a delivery
	Source   string    // name of the file that is sent: PROJECT.mp4, or with the extension of another output
	VideoURL string    // address of the file that is sent, for e-mail
}

// filled are the settings that may contain macros.
var filled = []string{"remote-path", "file", "subject", "message"}

// Fill replaces the macros in the settings of a destination, and completes remote path and file name. The default name of the
// file is YYYY-MM-DD-NNNNN with the extension of facts.Source; folders in a given name are kept. Movie-schema §11.
func (k Kind) Fill(settings Settings, facts Facts) Settings {
	out := maps.Clone(settings)
	at := facts.At.UTC()
	extension := path.Ext(facts.Source)
	pairs := []string{
		"__yyyy__", at.Format("2006"), "__mm__", at.Format("01"), "__dd__", at.Format("02"),
		"__hh__", at.Format("15"), "__nn__", at.Format("04"), "__ss__", at.Format("05"), "__random__", facts.Random,
		"__filename__", facts.Source, "__filename_without_extension__", strings.TrimSuffix(facts.Source, extension),
		"__filename_extension__", strings.TrimPrefix(extension, "."),
	}
	if k == Email {
		pairs = append(pairs, "__video_url__", facts.VideoURL)
	}
	macros := strings.NewReplacer(pairs...)
	for _, name := range filled {
		if value := out[name]; value != "" {
			out[name] = macros.Replace(value)
		}
	}
	if !k.HasPath() {
		return out
	}
	if out["file"] == "" {
		out["file"] = fmt.Sprintf("%s-%s%s", at.Format(time.DateOnly), facts.Random, extension)
	}
	if out["remote-path"] == "" {
		out["remote-path"] = "./"
	}
	return out
}

// RemoteFolder returns the folder of the path that RemoteFile returns.
func (s Settings) RemoteFolder() string { return path.Dir(s.RemoteFile()) }

// RemoteFile returns the path of the file at the destination, cleaned of "." and ".."; an absolute path stays absolute.
func (s Settings) RemoteFile() string { return path.Join(s["remote-path"], s["file"]) }
