package key

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"moviola/domain"
)

// The form of a key: the prefix, random characters, and a checksum over the random characters. Decision 49.
const (
	prefix         = "mv_"
	randomLength   = 40
	checksumLength = 6
	idLength       = 32
)

// Generate makes a new random key. random is its source of random bytes.
func Generate(random io.Reader) (string, error) {
	text, err := domain.RandomText(random, randomLength)
	if err != nil {
		return "", fmt.Errorf("draw a key: %w", err)
	}
	return prefix + text + checksum(text), nil
}

// Check reports whether a text has the form of a key and the right checksum. So typing errors and guesses are refused without
// a read from the store.
func Check(s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != randomLength+checksumLength {
		return false
	}
	text, sum := rest[:randomLength], rest[randomLength:]
	return domain.IsBase62(text) && sum == checksum(text)
}

// Hash returns the hex SHA-256 of a key, by which the key is stored and recognised.
func Hash(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

// ID returns the id of the key with a hash: the first 128 bits of the hash.
func ID(hash string) string { return hash[:min(idLength, len(hash))] }

// IsID reports whether a text has the form of a key's id: 32 lower-case hex digits.
func IsID(s string) bool { return len(s) == idLength && strings.Trim(s, "0123456789abcdef") == "" }

// checksum returns the CRC32 of a text in base62 digits, the highest first.
func checksum(text string) string {
	return domain.Base62(uint64(crc32.ChecksumIEEE([]byte(text))), checksumLength)
}
