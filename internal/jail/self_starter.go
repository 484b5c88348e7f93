//go:build moviola_starter

package jail

import _ "embed" // the starter

// starter is the program in folder starter, which scripts/build.sh has built.
//
//go:embed starter/starter
var starter []byte
