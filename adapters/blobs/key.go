package blobs

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errBadKey is the error of a key that no file can have. Keys are made by the program, so it names a bug or an attack.
var errBadKey = errors.New("not a valid file key")

// Limits of keys, in bytes. A segment leaves room for the ending of temporary files in the 255 bytes a file system allows.
const (
	maxKeyBytes     = 1024
	maxSegmentBytes = 230
)

// tempSuffix ends the names of half-written files in a folder.
const tempSuffix = ".tmp"

// checkKey refuses keys that would leave the folder, hide from List or differ between a folder and a bucket.
func checkKey(key string) error {
	if err := checkPrefix(key); err != nil {
		return err
	}
	_, last, _ := cutLast(key)
	if last == "" || strings.HasPrefix(key, shelfName) || strings.HasSuffix(last, tempSuffix) || strings.HasSuffix(last, ".attrs") {
		return fmt.Errorf("%w: %q", errBadKey, key)
	}
	return nil
}

// checkPrefix accepts the beginnings of keys, the empty one too.
func checkPrefix(prefix string) error {
	bad := len(prefix) > maxKeyBytes || !utf8.ValidString(prefix) || strings.ContainsFunc(prefix, badRune) ||
		strings.Contains(prefix, "__0x") // what the library writes for characters it escapes
	segments := strings.Split(prefix, "/")
	for i, segment := range segments {
		isLast := i == len(segments)-1
		bad = bad || segment == "." || segment == ".." || len(segment) > maxSegmentBytes || segment == "" && !isLast
	}
	if bad {
		return fmt.Errorf("%w: %q", errBadKey, prefix)
	}
	return nil
}

func badRune(r rune) bool { return unicode.IsControl(r) || r == '\\' }

// cutLast splits a key at its last slash.
func cutLast(key string) (parent, last string, found bool) {
	i := strings.LastIndexByte(key, '/')
	if i < 0 {
		return "", key, false
	}
	return key[:i], key[i+1:], true
}
