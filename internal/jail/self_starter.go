//go:build moviola_starter

package jail

import _ "embed" // for the directive go:embed, which puts the starter program into this binary

// starter is the program in folder starter, which scripts/build.sh has built.
//
//go:embed starter/starter
var starter []byte
