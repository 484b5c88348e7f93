package connection

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"moviola/domain"
)

// WorkingFolder is the subfolder of an export folder in which files are written before they are renamed. No file can be delivered
// into it.
const WorkingFolder = ".moviola"

// maxFolders is the maximum number of folders in the path of a delivered file.
const maxFolders = 32

// inside is the field of a setting that is a path inside a folder: its check refuses a path that leads out of it.
var inside = Field{check: func(s string) bool { return anyText.check(s) && staysInside(s) },
	wants: "a path inside the folder, without .. or \\ and not beginning with /"}

// folderName is the field of the setting that names an export folder. The name, which the operator has given, is never a path.
var folderName = Field{check: FolderNames.MatchString, wants: "the name of an export folder of this server, not a path"}

// FolderNames matches the names that export folders may have.
var FolderNames = form{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`), 64}

func staysInside(s string) bool {
	return !strings.HasPrefix(s, "/") && !strings.ContainsAny(s, "\\\x00") && !slices.Contains(strings.Split(s, "/"), "..")
}

// LocalPath returns the folders and the name under which a file is stored inside an export folder. Macros must have been replaced
// before, so that the whole path is checked. A path that could lead out of the export folder is Invalid. Decision 78.
func (s Settings) LocalPath() (folders []string, name string, err error) {
	for _, setting := range []string{"remote-path", "file"} {
		if !staysInside(s[setting]) {
			return nil, "", domain.Errorf(domain.Invalid, "setting_invalid", "%s must be %s", setting, inside.wants)
		}
	}
	parts := strings.Split(s.RemoteFile(), "/")
	folders, name = parts[:len(parts)-1], parts[len(parts)-1]
	switch {
	case path.Base(s["file"]) == ".":
		return nil, "", domain.Errorf(domain.Invalid, "setting_invalid", "file must be a name")
	case strings.EqualFold(parts[0], WorkingFolder): // compared without regard to case, as some file systems do
		return nil, "", domain.Errorf(domain.Invalid, "setting_invalid", "%s is the service's own: give another name", WorkingFolder)
	case len(folders) > maxFolders:
		return nil, "", domain.Errorf(domain.Invalid, "setting_invalid", "remote-path must be at most %d folders deep", maxFolders)
	}
	return folders, name, nil
}
