package result

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"path"
	"strings"

	"moviola/domain"
	"moviola/domain/movie"
)

// tokenBytes is the length of a token: 16 random-looking bytes, written as 32 hex digits.
const tokenBytes = 16

// Tokens derives the tokens in the addresses of files from a secret of the installation, so that no stored data reveals them.
// The zero Tokens has no secret; addresses with its tokens can be guessed.
type Tokens struct{ key []byte }

// NewTokens returns the tokens that are derived from a key.
func NewTokens(key []byte) Tokens { return Tokens{key} }

// of returns the token of a file. The token is derived from the project and the attempt that has stored the file, or it is
// a random token that an earlier version has stored.
func (t Tokens) of(project domain.ProjectID, file *movie.File) string {
	if file.Token != "" {
		return file.Token
	}
	attempt := strings.TrimSuffix(path.Base(file.Key), MovieExtension)
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte("file of a movie\x00" + string(project) + "\x00" + attempt))
	return hex.EncodeToString(mac.Sum(nil)[:tokenBytes])
}

// Opens reports whether a token is that of a movie's file. The comparison takes constant time. A file that is not stored has
// no token.
func (t Tokens) Opens(project domain.ProjectID, file *movie.File, token string) bool {
	return file.Key != "" && subtle.ConstantTimeCompare([]byte(t.of(project, file)), []byte(token)) == 1
}
