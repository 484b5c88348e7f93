// Package media holds the media library of an account: the rules for names of files and folders, and for what is at one
// path, such as a file from its arrival to its removal. Every path has a stream of its own: when two requests want the same
// path at the same time, the event store accepts only one.
//
// Spec: Media file; decisions 43 to 47; design §3 and §6, moves.
package media

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"moviola/domain"
)

// Temp is the folder whose files are temporary. Spec: Media file.
const Temp = "temp"

// MaxSize is the largest size of a file in bytes. Spec: Limits; decision 10.
const MaxSize = 524_288_000

// Bounds of names, in bytes, and of the depth of folders.
const (
	maxName   = 255
	maxFolder = 512
	maxDepth  = 16
)

// Path is a place in the library of an account. Folder is empty for the root, otherwise it has no slash at either end. Name is
// empty when the place is the folder itself.
type Path struct {
	Folder string
	Name   string
}

// String returns the path as clients write it: folder/name.
func (p Path) String() string { return strings.TrimPrefix(p.Folder+"/"+p.Name, "/") }

// Temporary reports whether files at the path are deleted after a while, because they are in the folder temp.
func (p Path) Temporary() bool { return p.Folder == Temp || strings.HasPrefix(p.Folder, Temp+"/") }

// StreamCategory is the category of the streams of paths: the part of their names before the first dash.
const StreamCategory = "mediapath"

// StreamID returns the id of the stream of an account's path: the account, a dot, and 32 hex digits of the path's SHA-256.
func StreamID(account domain.AccountID, p Path) string {
	sum := sha256.Sum256([]byte(p.String()))
	return string(account) + "." + hex.EncodeToString(sum[:16])
}

// AccountOf returns the account that the id of a path's stream names.
func AccountOf(streamID string) domain.AccountID {
	account, _, _ := strings.Cut(streamID, ".")
	return domain.AccountID(account)
}

var (
	errName   = domain.Errorf(domain.Invalid, "name_required", "name is required")
	errBad    = domain.Errorf(domain.Invalid, "name_invalid", "Invalid name")
	errFolder = domain.Errorf(domain.Invalid, "folder_invalid", "Invalid folder name")
)

// FileName returns the name under which a file is stored. Every character outside of [a-zA-Z0-9._-] becomes an underscore.
// An empty name, `.`, `..` and names that are then over 255 bytes are refused. Spec: Media file; decision 44.
func FileName(name string) (string, error) {
	if name == "" {
		return "", errName
	}
	name = strings.Map(func(r rune) rune {
		if isNameRune(r) || r == '.' {
			return r
		}
		return '_'
	}, name)
	if name == "." || name == ".." || len(name) > maxName {
		return "", errBad
	}
	return name, nil
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// FolderName returns the name under which a folder is stored. Characters outside of [a-zA-Z0-9/_-] are dropped, repeated
// slashes become one, slashes at the ends are dropped. A name of slashes only is the root. A name that loses all its
// characters, or is too long or too deep, is refused. Decision 44.
func FolderName(name string) (string, error) {
	var parts []string
	for _, part := range strings.Split(name, "/") {
		kept := strings.Map(func(r rune) rune {
			if isNameRune(r) {
				return r
			}
			return -1
		}, part)
		if kept != "" {
			parts = append(parts, kept)
		}
	}
	folder := strings.Join(parts, "/")
	if folder == "" && strings.Trim(name, "/") != "" || len(folder) > maxFolder || len(parts) > maxDepth {
		return "", errFolder
	}
	return folder, nil
}

// FilePath returns the path for the folder and the name of a file, as a client writes them.
func FilePath(folder, name string) (Path, error) {
	kept, err := FileName(name)
	if err != nil {
		return Path{}, err
	}
	inside, err := FolderName(folder)
	return Path{Folder: inside, Name: kept}, err
}

// ParsePath reads folder/name. It refuses an empty path and a path that ends with a slash. Spec: Errors, media endpoints.
func ParsePath(text string) (Path, error) {
	if text == "" {
		return Path{}, domain.Errorf(domain.Invalid, "path_required", "path is required")
	}
	folder, name := "", text
	if i := strings.LastIndexByte(text, '/'); i >= 0 {
		folder, name = text[:i], text[i+1:]
	}
	if name == "" {
		return Path{}, domain.Errorf(domain.Invalid, "path_without_filename", "Invalid path: no filename")
	}
	return FilePath(folder, name)
}

// Parents returns the folders that contain a path, from the innermost one to the root, "". For a path that is a folder, the
// folder itself comes first.
func (p Path) Parents() []string {
	folders := []string{p.Folder}
	for inside := p.Folder; inside != ""; {
		inside = Parent(inside)
		folders = append(folders, inside)
	}
	return folders
}

// Parent returns the folder that contains a folder: "" for folders in the root.
func Parent(folder string) string {
	if i := strings.LastIndexByte(folder, '/'); i >= 0 {
		return folder[:i]
	}
	return ""
}

// Kind is the sort of content of a file, as lists of the library show it.
type Kind string

// The kinds of files. Spec: Media file, contentType.
const (
	Image Kind = "image"
	Video Kind = "video"
	Audio Kind = "audio"
	Other Kind = "other"
)

// KindOf returns the kind of the files with a MIME type.
func KindOf(contentType string) Kind {
	family, _, _ := strings.Cut(strings.ToLower(contentType), "/")
	switch kind := Kind(family); kind {
	case Image, Video, Audio:
		return kind
	default:
		return Other
	}
}

// ParseKind returns the kind with the given name, and false for an unknown name.
func ParseKind(name string) (Kind, bool) {
	switch kind := Kind(name); kind {
	case Image, Video, Audio, Other:
		return kind, true
	default:
		return "", false
	}
}
