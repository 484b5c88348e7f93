package domain

import (
	"fmt"
	"io"
	"strings"
)

// base62 holds the digits of ids and keys: the digit for value i is at index i, from 0 to 61.
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// RandomText returns n characters of [A-Za-z0-9], each equally likely. random is its source of random bytes.
func RandomText(random io.Reader, n int) (string, error) {
	// limit is 248, the largest multiple of 62 below 256. Larger bytes are skipped, because their remainders would make some
	// characters more likely.
	const limit = 256 - 256%len(base62)
	text := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(text) < n {
		if _, err := io.ReadFull(random, buf[:n-len(text)]); err != nil {
			return "", fmt.Errorf("read random bytes: %w", err)
		}
		for _, b := range buf[:n-len(text)] {
			if int(b) < limit {
				text = append(text, base62[int(b)%len(base62)])
			}
		}
	}
	return string(text), nil
}

// IsBase62 reports whether a text consists of [A-Za-z0-9] only.
func IsBase62(s string) bool {
	return strings.Trim(s, base62) == ""
}

// Base62 writes a number in base 62 as exactly n digits, with leading zeros. It drops higher digits.
func Base62(number uint64, n int) string {
	digits := make([]byte, n)
	for i := n - 1; i >= 0; i-- {
		digits[i] = base62[number%uint64(len(base62))]
		number /= uint64(len(base62))
	}
	return string(digits)
}
