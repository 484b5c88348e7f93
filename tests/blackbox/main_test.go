package blackbox_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"moviola/tests/harness"
)

func TestMain(m *testing.M) {
	if filter := os.Getenv(filterVariable); filter != "" {
		_, _ = fmt.Fprintln(os.Stderr, becomeFiltered(filter))
		os.Exit(126)
	}
	atOnce()
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// atOnce has four tests run beside each other, unless the command line says how many: most of their time they wait.
func atOnce() {
	const tests = "4"
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return
	}
	if err := flag.Set("test.parallel", tests); err != nil {
		panic(err)
	}
}

// object and list keep the movies of the tests readable.
type (
	object = map[string]any
	list   = []any
)
