//go:build !moviola_starter

package jail

// starter is the program in folder starter; nil: scripts/build.sh has not put it into this binary.
var starter []byte
