package blobs

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errBadKey is the error for an invalid key. The program makes all keys, so it means a bug or an attack.
var errBadKey = errors.New("not a valid file key")

// Limits of keys, in bytes. A segment leaves room for the suffix of temporary files within the 255 bytes of file systems.
const (
	maxKeyBytes     = 1024
	maxSegmentBytes = 230
)

// tempSuffix is the suffix of the names of files in a folder that are being written.
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
		strings.Contains(prefix, "__0x") // gocloud.dev/blob begins an escaped character with this text
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
