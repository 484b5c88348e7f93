// Package property makes property tests steady: packages whose tests use rapid import it for its effect. They try the same cases
// each time, so that a commit that passed its tests passes them again. `make test-random` tries new cases.
package property

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"

	_ "pgregory.net/rapid" // its flags must be there before this package's init
)

// Random is an environment variable: when it is not empty, property tests and other tests with random input try new cases.
const Random = "MOVIOLA_TEST_RANDOM"

// seed is any number but 0, which rapid takes for a new seed each time.
const seed = 1

// Seed returns the seed of a test that has random input: always the same one, or a new one each time if Random is set.
func Seed() uint64 {
	if os.Getenv(Random) != "" {
		return rand.Uint64()
	}
	return seed
}

// init sets the default of rapid's flag. A flag on the command line is parsed later and wins: -rapid.seed=7.
func init() {
	if os.Getenv(Random) != "" {
		return
	}
	if err := flag.Set("rapid.seed", strconv.Itoa(seed)); err != nil {
		panic(err)
	}
}
