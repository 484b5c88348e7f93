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

// maxFolders is the maximum of nested folders in the path of a delivered file.
const maxFolders = 32

// inside checks a path that must stay inside a folder.
var inside = Field{check: func(s string) bool { return anyText.check(s) && staysInside(s) },
	wants: "a path inside the folder, without .. or \\ and not beginning with /"}

// folderName checks the name that the operator has given to a folder. It is never a path.
var folderName = Field{check: FolderNames.MatchString, wants: "the name of an export folder of this server, not a path"}

// FolderNames matches the names that export folders may have.
var FolderNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func staysInside(s string) bool {
	return !strings.HasPrefix(s, "/") && !strings.ContainsAny(s, "\\\x00") && !slices.Contains(strings.Split(s, "/"), "..")
}

// LocalPath returns the folders and the name under which a file is stored inside an export folder. Macros are replaced first, and
// the result is checked as a whole. A path that could lead out of the folder is Invalid. Decision 78.
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
	case strings.EqualFold(parts[0], WorkingFolder): // compared without case, because some file systems ignore case
		return nil, "", domain.Errorf(domain.Invalid, "setting_invalid", "%s is the service's own: give another name", WorkingFolder)
	case len(folders) > maxFolders:
		return nil, "", domain.Errorf(domain.Invalid, "setting_invalid", "remote-path must be at most %d folders deep", maxFolders)
	}
	return folders, name, nil
}
